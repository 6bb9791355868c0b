import type { Address, Hash } from '../../src/domain/chain/hex'
import type { Sighting } from '../../src/domain/deposit/sighting'
import { type Deposit, depositIdOf, type Execution, newExecution } from '../../src/domain/execution/execution'
import { laneId } from '../../src/domain/execution/lane'

export const hashOf = (n: number): Hash => `0x${n.toString(16).padStart(64, '0')}`
export const addressOf = (n: number): Address => `0x${n.toString(16).padStart(40, '0')}`

export const token = addressOf(0x70)
export const account = addressOf(0xac)
export const sender = addressOf(0x5e)

/** Returns the deposit of the n-th test transaction. */
export function depositOf(n: number, changed: Partial<Deposit> = {}): Deposit {
  const deposit: Deposit = {
    lane: '',
    account,
    chainId: 8453,
    token,
    symbol: 'USDC',
    decimals: 6,
    amountRaw: '1000',
    block: 1,
    txHash: hashOf(n),
    logIndex: 0,
    fromAddress: sender,
    detectedBy: ['SCANNER'],
    detectedAt: 0,
    ...changed,
  }
  return { ...deposit, lane: laneId(deposit.account, deposit.chainId, deposit.token) }
}

/** Returns a newly confirmed deposit's execution, not stored yet. */
export function executionOf(n: number, changed: Partial<Execution> = {}, deposit: Partial<Deposit> = {}): Execution {
  const id = depositIdOf(8453, hashOf(n), 0)
  const found = { id, organizationId: 'org_1', userId: 'user-1', deposit: depositOf(n, deposit), machineVersion: '1' }
  const hasEnded = typeof changed.completedAt === 'number'
  return { ...newExecution(found, found.deposit.detectedAt), ...(hasEnded && { dueAt: null }), ...changed }
}

export function sightingOf(n: number, changed: Partial<Sighting> = {}): Sighting {
  const { account, chainId, token, amountRaw, fromAddress, detectedBy, detectedAt, block } = depositOf(n)
  return {
    id: depositIdOf(8453, hashOf(n), 0),
    version: 0,
    organizationId: 'org_1',
    userId: 'user-1',
    account,
    chainId,
    token,
    amountRaw,
    fromAddress,
    txHash: hashOf(n),
    logIndex: 0,
    block,
    blockHash: hashOf(block),
    detectedBy,
    detectedAt,
    stage: 'CONFIRMING',
    updatedAt: detectedAt,
    ...changed,
  }
}
