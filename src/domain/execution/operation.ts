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

/** Details for the refusal message. */
export type RefusalFacts = {
  status?: string
  holder?: string | undefined
  time?: string
  executionId?: string
  listed?: string
  /** The chain has refused the order's transaction, and the order is still valid. */
  isRefused?: boolean
  /** The money is burned, and its mint can be mined at any time. */
  isBurned?: true
  /** The deposit was never matched with an intent. */
  isUnmatched?: true
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

/** Requester, organization and reason of an operation. It is stored in the audit log before the operation runs. */
export type OperationRequest = {
  actor: Actor
  /** Null for the platform's operators, who may act on every organization. */
  organizationId: string | null
  reason: string
  requestId: string | null
}

/** Statuses that each job verb can act on. They apply if a job's filter names no status. */
export const jobStatuses = {
  retry: ['FAILED'],
  redrive: terminalStatuses.filter((status) => status !== 'SUCCESS'),
} as const satisfies Record<string, readonly Status[]>

/**
 * Returns a job's filter without the executions that were created, failed or ended after its requester saw the list at
 * `seenAt`.
 */
export const seenBy = <Filter extends { createdTo?: number | undefined }>(seenAt: number, filter: Filter) => ({
  ...filter,
  createdTo: Math.min(filter.createdTo ?? Number.POSITIVE_INFINITY, seenAt + 1),
  settledTo: seenAt,
})

/** Most executions of one job. */
export const jobMax = 10_000

export const scanBlocksMax = 50_000
