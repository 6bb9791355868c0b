import { getAddress } from 'viem/utils'
import type { ChainId } from '../../domain/chain/chain'
import { type Address, type Hash, zeroAddress } from '../../domain/chain/hex'
import { inParallel } from '../../domain/concurrency'
import type { RescanOutcome } from '../../domain/deposit/rescan-outcome'
import { othersIdIn, unsupportedIdOf } from '../../domain/deposit/unsupported'
import { RoutingError } from '../../domain/error'
import { type Detector, depositIdOf, sweptDepositIdOf } from '../../domain/execution/execution'
import { laneId } from '../../domain/execution/lane'
import type { ChainClient, Chains, MinedTransaction, Transfer } from '../../ports/chain-client'
import type { RescanResult, UnsupportedDeposits } from '../../ports/detection'
import type { Executions } from '../../ports/executions'
import type { AddressMap, Holder } from '../intake/address-map'
import type { Intake, IntakeResult } from '../intake/intake'
import type { SweepResult } from '../sweeps/sweep-balances'
import type { UnsupportedIntake } from '../unlisted/unsupported'

type Ports = {
  chains: Chains
  accounts: AddressMap
  intake: Intake
  executions: Executions
  isScanned: (chainId: ChainId, token: Address) => boolean
  isDeposit: (chainId: ChainId, transfer: Transfer) => boolean
  unsupported: Pick<UnsupportedIntake, 'pointed'>
  scannedTo: (chainId: ChainId) => Promise<number>
  sweptTo: (chainId: ChainId) => Promise<number>
}

/** A payment of a transaction to one of our accounts. `SWEEP`: the balance sweep has to measure it. */
type TransferOutcome = {
  account: Holder
  token: Address
  id: string | null
  taken: IntakeResult | 'SWEEP' | 'UNSUPPORTED'
}
/** `block` is null until it is mined. `isTraced`: whether the coin that its contract calls pay was searched for. */
export type TransactionOutcome = {
  isMined: boolean
  succeeded: boolean
  block: number | null
  brought: TransferOutcome[]
  isTraced: boolean
}
const nothing = { succeeded: false, brought: [], isTraced: false }

/** An organization, or null for the platform's operators, who see every organization. */
type TenantId = string | null
const isOf = (tenant: TenantId, { organizationId }: Pick<Holder, 'organizationId'>): boolean =>
  tenant === null || tenant === organizationId

/**
 * Returns the newest confirmed block, if it matters for this block. While the head does not confirm this block, nothing
 * else is read.
 */
async function confirmedFor(block: number, chain: Pick<ChainClient, 'head' | 'confirmed' | 'confirmations'>) {
  const deepest = (await chain.head()).number - (chain.confirmations - 1)
  return deepest < block ? deepest : (await chain.confirmed()).number
}

/**
 * The transaction was read before the confirmed block. During a pause in between, a reorganization can have replaced
 * its block.
 *
 * @throws {RoutingError} RPC_FAILED if the chain no longer has that block.
 */
async function assureStands(chain: Pick<ChainClient, 'blockAt'>, { block, blockHash }: MinedTransaction) {
  if ((await chain.blockAt(block))?.hash === blockHash) return
  throw new RoutingError('RPC_FAILED', { cause: new Error('The chain does not have the block of the transaction') })
}

const transfersMax = 500
const readsAtOnce = 16

/**
 * Reads the current state of one transaction, and passes its transfers to the intake as the scanner would. Safe to
 * repeat.
 */
export function readTransaction(ports: Ports) {
  const { chains, accounts, intake, executions, isScanned, isDeposit, unsupported, scannedTo, sweptTo } = ports

  return async (
    chainId: ChainId,
    txHash: Hash,
    detector: Detector,
    wantedBy?: TenantId,
  ): Promise<TransactionOutcome> => {
    const transaction = await chains[chainId].transaction(txHash)
    if (!transaction) return { ...nothing, isMined: false, block: null }
    if (!transaction.succeeded) return { ...nothing, isMined: true, block: transaction.block }
    const { block } = transaction
    const isRescan = wantedBy !== undefined
    const traced = isRescan ? await paidByAnyCall(chainId, txHash) : null
    const coin = traced ?? (await paidDirectly(chainId, txHash, transaction))
    const isTraced = traced !== null
    const ours = await transfersToUs(transaction)
    // Webhooks also report our own routes. These pay us nothing, so the confirmed block is not read for them.
    if (ours.length === 0) return { isMined: true, succeeded: true, block, brought: coin, isTraced }
    const scanned = await scannedTo(chainId)
    // No money moves before its block is scanned, so the scanner's block is recent enough here. A rescan request reads
    // the chain's current block.
    const confirmedNumber = isRescan ? await confirmedFor(block, chains[chainId]) : scanned
    let swept: Promise<number> | null = null
    let check: Promise<void> | null = null

    async function take(transfer: Transfer, account: Holder): Promise<TransferOutcome> {
      const { token } = transfer
      if (!isScanned(chainId, token)) {
        if (!isDeposit(chainId, transfer)) return { account, token, id: null, taken: 'IGNORED' }
        const isWanted = isRescan && isOf(wantedBy, account)
        await unsupported.pointed(chainId, transfer, account, detector, isWanted)
        return { account, token, id: unsupportedIdOf(chainId, account.id, token), taken: 'UNSUPPORTED' }
      }
      const id = depositIdOf(chainId, transfer.txHash, transfer.logIndex)
      if (transfer.block > confirmedNumber)
        return { account, token, id, taken: await intake.seen(chainId, transfer, account, detector) }
      if (!(await executions.load(id))) {
        swept ??= sweptTo(chainId)
        // The sweep might have recorded the transfer under its own id.
        if (transfer.block <= (await swept)) return { account, token, id: null, taken: 'SWEEP' }
        check ??= assureStands(chains[chainId], transaction!)
        await check
      }
      return { account, token, id, taken: await intake.confirmed(chainId, transfer, account, detector) }
    }

    const outcomes = await inParallel(ours, readsAtOnce, ([transfer, account]) => take(transfer, account))
    return { isMined: true, succeeded: true, block, brought: [...outcomes, ...coin], isTraced }
  }

  /** The native coin that any call of the transaction pays to an account; null if no node can trace it. */
  async function paidByAnyCall(chainId: ChainId, txHash: Hash): Promise<TransferOutcome[] | null> {
    const paid = await chains[chainId].nativePaidBy(txHash)
    const holders = paid && (await inParallel(paid, readsAtOnce, (to) => accounts.find(to)))
    return holders && holders.flatMap((account) => (account ? [coinTo(account)] : []))
  }

  /**
   * The native coin that the transaction itself pays. It is read from the node only if the transaction calls an
   * account.
   */
  async function paidDirectly(chainId: ChainId, txHash: Hash, { to }: MinedTransaction): Promise<TransferOutcome[]> {
    const account = to && (await accounts.find(to))
    if (!account || (await chains[chainId].nativeValueOf(txHash)) === 0n) return []
    return [coinTo(account)]
  }

  /**
   * A transaction may carry thousands of logs. If so, only known accounts are processed here, and the scanner reads the
   * rest.
   */
  async function transfersToUs({ transfers }: MinedTransaction): Promise<[Transfer, Holder][]> {
    const few = transfers.length <= transfersMax
    const wanted = transfers.filter(({ to, amountRaw }) => amountRaw > 0n && (few || accounts.has(to)))
    const pairs = await inParallel(wanted, readsAtOnce, async (transfer) => {
      const account = await accounts.find(transfer.to)
      return account && ([transfer, account] satisfies [Transfer, Holder])
    })
    return pairs.filter((one) => one !== null)
  }
}

const coinTo = (account: Holder): TransferOutcome => ({ account, token: zeroAddress, id: null, taken: 'SWEEP' })

type RescanPorts = {
  read: (chainId: ChainId, txHash: Hash, detector: 'SCANNER', wantedBy: TenantId) => Promise<TransactionOutcome>
  sweep: (chainId: ChainId, token: Address, accounts: readonly Address[]) => Promise<SweepResult>
  executions: Pick<Executions, 'ledgerOf' | 'loadMany'>
  unsupported: Pick<UnsupportedDeposits, 'load' | 'routedOf'>
  apart: UnsupportedIntake['apart']
  want: (chainId: ChainId, id: string, isMeasured: boolean) => Promise<string[]>
  /** Whether a node has the transaction in its pool. */
  isPending: (chainId: ChainId, txHash: Hash) => Promise<boolean>
}

type Paying = { txHash: Hash; block: number }
type Settled = { id: string | null; found: RescanOutcome | null }

/**
 * Number of deposits of one transaction that are measured immediately; each costs a dozen requests. The rest are stored
 * as wanted and measured later.
 */
const measuredMax = 20

/** Number of an account's deposits by balance that one query loads. */
const findsAtOnce = 100

/**
 * Handles "my deposit is not showing" by reading the transaction now. Transfers to other organizations are recorded as
 * well, but only the platform's operators see them in the result, and their unlisted tokens are not routed (extensions
 * 3.3; decision 43).
 *
 * @throws {RoutingError} an RPC_ code if the chain cannot be read.
 */
export function rescan({ read, sweep, executions, unsupported, apart, want, isPending }: RescanPorts) {
  async function byTransaction(chainId: ChainId, txHash: Hash, organizationId: TenantId): Promise<RescanResult> {
    const { isMined, succeeded, block, brought, isTraced } = await read(chainId, txHash, 'SCANNER', organizationId)
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
        : await settledOf(chainId, { txHash, block: block! }, one)
      if (isOurs) results.push(settled)
    }
    const ours = results.filter(({ found }) => found !== null)
    const depositIds = [...new Set(ours.flatMap(({ id }) => (id === null ? [] : [id])))]
    for (const outcome of ['DEPOSIT', 'KNOWN', 'TOKEN_NOT_SUPPORTED'] as const)
      if (ours.some((one) => one.found === outcome))
        return { found: outcome, depositIds, ...(!isTraced && { isUntraced: true as const }) }
    return none(isTraced ? 'NO_TRANSFER_TO_US' : 'NOT_TRACED')
  }

  async function settledOf(
    chainId: ChainId,
    paying: Paying,
    { account, token, id, taken }: TransferOutcome,
  ): Promise<Settled> {
    if (taken === 'IGNORED') return { id: null, found: null }
    if (taken !== 'SWEEP') return { id, found: taken === 'STORED' ? 'DEPOSIT' : 'KNOWN' }
    const swept = await sweep(chainId, token, [account.id])
    const isMeasured = swept.block >= paying.block && swept.again.length === 0
    const book = isMeasured ? await executions.ledgerOf(laneId(account.id, chainId, token), swept.block) : null
    // The transfer's block is not deep enough yet, or the sweep could not judge. A later sweep measures it.
    if (!book || book.finds === 0) return { id: null, found: 'DEPOSIT' }
    const idOf = (find: number) => sweptDepositIdOf(chainId, account.id, token, find)
    const find = await findOf(paying, book.finds, idOf)
    return { id: find, found: swept.depositIds.includes(find) ? 'DEPOSIT' : 'KNOWN' }
  }

  /**
   * Returns the id of the swept deposit that contains a transaction: the deposit that names it, or else the first that
   * was measured at its block or later. Later deposits have higher numbers and blocks, so the newest are read first.
   */
  async function findOf({ txHash, block }: Paying, finds: number, idOf: (find: number) => string): Promise<string> {
    let first = idOf(finds)
    for (let newest = finds; newest > 0; newest -= findsAtOnce) {
      const ids = Array.from({ length: Math.min(findsAtOnce, newest) }, (_, n) => idOf(newest - n))
      const loaded = new Map((await executions.loadMany(ids)).map((record) => [record.id, record]))
      const records = ids.flatMap((id) => loaded.get(id) ?? [])
      const later = records.filter(({ deposit }) => deposit.block >= block)
      const named = later.find(({ deposit }) => deposit.paidIn?.includes(txHash))
      if (named) return named.id
      first = later.at(-1)?.id ?? first
      if (later.length < records.length) break
    }
    return first
  }

  /**
   * Requests that an unlisted token's deposit be routed. The balance sweep makes a deposit of it now or later, unless
   * it did so before.
   */
  async function wanted(chainId: ChainId, id: string, isMeasured: boolean): Promise<Settled> {
    const ids = await want(chainId, id, isMeasured)
    if (ids.length > 0) return { id: ids[0]!, found: 'DEPOSIT' }
    const record = await unsupported.load(id)
    if (!record || record.wantedTo !== null) return { id, found: 'DEPOSIT' }
    const [routed] = await unsupported.routedOf([record])
    if (routed?.executionId) return { id: routed.executionId, found: 'KNOWN' }
    return { id, found: 'TOKEN_NOT_SUPPORTED' }
  }

  async function byUnsupported(id: string, organizationId: TenantId): Promise<RescanResult | null> {
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

const none = (outcome: RescanOutcome): RescanResult => ({ found: outcome, depositIds: [] })
