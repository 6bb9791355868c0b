import { getAddress } from 'viem/utils'
import type { ChainId } from '../../domain/chain/chain'
import type { Address, Hash } from '../../domain/chain/hex'
import type { RescanOutcome } from '../../domain/deposit/rescan-outcome'
import { othersIdIn } from '../../domain/deposit/unsupported'
import { sweptDepositIdOf } from '../../domain/execution/execution'
import { laneId } from '../../domain/execution/lane'
import type { UnsupportedDeposits } from '../../ports/detection'
import type { Executions } from '../../ports/executions'
import type { Rescanned } from '../../ports/watch'
import { type Brought, isOf, type TenantId, type TransactionRead } from '../chains/read-transaction'
import type { UnsupportedIntake } from '../unlisted/unsupported-intake'
import type { Swept } from './sweep-balances'

type Ports = {
  read: (chainId: ChainId, txHash: Hash, detector: 'SCANNER', wantedBy: TenantId) => Promise<TransactionRead>
  sweep: (chainId: ChainId, token: Address, accounts: readonly Address[]) => Promise<Swept>
  executions: Executions
  unsupported: Pick<UnsupportedDeposits, 'load' | 'routedOf'>
  apart: UnsupportedIntake['apart']
  want: (chainId: ChainId, id: string, isMeasured: boolean) => Promise<string[]>
  /** Whether a node has the transaction in its pool. */
  isPending: (chainId: ChainId, txHash: Hash) => Promise<boolean>
}

type Settled = { id: string | null; found: RescanOutcome | null }

/**
 * How many deposits of one transaction are measured at once; each costs a dozen requests. The rest are stored as wanted
 * and measured later.
 */
const measuredMax = 20

/**
 * Answers "my deposit is not showing" by reading the transaction now. Transfers to other organizations are taken in as
 * well, but only the platform's operators are told of them, and those of unlisted tokens are not routed (extensions
 * 3.3; decision 43).
 *
 * @throws {RoutingError} an RPC_ code when the chain cannot be read.
 */
export function rescan({ read, sweep, executions, unsupported, apart, want, isPending }: Ports) {
  async function byTransaction(chainId: ChainId, txHash: Hash, organizationId: TenantId): Promise<Rescanned> {
    const { isMined, succeeded, brought } = await read(chainId, txHash, 'SCANNER', organizationId)
    if (!isMined) return none((await isPending(chainId, txHash)) ? 'NOT_MINED' : 'NOT_FOUND')
    if (!succeeded) return none('REVERTED')
    const results: Settled[] = []
    let measured = 0
    for (const one of brought) {
      const isOurs = isOf(organizationId, one.account)
      const isUnsupported = one.taken === 'UNSUPPORTED'
      if (!isOurs && isUnsupported) continue
      const settled = isUnsupported
        ? await wanted(chainId, one.id!, measured++ < measuredMax)
        : await settledOf(chainId, one)
      if (isOurs) results.push(settled)
    }
    const ours = results.filter(({ found }) => found !== null)
    const depositIds = [...new Set(ours.flatMap(({ id }) => (id === null ? [] : [id])))]
    for (const found of ['DEPOSIT', 'KNOWN', 'TOKEN_NOT_SUPPORTED'] as const)
      if (ours.some((one) => one.found === found)) return { found, depositIds }
    return none('NO_TRANSFER_TO_US')
  }

  async function settledOf(chainId: ChainId, { account, token, id, taken }: Brought): Promise<Settled> {
    if (taken === 'IGNORED') return { id: null, found: null }
    if (taken !== 'SWEEP') return { id, found: taken === 'STORED' ? 'DEPOSIT' : 'KNOWN' }
    const swept = await sweep(chainId, token, [account.id])
    if (swept.found.length > 0) return { id: swept.found[0]!, found: 'DEPOSIT' }
    const book = await executions.bookOf(laneId(account.id, chainId, token), swept.block)
    // The sweep found nothing, because the transfer's block is not deep enough yet. A later sweep measures it.
    if (!book || book.finds === 0) return { id: null, found: 'DEPOSIT' }
    return { id: sweptDepositIdOf(chainId, account.id, token, book.finds), found: 'KNOWN' }
  }

  /**
   * Requests that an unlisted token's deposit be routed. The balance sweep makes a deposit of it now or later, unless
   * it did so before.
   */
  async function wanted(chainId: ChainId, id: string, isMeasured: boolean): Promise<Settled> {
    const found = await want(chainId, id, isMeasured)
    if (found.length > 0) return { id: found[0]!, found: 'DEPOSIT' }
    const record = await unsupported.load(id)
    if (!record || record.wantedTo !== null) return { id, found: 'DEPOSIT' }
    const [routed] = await unsupported.routedOf([record])
    if (routed?.executionId) return { id: routed.executionId, found: 'KNOWN' }
    return { id, found: 'TOKEN_NOT_SUPPORTED' }
  }

  async function byUnsupported(id: string, organizationId: TenantId): Promise<Rescanned | null> {
    const other = othersIdIn(id)
    if (!other) return null
    const own = await unsupported.load(id)
    const record = own ?? (await unsupported.load(other.othersId))
    if (!record || !isOf(organizationId, record)) return null
    if (!own && !record.others?.includes(other.token)) return null
    if (!own) await apart(record, getAddress(other.token))
    const { id: depositId, found } = await wanted(record.chainId, id, true)
    return { found: found!, depositIds: [depositId!] }
  }

  return { byTransaction, byUnsupported }
}

const none = (found: RescanOutcome): Rescanned => ({ found, depositIds: [] })
