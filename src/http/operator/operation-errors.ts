import { RoutingError } from '../../domain/error'
import { OperationRefused, type RefusalFacts } from '../../domain/execution/operation'
import { Refusal, type RefusalCode } from '../request/failure'

/** Messages that state the facts of a refusal (extensions 1.5). */
const sentences: Partial<Record<RefusalCode, (facts: RefusalFacts) => string>> = {
  TOKEN_BLACKLISTED: ({ listed }) => `The ${listed} is still on the security list`,
  NOT_RETRYABLE: ({ status }) =>
    `Only an execution in FAILED, or one that waits to be minted, can be retried; this one is ${status}`,
  NOT_TERMINAL: ({ status }) => `Only an execution that has ended can be re-driven; this one is ${status}`,
  FUNDS_NOT_IN_ACCOUNT: ({ holder, executionId }) => {
    if (executionId) return `Execution ${executionId} has the money now`
    return holder
      ? `The money is with ${holder}, not in the account`
      : 'The money was refunded to the account, as a separate deposit'
  },
  TRANSACTION_IN_FLIGHT: ({ time, isRefused, isBurnt }) => {
    if (isBurnt) return 'The money is burned and must be minted to end the execution; a retry checks it immediately'
    return isRefused
      ? `The signed order that the chain rejected expires at ${time}; try again after a later block is confirmed`
      : `A signed transaction of this execution may still be mined; try again after ${time}`
  },
  REDRIVE_IN_PROGRESS: ({ executionId }) => `Execution ${executionId} is already re-driving this deposit`,
}

/** Waits for an operation, and turns the domain's refusals into a `Refusal`. */
export async function withOperationErrors<Result>(operation: Promise<Result>): Promise<Result> {
  try {
    return await operation
  } catch (error) {
    if (error instanceof RoutingError && error.retryable)
      throw new Refusal('PROVIDER_UNAVAILABLE', { message: 'The chain cannot be read', cause: error })
    if (!(error instanceof OperationRefused)) throw error
    const { code, facts } = error
    const message = sentences[code]?.(facts)
    throw new Refusal(code === 'TOKEN_BLACKLISTED' ? 'TOKEN_STILL_LISTED' : code, message ? { message } : {})
  }
}
