/** Every status of an execution (interface 3). */
export const statuses = {
  PENDING: {
    kind: 'active',
    retryable: null,
    description: 'The route is chosen. Its transaction is about to be sent.',
  },
  RUNNING: {
    kind: 'active',
    retryable: null,
    description: 'The transaction is on its way, or the bridge is delivering.',
  },
  SUCCESS: { kind: 'terminal', retryable: false, description: 'Delivered: seen on the destination chain.' },
  FAILED: { kind: 'active', retryable: true, description: 'An attempt failed. The next one is scheduled.' },
  DEAD_LETTER: { kind: 'terminal', retryable: false, description: 'It failed permanently. An operator must act.' },
  TOKEN_BLACKLISTED: {
    kind: 'terminal',
    retryable: false,
    description: 'The token or an address is on the security list.',
  },
  FAILED_UNROUTABLE_MAIN: {
    kind: 'terminal',
    retryable: false,
    description: 'No provider has a route for this token to the target.',
  },
  FAILED_INVALID_INPUT: { kind: 'terminal', retryable: false, description: 'The deposit or the intent is not valid.' },
  FAILED_NO_FUNDS: { kind: 'terminal', retryable: false, description: 'The account does not hold the deposit.' },
  FAILED_INSUFFICIENT_AFTER_FEES: {
    kind: 'terminal',
    retryable: false,
    description: 'Nothing is left to route after fees.',
  },
  QUOTA_EXCEEDED: { kind: 'terminal', retryable: false, description: 'The organization’s quota is used up.' },
} as const satisfies Record<string, StatusRow>

type StatusRow = { kind: 'active' | 'terminal'; retryable: boolean | null; description: string }

export type Status = keyof typeof statuses
export type TerminalStatus = { [S in Status]: (typeof statuses)[S]['kind'] extends 'terminal' ? S : never }[Status]

export const statusNames = Object.keys(statuses) as Status[]
export const isStatus = (state: string): state is Status => Object.hasOwn(statuses, state)
export const isTerminal = (state: string): state is TerminalStatus =>
  isStatus(state) && statuses[state].kind === 'terminal'
export const terminalStatuses = statusNames.filter(isTerminal)

/**
 * Final statuses that need a person's action. Unless the execution was superseded, `next` names an operator or the
 * integrator.
 */
export const attentionStatuses = [
  'DEAD_LETTER',
  'TOKEN_BLACKLISTED',
  'QUOTA_EXCEEDED',
  'FAILED_UNROUTABLE_MAIN',
  'FAILED_INVALID_INPUT',
] as const satisfies readonly Status[]
