import { type Status, terminalStatuses } from './status'

/** Why an operator's request is refused (extensions 1.5, 9.2). */
const operationRefusals = [
  'NOT_RETRYABLE',
  'NOTHING_TO_APPROVE',
  'ALREADY_ENDED',
  'NOT_TERMINAL',
  'NO_FUNDS_TO_REDRIVE',
  'FUNDS_NOT_IN_ACCOUNT',
  'TRANSACTION_IN_FLIGHT',
  'REDRIVE_IN_PROGRESS',
  'TOKEN_BLACKLISTED',
  'NO_REFUND_ADDRESS',
  'NO_DEPOSIT_INTENT',
  'EXECUTION_NOT_FOUND',
  'CHANGED_MEANWHILE',
] as const
type OperationRefusal = (typeof operationRefusals)[number]

/** Details that the sentence about a refusal may mention. */
export type RefusalFacts = {
  status?: string
  holder?: string | undefined
  time?: string
  executionId?: string
  listed?: string
  /** The chain has refused the transaction of the order, which is still good. */
  isRefused?: boolean
  /** The money is burnt, and its mint may still be mined at any time. */
  isBurnt?: true
}

export class OperationRefused extends Error {
  override name = 'OperationRefused'

  constructor(
    readonly code: OperationRefusal,
    readonly facts: RefusalFacts = {},
  ) {
    super(code)
  }
}

type Actor = { kind: 'API_KEY' | 'MEMBER' | 'SYSTEM'; id: string; label: string }

/**
 * Who asks for an operation, for which organization, and why. It is stored in the audit log before anything is done.
 */
export type OperationRequest = {
  actor: Actor
  /** Null for the platform's operators, who may act on every organization. */
  organizationId: string | null
  reason: string
  requestId: string | null
}

/** The statuses that each verb of a job can act on. They apply where a job's filter names no status. */
export const jobStatuses = {
  retry: ['FAILED'],
  redrive: terminalStatuses.filter((status) => status !== 'SUCCESS'),
} as const satisfies Record<string, readonly Status[]>

/** The most executions of one job. */
export const jobMax = 10_000

export const scanBlocksMax = 50_000
