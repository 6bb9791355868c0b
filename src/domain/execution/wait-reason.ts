/** What an execution waits for. BLOCK: the next blocks. NODE: somebody who can say reliably what the chain holds. */
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
