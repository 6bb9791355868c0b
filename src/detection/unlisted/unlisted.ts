import { BoundedMap } from '../../domain/bounded-map'
import { type ChainId, chainKeyOf, perChain } from '../../domain/chain/chain'
import type { Address } from '../../domain/chain/hex'
import { inParallel } from '../../domain/concurrency'
import { RoutingError } from '../../domain/error'
import type { ChainClient, Chains, Transfer } from '../../ports/chain-client'
import type { ScanCursor, ScanCursors, UnsupportedDeposits } from '../../ports/detection'
import type { IsPriced } from '../../ports/prices'
import { sweepFloor } from '../chains/chain-lease'
import { rangeSize } from '../chains/scan-blocks'
import type { AddressMap } from '../intake/address-map'
import type { TaskResult } from '../pace'
import type { BalanceSweep } from '../sweeps/sweep-balances'
import {
  type PricedTokens,
  tendUnsupported,
  type UnlistedArrival,
  type UnsupportedIntake,
  unsupportedIntake,
} from './unsupported'

type Ports = {
  chains: Chains
  accounts: AddressMap
  cursors: ScanCursors
  unsupported: UnsupportedDeposits
  isDeposit: (chainId: ChainId, transfer: Transfer) => boolean
  isScanned: (chainId: ChainId, token: Address) => boolean
  scannedTo: (chainId: ChainId) => Promise<number>
  sweeps: Record<ChainId, BalanceSweep['sweep']>
  isPriced?: IsPriced | undefined
  tickMs: (chainId: ChainId) => number
  now: () => number
  onTrouble: (chainId: ChainId, error: unknown) => void
}

/**
 * Finds transfers of unlisted tokens and keeps their records current. They are recorded, and routed on request or if a
 * provider prices the token.
 */
export function unlistedTokens({
  chains,
  accounts,
  cursors,
  unsupported,
  isScanned,
  isDeposit,
  scannedTo,
  sweeps,
  isPriced,
  tickMs,
  now,
  onTrouble,
}: Ports) {
  const priced = pricedTokens({ isPriced: isPriced ?? (async () => null), now })
  const intake = unsupportedIntake({ unsupported, priced, now })
  const parts = perChain((chainId) => {
    const chain = chains[chainId]
    const noteTrouble = (error: unknown) => onTrouble(chainId, error)
    const scan = scanUnlisted({
      chain,
      accounts,
      cursors,
      intake,
      isUnlisted: (transfer) => isDeposit(chainId, transfer) && !isScanned(chainId, transfer.token),
      scannedTo: () => scannedTo(chainId),
      now,
      tickMs: tickMs(chainId),
      onTrouble: noteTrouble,
    })
    const sweep = sweeps[chainId]
    const tending = tendUnsupported({ chain, unsupported, intake, priced, sweep, now, onTrouble: noteTrouble })
    return { scan, tending }
  })

  return {
    pointed: intake.pointed,
    apart: intake.apart,
    want: (chainId: ChainId, id: string, isMeasured: boolean) => parts[chainId].tending.want(id, isMeasured),
    /** Does the work of one tick on a chain. */
    async poll(chainId: ChainId): Promise<TaskResult> {
      const { scan, tending } = parts[chainId]
      const { result, roundTo } = await scan.step()
      if (roundTo !== null) await tending.settlePointed(roundTo)
      if (scan.isOurTurn) await tending.tend()
      return result
    },
  }
}

type ScanPorts = {
  chain: ChainClient
  accounts: AddressMap
  cursors: ScanCursors
  intake: Pick<UnsupportedIntake, 'counted'>
  isUnlisted: (transfer: Transfer) => boolean
  scannedTo: () => Promise<number>
  now: () => number
  tickMs: number
  /** Called if not even one block of one account can be read. That block is then skipped. */
  onTrouble: (error: unknown) => void
}

/** Number of recipients that nodes accept in one filter. */
const accountsMax = 1_000
/**
 * A process that has not moved the cursor for this many ticks counts as stopped, and its work passes to another
 * process.
 */
const ticksPatience = 5
const findsAtOnce = 64
/**
 * An address that never receives payments, used to test a node: a healthy node responds immediately with an empty list.
 */
const nobody: Address = `0x${'f'.repeat(39)}e`

const idle = { result: 'IDLE', roundTo: null } as const

/** `width` is the number of accounts from `place` on whose blocks before `at` were all read; unlimited at the start. */
type Round = { cursor: ScanCursor; from: number; to: number; place: number; at: number; width: number }

/**
 * Finds transfers of unlisted tokens, which the scan of listed tokens cannot see, by querying their recipients. It
 * makes at most one request per tick, and one process does it for all: for a thousand accounts at a time, over the
 * blocks since the last round. The cursor moves once all accounts have been queried.
 */
function scanUnlisted(ports: ScanPorts) {
  const { chain, accounts, intake, scannedTo, tickMs } = ports
  const { chainId } = chain
  const turns = turnsAt(`${chainKeyOf(chainId)}:any`, ports)
  const reader = recipientReader(ports)
  let round: Round | null = null

  async function begin(cursor: ScanCursor, floor: number): Promise<Round | null> {
    if (cursor.scannedBlock >= floor) return null
    await accounts.refresh()
    const from = cursor.scannedBlock + 1
    return { cursor, from, to: floor, place: 0, at: from, width: Number.POSITIVE_INFINITY }
  }

  return {
    /** Whether this process scanned at its last read of the cursor. */
    get isOurTurn() {
      return turns.isOurs
    },
    /**
     * Makes at most one request to the node.
     *
     * @returns Whether the node responded, and the last block of a round that has just ended, else null.
     */
    async step(): Promise<{ result: TaskResult; roundTo: number | null }> {
      const [confirmed, scanned] = await Promise.all([chain.confirmedNumber(tickMs), scannedTo()])
      const floor = Math.max(-1, Math.min(confirmed, sweepFloor(chainId, scanned)))
      const turn = await turns.take(floor)
      if (!turn) return idle
      const { cursor, isUninterrupted } = turn
      if (!isUninterrupted) round = null
      round = round ? { ...round, cursor } : await begin(cursor, floor)
      if (!round) return { result: 'RESPONDED', roundTo: null }
      const { from, to, place, at, width } = round
      const recipients = accounts.slice(place, place + Math.min(reader.recipientsMax, width))
      const last = Math.min(to, at + reader.blocksMax - 1)
      const transfers = await reader.read(recipients, at, last)
      if (!transfers) return idle
      await intake.counted(chainId, await broughtBy(transfers, ports), last)
      const isPlaceRead = last === to
      round = isPlaceRead
        ? { ...round, at: from, place: place + recipients.length, width: Number.POSITIVE_INFINITY }
        : { ...round, at: last + 1, width: recipients.length }
      if (round.place < accounts.size) return { result: 'RESPONDED', roundTo: null }
      round = null
      return { result: 'RESPONDED', roundTo: (await turns.move(cursor, to)) ? to : null }
    },
  }
}

/** Decides which process scans: the last writer of the cursor, until its write is too old. */
function turnsAt(id: string, { cursors, now, tickMs }: ScanPorts) {
  let mine: number | null = null

  async function move(cursor: ScanCursor, scannedBlock: number): Promise<ScanCursor | null> {
    const moved = await cursors.save({ ...cursor, scannedBlock, updatedAt: now() })
    mine = moved?.version ?? null
    return moved
  }

  /**
   * Acquires or renews the scan. Returns null while another process scans. `isUninterrupted` means that only this
   * process has scanned since it last moved the cursor.
   */
  async function take(floor: number): Promise<{ cursor: ScanCursor; isUninterrupted: boolean } | null> {
    const cursor = await cursors.load(id)
    if (cursor && cursor.version !== mine && cursor.updatedAt + ticksPatience * tickMs > now()) {
      mine = null
      return null
    }
    const isUninterrupted = cursor !== null && cursor.version === mine
    const begun: ScanCursor = { id, version: 0, scannedBlock: floor, scannedBlockHash: '0x', updatedAt: 0 }
    const moved = await move(cursor ?? begun, (cursor ?? begun).scannedBlock)
    return moved && { cursor: moved, isUninterrupted }
  }

  return {
    take,
    move,
    get isOurs() {
      return mine !== null
    },
  }
}

/** Reads the transfers to recipients, by requests that grow and shrink to fit the node. */
function recipientReader({ chain, onTrouble }: ScanPorts) {
  const range = rangeSize()
  let batchSize = accountsMax

  /** Returns null if the node could not handle the request. The next request is then smaller. */
  async function read(recipients: readonly Address[], from: number, to: number): Promise<Transfer[] | null> {
    try {
      const transfers = await chain.transfersTo(recipients, from, to)
      range.worked(transfers.length)
      batchSize = Math.min(accountsMax, batchSize * 2)
      return transfers
    } catch (error) {
      if (range.refused(error)) return null
      if (!(error instanceof RoutingError) || error.code !== 'RPC_FAILED') throw error
      if (recipients.length > 1) batchSize = Math.ceil(recipients.length / 2)
      if (recipients.length > 1) return null
      await chain.transfersTo([nobody], from, to) // throws if the node itself is unhealthy
      onTrouble(error)
      return []
    }
  }

  return {
    read,
    get recipientsMax() {
      return batchSize
    },
    get blocksMax() {
      return range.blocks
    },
  }
}

async function broughtBy(
  transfers: readonly Transfer[],
  { isUnlisted, accounts }: ScanPorts,
): Promise<UnlistedArrival[]> {
  const to = Map.groupBy(transfers.filter(isUnlisted), (transfer) => transfer.to)
  const matches = await inParallel(to, findsAtOnce, async ([address, transfers]) => {
    const account = await accounts.find(address)
    return account && { account, transfers }
  })
  return matches.filter((one) => one !== null)
}

type PricePorts = { isPriced: IsPriced; now: () => number }

/**
 * Number of price queries in this time, however many tokens arrive. Anyone can create tokens, and each query uses part
 * of a provider's rate limit.
 */
const queriesMax = 5
const everyMs = 20_000
const [freshMs, rememberedMax, atOnce] = [60 * 60_000, 10_000, 2]

/** Caches which unlisted tokens a provider prices. It queries each token rarely, and few tokens at a time. */
function pricedTokens({ isPriced, now }: PricePorts): PricedTokens {
  const answers = new BoundedMap<string, { isPriced: boolean; at: number }>(rememberedMax)
  const keyOf = (chainId: ChainId, token: Address) => `${chainId}:${token}`.toLowerCase()
  let since = Number.NEGATIVE_INFINITY
  let queries = 0

  function cached(chainId: ChainId, token: Address): boolean | null {
    const answer = answers.get(keyOf(chainId, token))
    return answer && now() - answer.at < freshMs ? answer.isPriced : null
  }

  /** Whether one more query is allowed. The call counts as a query. */
  function mayAsk(): boolean {
    if (now() - since >= everyMs) [since, queries] = [now(), 0]
    return queries++ < queriesMax
  }

  return {
    cached,
    async ask(chainId, tokens) {
      const unknown = [...new Set(tokens)].filter((token) => cached(chainId, token) === null)
      const few = unknown.filter((_, n) => n < queriesMax && mayAsk())
      await inParallel(few, atOnce, async (token) => {
        const said = await isPriced(chainId, token)
        if (said !== null) answers.set(keyOf(chainId, token), { isPriced: said, at: now() })
      })
      return few
    },
  }
}
