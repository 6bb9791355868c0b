/** What an execution waits for. BLOCK: later blocks. NODE: a node that can say reliably what the chain holds. */
export type WaitReason =
  | 'INTENT'
  | 'LANE'
  | 'PAUSE'
  | 'BLOCK'
  | 'NODE'
  | 'GAS'
  | 'PROVIDER'
  | 'QUOTA'
  | 'BUDGET'
  | 'WORTH'
