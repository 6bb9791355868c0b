import type { TerminalStatus } from './execution/status'

/** Error categories, and whether an error of the category can be retried (interface 7.3). */
export const errorCategories = {
  NETWORK: { retryable: true },
  TIMEOUT: { retryable: true },
  PROVIDER_5XX: { retryable: true },
  RATE_LIMIT: { retryable: true },
  VALIDATION: { retryable: false },
  PROVIDER_4XX: { retryable: false },
  BLOCKCHAIN_REVERT: { retryable: false },
  TOKEN_BLACKLISTED: { retryable: false },
} as const
export type ErrorCategory = keyof typeof errorCategories

type ErrorRow = {
  category: ErrorCategory | null
  /**
   * Status in which the error ends an execution. FAILED is retried until the retries are used up. Null marks a bug; a
   * bug never ends an execution.
   */
  endsIn: TerminalStatus | 'FAILED' | null
  /** Whether a retryable error spends one of the deposit's retries. A node's failure spends none: the deposit waits. */
  spendsRetry: boolean
  message: string
  advice: string
}

const row = (
  category: ErrorCategory | null,
  endsIn: ErrorRow['endsIn'],
  message: string,
  advice: string,
): ErrorRow => ({ category, endsIn, spendsRetry: true, message, advice })

const waits = 'No action needed: the service retries automatically.'

/** Errors that spend no retry. */
const unspent = (category: ErrorCategory, message: string): ErrorRow => ({
  ...row(category, 'FAILED', message, waits),
  spendsRetry: false,
})

/** Every way in which an execution can fail (extensions 12). */
const errors = {
  PROVIDER_UNREACHABLE: row('NETWORK', 'FAILED', 'A routing provider could not be reached.', waits),
  PROVIDER_TIMEOUT: row('TIMEOUT', 'FAILED', 'A routing provider did not answer in time.', waits),
  PROVIDER_FAILED: row('PROVIDER_5XX', 'FAILED', 'A routing provider had an internal error.', waits),
  PROVIDER_MALFORMED: row('PROVIDER_5XX', 'FAILED', 'A routing provider sent an unusable response.', waits),
  PROVIDER_RATE_LIMITED: row('RATE_LIMIT', 'FAILED', 'A routing provider’s rate limit is reached.', waits),
  RPC_UNREACHABLE: unspent('NETWORK', 'The chain could not be reached.'),
  RPC_TIMEOUT: unspent('TIMEOUT', 'The chain’s node did not answer in time.'),
  RPC_FAILED: unspent('PROVIDER_5XX', 'The chain’s node had an internal error.'),
  RPC_RATE_LIMITED: unspent('RATE_LIMIT', 'The rate limit of the chain’s node is reached.'),
  // Reserved. Such a deposit waits.
  GAS_ESTIMATE_FAILED: row(
    'NETWORK',
    'FAILED',
    'The gas fee could not be estimated, and the day’s free-gas budget is used up.',
    waits,
  ),
  ORDER_LAPSED: row('TIMEOUT', 'FAILED', 'The transaction was not mined in time.', waits),
  FUNDS_RETURNED: row(
    null,
    'DEAD_LETTER',
    'The bridge refunded the money to the deposit address. It is routed again as a new execution.',
    'Follow the execution that continuedBy names.',
  ),
  RETURNED_TOO_OFTEN: row(
    null,
    'DEAD_LETTER',
    'Bridges refunded this money more than three times, so it is no longer sent out automatically.',
    'Change the target, then request a re-drive.',
  ),
  PASSED_ON_TOO_OFTEN: row(
    null,
    'DEAD_LETTER',
    'Our own deliveries passed this money on more than three times, so it is no longer sent on automatically.',
    'Find deposit addresses that lead to each other, change the target, then request a re-drive.',
  ),
  PROVIDER_REFUSED: row(
    'PROVIDER_4XX',
    'DEAD_LETTER',
    'Every routing provider refused the request.',
    'Contact the operator.',
  ),
  // It does not leave a provider's gate: executions wait there.
  PROVIDER_UNAUTHORIZED: row(
    'PROVIDER_4XX',
    'DEAD_LETTER',
    'No routing provider accepts our credentials.',
    'Contact the operator.',
  ),
  SIMULATION_REVERTED: row(
    'BLOCKCHAIN_REVERT',
    'DEAD_LETTER',
    'The chain would refuse the transfer, so it was not sent.',
    'Check the token and the recipient.',
  ),
  TRANSACTION_REVERTED: row(
    'BLOCKCHAIN_REVERT',
    'DEAD_LETTER',
    'The chain refused the transfer. Nothing left the account.',
    'Request a re-drive.',
  ),
  SIGNER_REFUSED: row(
    'VALIDATION',
    'DEAD_LETTER',
    'The route did not match the deposit intent, so it was not signed.',
    'Contact the operator.',
  ),
  TOKEN_BLACKLISTED: row(
    'TOKEN_BLACKLISTED',
    'TOKEN_BLACKLISTED',
    'The token is on the security list.',
    'Tell the sender.',
  ),
  ADDRESS_BLACKLISTED: row(
    'TOKEN_BLACKLISTED',
    'TOKEN_BLACKLISTED',
    'The sender or the recipient is on the security list.',
    'Tell the sender.',
  ),
  INVALID_TARGET: row(
    'VALIDATION',
    'FAILED_INVALID_INPUT',
    'The intent’s target is not valid.',
    'Correct the intent, then re-drive.',
  ),
  RECIPIENT_UNSPENDABLE: row(
    'VALIDATION',
    'FAILED_INVALID_INPUT',
    'The recipient is a contract that cannot spend what it receives, such as a token or a bridge.',
    'Change the target, then re-drive.',
  ),
  RECIPIENT_BLOCKED: row(
    'VALIDATION',
    'FAILED_INVALID_INPUT',
    'The target token blocks the recipient on the destination chain.',
    'Change the target, then re-drive.',
  ),
  RECIPIENT_REFUSES: row(
    'VALIDATION',
    'FAILED_INVALID_INPUT',
    'The recipient refuses the target token on the destination chain.',
    'Change the target, then re-drive.',
  ),
  INVALID_AMOUNT: row('VALIDATION', 'FAILED_INVALID_INPUT', 'The deposit’s amount is not valid.', 'No action needed.'),
  TOKEN_NOT_SUPPORTED: row(
    'VALIDATION',
    'FAILED_INVALID_INPUT',
    'The deposited token is not supported.',
    'Contact the operator.',
  ),
  NO_ROUTE: row(
    'VALIDATION',
    'FAILED_UNROUTABLE_MAIN',
    'No provider has a route for this token to the target.',
    'Change the target, then re-drive.',
  ),
  ROUTE_OUTSIDE_POLICY: row(
    'VALIDATION',
    'FAILED_UNROUTABLE_MAIN',
    'Routes exist, but none meets the limits on slippage, output, duration or hops.',
    'Change the target, or try again later.',
  ),
  DEPOSIT_NOT_ON_CHAIN: row(
    'VALIDATION',
    'FAILED_NO_FUNDS',
    'The deposit is not in the confirmed chain.',
    'No action needed: the sender still has the money.',
  ),
  DEPOSIT_MOVED: row(
    'VALIDATION',
    'FAILED_NO_FUNDS',
    'A reorganization of the chain moved the payment. It is another deposit with the same transaction hash.',
    'Follow that deposit.',
  ),
  BALANCE_TOO_LOW: row(
    'VALIDATION',
    'FAILED_NO_FUNDS',
    'The account holds less than the deposit’s amount.',
    'Contact the operator if money seems to be missing.',
  ),
  FEES_EXCEED_DEPOSIT: row(
    'VALIDATION',
    'FAILED_INSUFFICIENT_AFTER_FEES',
    'Nothing is left to route after fees.',
    'Ask the sender to send more.',
  ),
  MONTHLY_QUOTA_REACHED: row(
    'VALIDATION',
    'QUOTA_EXCEEDED',
    'The organization’s monthly quota is used up.',
    'Raise the plan, then re-drive.',
  ),
  // Reserved. The monthly quota is the only plan limit that ends an execution.
  PLAN_LIMIT_REACHED: row(
    'VALIDATION',
    'QUOTA_EXCEEDED',
    'A limit of the organization’s plan is reached.',
    'Raise the plan, then re-drive.',
  ),
  PARTIAL_DELIVERY: row(
    null,
    'DEAD_LETTER',
    'The delivery was below the minimum or in another token.',
    'Contact the operator.',
  ),
  ABANDONED: row(null, 'DEAD_LETTER', 'An operator ended it.', 'Read the reason.'),
  INTENT_NOT_SEALED: row(
    null,
    null,
    'The stored intent failed its integrity check. Nothing was signed, and operators were alerted.',
    waits,
  ),
  UNEXPECTED: row(
    null,
    null,
    'An unexpected error occurred. The execution waits, and operators were alerted.',
    'No action needed: operators are handling it.',
  ),
} as const satisfies Record<string, ErrorRow>

export type ErrorCode = keyof typeof errors
export const errorCodes = Object.keys(errors) as ErrorCode[]
/** The errors that only a routing provider causes. */
export const providerFaults = errorCodes.filter((code) => code.startsWith('PROVIDER_'))
export const errorRow = (code: ErrorCode): ErrorRow => errors[code]

/** Whether an error ends a deposit at its first occurrence. */
export const isEnding = (error: unknown): error is RoutingError =>
  error instanceof RoutingError && !error.retryable && errors[error.code].endsIn !== null

/** Expected failure. Any other thrown error is a bug and is reported as one. */
export class RoutingError extends Error {
  override name = 'RoutingError'

  /** @param options.cause Log details that integrators must not see, such as URLs and response bodies of providers. */
  constructor(
    readonly code: ErrorCode,
    options: { cause?: unknown } = {},
  ) {
    super(errors[code].message, options)
  }

  get category(): ErrorCategory | null {
    return errors[this.code].category
  }

  get retryable(): boolean {
    return this.category !== null && errorCategories[this.category].retryable
  }
}
