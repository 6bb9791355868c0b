/**
 * Where the money of an execution is that ended before the money left the account. `NEXT_DEPOSIT_TAKES_IT`: the next
 * deposit of its lane includes it (decision 25). `STAYS_APART`: only a re-drive may move it.
 */
type MoneyAfter = 'DELIVERED' | 'NEVER_CAME' | 'NEXT_DEPOSIT_TAKES_IT' | 'STAYS_APART'

type StatusRow = {
  /** The status in a few plain words, shown with its code. */
  name: string
  kind: 'active' | 'terminal'
  retryable: boolean | null
  description: string
  /** Null while the execution has not ended. */
  money: MoneyAfter | null
  /** Whether the end waits for an operator or the integrator, unless the execution was superseded. */
  needsPerson: boolean
  /** Whether its money needs an operator's decision when the organization is deleted. Dust and listed money do not. */
  leftOnDeletion: boolean
  logLevel: 'info' | 'warn'
  /** The colour of the status. */
  tone: 'info' | 'success' | 'warning' | 'danger'
  /** The machine's state beside which the dashboard's map draws it; null for a free position. */
  drawnBeside: string | null
  /** The event after which a sample webhook lets it fail; null if no failure leads to it. */
  sampleAfter: string | null
}

const active = {
  money: null,
  needsPerson: false,
  leftOnDeletion: false,
  logLevel: 'info',
  tone: 'info',
  drawnBeside: null,
  sampleAfter: null,
} as const

/**
 * Every status of an execution (interface 3), with all that the code decides by status. A new status is one row here.
 */
export const statuses = {
  PENDING: {
    name: 'About to be sent',
    kind: 'active',
    retryable: null,
    description: 'The route is chosen. Its transaction is about to be sent.',
    ...active,
  },
  RUNNING: {
    name: 'On its way',
    kind: 'active',
    retryable: null,
    description: 'The transaction is on its way, or the bridge is delivering.',
    ...active,
  },
  SUCCESS: {
    name: 'Delivered',
    kind: 'terminal',
    retryable: false,
    description: 'Delivered: seen on the destination chain.',
    money: 'DELIVERED',
    needsPerson: false,
    leftOnDeletion: false,
    logLevel: 'info',
    tone: 'success',
    drawnBeside: null,
    sampleAfter: null,
  },
  FAILED: {
    name: 'Waiting for a retry',
    kind: 'active',
    retryable: true,
    description: 'An attempt failed. The next one is scheduled.',
    ...active,
    tone: 'warning',
    sampleAfter: 'balance verified',
  },
  DEAD_LETTER: {
    name: 'Stopped',
    kind: 'terminal',
    retryable: false,
    description: 'It failed permanently. An operator must act.',
    money: 'NEXT_DEPOSIT_TAKES_IT',
    needsPerson: true,
    leftOnDeletion: true,
    logLevel: 'warn',
    tone: 'danger',
    drawnBeside: null,
    sampleAfter: 'fees priced',
  },
  TOKEN_BLACKLISTED: {
    name: 'Held for security',
    kind: 'terminal',
    retryable: false,
    description: 'The token or an address is on the security list.',
    money: 'STAYS_APART',
    needsPerson: true,
    leftOnDeletion: false,
    logLevel: 'warn',
    tone: 'danger',
    drawnBeside: 'screening deposit',
    sampleAfter: 'intent matched',
  },
  FAILED_UNROUTABLE_MAIN: {
    name: 'No route',
    kind: 'terminal',
    retryable: false,
    description: 'No provider has a route for this token to the target.',
    money: 'NEXT_DEPOSIT_TAKES_IT',
    needsPerson: true,
    leftOnDeletion: true,
    logLevel: 'warn',
    tone: 'danger',
    drawnBeside: 'finding route',
    sampleAfter: 'balance verified',
  },
  FAILED_INVALID_INPUT: {
    name: 'Not valid',
    kind: 'terminal',
    retryable: false,
    description: 'The deposit or the intent is not valid.',
    money: 'NEXT_DEPOSIT_TAKES_IT',
    needsPerson: true,
    leftOnDeletion: true,
    logLevel: 'warn',
    tone: 'danger',
    drawnBeside: 'matching intent',
    sampleAfter: 'lane taken',
  },
  FAILED_NO_FUNDS: {
    name: 'Nothing received',
    kind: 'terminal',
    retryable: false,
    description: 'The account does not hold the deposit.',
    money: 'NEVER_CAME',
    needsPerson: false,
    leftOnDeletion: false,
    logLevel: 'warn',
    tone: 'danger',
    drawnBeside: 'verifying balance',
    sampleAfter: 'lane taken',
  },
  FAILED_INSUFFICIENT_AFTER_FEES: {
    name: 'Too small',
    kind: 'terminal',
    retryable: false,
    description: 'Nothing is left to route after fees.',
    money: 'NEXT_DEPOSIT_TAKES_IT',
    needsPerson: false,
    leftOnDeletion: false,
    logLevel: 'info',
    tone: 'danger',
    drawnBeside: 'pricing fees',
    sampleAfter: 'route found',
  },
  QUOTA_EXCEEDED: {
    name: 'Quota used up',
    kind: 'terminal',
    retryable: false,
    description: 'The organization’s quota is used up.',
    money: 'NEXT_DEPOSIT_TAKES_IT',
    needsPerson: true,
    leftOnDeletion: true,
    logLevel: 'warn',
    tone: 'warning',
    drawnBeside: 'signing order',
    sampleAfter: 'balance verified',
  },
} as const satisfies Record<string, StatusRow>

export type Status = keyof typeof statuses
export type TerminalStatus = { [S in Status]: (typeof statuses)[S]['kind'] extends 'terminal' ? S : never }[Status]

export const statusNames = Object.keys(statuses) as Status[]
export const isStatus = (state: string): state is Status => Object.hasOwn(statuses, state)
export const isTerminal = (state: string): state is TerminalStatus =>
  isStatus(state) && statuses[state].kind === 'terminal'
export const terminalStatuses = statusNames.filter(isTerminal)

type StatusWhere<Column extends keyof StatusRow, Value> = {
  [S in Status]: (typeof statuses)[S][Column] extends Value ? S : never
}[Status]

/** Returns the statuses whose row has a value in a column, in the order of the table. */
const statusesWhere = <Column extends keyof StatusRow, const Value extends StatusRow[Column]>(
  column: Column,
  value: Value,
) => statusNames.filter((status): status is StatusWhere<Column, Value> => statuses[status][column] === value)

/** An execution that ended in one of these statuses waits for a person. `next` names an operator or the integrator. */
export const attentionStatuses = statusesWhere('needsPerson', true)
/** Executions that ended in these leave their money in the account, and the lane's next deposit includes it. */
export const residueStatuses = statusesWhere('money', 'NEXT_DEPOSIT_TAKES_IT')
/** Executions whose money an operator decides about when their organization is deleted. */
export const leftBehindStatuses = statusesWhere('leftOnDeletion', true)

const moneyAfter = (state: string): MoneyAfter | null => (isStatus(state) ? statuses[state].money : null)
/** Whether the deposit's money never was in the account, or belongs to another deposit. */
export const neverArrived = (state: string): boolean => moneyAfter(state) === 'NEVER_CAME'
/** Whether the deposit's money stays reserved after the end, until an operator re-drives it. */
export const staysApart = (state: string): boolean => moneyAfter(state) === 'STAYS_APART'
export const isLeftover = (state: string): boolean => moneyAfter(state) === 'NEXT_DEPOSIT_TAKES_IT'
