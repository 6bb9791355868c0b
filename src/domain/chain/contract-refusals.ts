/**
 * Who must act after one of our contracts refused an order.
 *
 * - `OURS`: a holder stopped something, or an operator must repair it. The deposit waits.
 * - `OURS_FOR_ROUTE`: the same for one kind of call. The deposit takes another route, or waits.
 * - `DEPOSIT`: the order itself failed, so the deposit ends unless another route succeeds.
 * - `HOLDERS`: only a holder's call can cause it. An order that caused it would wait.
 */
type Responsible = 'OURS' | 'OURS_FOR_ROUTE' | 'DEPOSIT' | 'HOLDERS'

/**
 * Every custom error of `contracts/src`. The gas estimate and the evidence of a delivery read this table. A test
 * compares it with the sources and with the operators' page on incidents.
 */
const responsible: Readonly<Record<string, Responsible>> = {
  Paused: 'OURS',
  NotRelayer: 'OURS',
  BadSignature: 'OURS',
  BadCollector: 'OURS',
  CapReached: 'OURS',
  TooManyRefunds: 'OURS',
  // The registry no longer lists the module.
  Denied: 'OURS',
  NotExecutor: 'OURS',
  // Our clock, our gas limit or our encoding is wrong.
  Expired: 'OURS',
  DeadlineTooFar: 'OURS',
  DeployFailed: 'OURS',
  UnsupportedMode: 'OURS',

  NoRule: 'OURS_FOR_ROUTE',
  GuardRefused: 'OURS_FOR_ROUTE',
  GuardChanged: 'OURS_FOR_ROUTE',
  BadNativeFee: 'OURS_FOR_ROUTE',
  GasTooLow: 'OURS_FOR_ROUTE',

  RouteUsed: 'DEPOSIT',
  BadFees: 'DEPOSIT',
  BadMinimum: 'DEPOSIT',
  BadRecipient: 'DEPOSIT',
  BadKind: 'DEPOSIT',
  InsufficientBalance: 'DEPOSIT',
  Overspent: 'DEPOSIT',
  Underspent: 'DEPOSIT',
  FeeNotReceived: 'DEPOSIT',
  OutputTooLow: 'DEPOSIT',
  AllowanceLeft: 'DEPOSIT',
  Reentered: 'DEPOSIT',
  NoCode: 'DEPOSIT',
  CallFailed: 'DEPOSIT',
  UnsupportedCall: 'DEPOSIT',
  Routable: 'DEPOSIT',
  NotAPayment: 'DEPOSIT',

  BadHolder: 'HOLDERS',
  BadModule: 'HOLDERS',
  BadSetting: 'HOLDERS',
  NotScheduled: 'HOLDERS',
  NotReady: 'HOLDERS',
  ScheduleExpired: 'HOLDERS',
  NotInstalled: 'HOLDERS',
  StoppedSince: 'HOLDERS',
  BadRecovery: 'HOLDERS',
  NotApproved: 'HOLDERS',
  ApprovalExpired: 'HOLDERS',
  GuardianMustApprove: 'HOLDERS',
  Refused: 'HOLDERS',
}

/**
 * Returns who must act after an error of our contracts. Returns `DEPOSIT` for another contract's error, or for none.
 */
export const responsibleFor = (error: string | null): Responsible => (error && responsible[error]) || 'DEPOSIT'

/** Whether the refusal says nothing about the deposit, because we or the holders must act. */
export const isOurRefusal = (error: string | null): boolean => responsibleFor(error) !== 'DEPOSIT'

/**
 * The error of every order that is re-run after its deadline. It replaces the original reason, and also appears for a
 * revert without one, such as lack of gas.
 */
export const laterReason = 'Expired'

export const contractErrors: readonly string[] = Object.keys(responsible)
