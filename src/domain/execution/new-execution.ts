import { bucketOf, type Deposit, type Execution } from './execution'

export type FoundDeposit = {
  id: string
  organizationId: string
  userId: string
  deposit: Deposit
  machineVersion: string
}

/**
 * Makes the record of a deposit that was just confirmed. It is due at once. Version 0 means that it is not stored yet.
 */
export const newExecution = (found: FoundDeposit, at: number): Execution => ({
  id: found.id,
  organizationId: found.organizationId,
  userId: found.userId,
  state: 'matching intent',
  machineVersion: found.machineVersion,
  status: null,
  version: 0,
  dueAt: at,
  bucket: bucketOf(found.organizationId),
  deposit: found.deposit,
  facts: {},
  retryCount: 0,
  cause: null,
  createdAt: null,
  completedAt: null,
  seq: 1,
  history: [
    {
      seq: 1,
      at: found.deposit.detectedAt,
      event: 'deposit detected',
      from: null,
      to: 'matching intent',
      status: null,
      note: found.deposit.isSenderUnknown ? 'Not everybody who sent it could be named.' : null,
    },
  ],
  redriveOf: null,
  redrivenBy: null,
  refundOf: null,
  continuedBy: null,
})
