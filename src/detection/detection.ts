import { EMPTY, lastValueFrom, merge, NEVER, type Observable, Subject, takeUntil } from 'rxjs'
import { type ChainId, chainKeyOf, perChain } from '../domain/chain/chain'
import type { Address, Hash } from '../domain/chain/hex'
import { type Detector, detectors, type Execution } from '../domain/execution/execution'
import type { TokenList } from '../domain/money/token'
import type { Block, Chains, NewHeads } from '../ports/chain-client'
import type {
  ChainLeases,
  DepositListeners,
  ScanCursor,
  ScanCursors,
  Sightings,
  UnsupportedDeposits,
} from '../ports/detection'
import type { Executions } from '../ports/executions'
import type { Observations } from '../ports/overdue'
import type { IsPriced } from '../ports/prices'
import type { Refunds } from '../ports/refunds'
import type { Accounts } from '../ports/tenants'
import type { Pointers, Wakes } from '../ports/wakes'
import { chainLease, coverageOn, type Lease, lonelyLease, scannedTo as watermarkOf } from './chains/chain-lease'
import { readTransaction, rescan } from './chains/read-transaction'
import { readRange, scannedTokens } from './chains/scan-blocks'
import { type ChainWatch, type Work, watchChain } from './chains/watch-chain'
import { type AddressMap, addressMap } from './intake/address-map'
import { isDepositOn } from './intake/incoming-transfer'
import { type Intake, intake } from './intake/intake'
import { beat, halfBlock, oneBlock, type Pace, withoutIdle } from './pace'
import { sweepBalances } from './sweeps/sweep-balances'
import { unlistedTokens } from './unlisted/unlisted'
import { followPointers } from './webhooks/pointers'

export type DetectionTrouble = { chainId: ChainId | null; work: Work | 'pointers' | 'wake'; error: unknown }
export type DetectionPorts = DepositListeners & {
  chains: Chains
  /** The watched chains: every chain that has a node. */
  watched: readonly ChainId[]
  accounts: Accounts
  executions: Executions
  sightings: Sightings
  unsupported: UnsupportedDeposits
  /** Whether a provider prices an unlisted token; absent if none can be queried. */
  isPriced?: IsPriced
  cursors: ScanCursors
  wakes: Wakes
  /** Null if no webhook can arrive. */
  pointers: Pointers | null
  tokens: TokenList
  now: () => number
  machineVersion: string
  /** Tokens that are scanned in addition to the token list, such as tokens on the security list. */
  alsoScanned?: (chainId: ChainId) => readonly Address[]
  fromBlock?: (chainId: ChainId) => number | null
  /** The leases that decide which process watches a chain, and this process's name; absent if it runs alone. */
  turns?: { leases: ChainLeases; holder: string; leaseMs: (chainId: ChainId) => number } | undefined
  /** The interval between two polls of a chain; absent to poll at every tick of the scan. */
  pace?: Pace | undefined
  /** Whether webhooks report every account on a chain, according to their sender. */
  isFed?: (chainId: ChainId) => boolean
  /** Whether the day's request budget for a chain's nodes is exhausted. Work that can wait then runs less often. */
  isSpent?: (chainId: ChainId) => boolean
  newHeads?: (chainId: ChainId) => NewHeads | null
  scanBeatMs?: (chainId: ChainId) => number
  sweepBeatMs?: (chainId: ChainId) => number
  unlistedBeatMs?: (chainId: ChainId) => number
  /** Recognises money that a bridge returns. */
  refunds?: Refunds
  observations?: Pick<Observations, 'note'>
  isPending?: (chainId: ChainId, txHash: Hash) => Promise<boolean>
  onTrouble: (trouble: DetectionTrouble) => void
  onRecovered: (chainId: ChainId, work: Work) => void
  /** A confirmed block has been replaced by another. */
  onReorg: (chainId: ChainId, cursor: ScanCursor, found: Block) => void
}

/** Search interval for unlisted tokens. Each search costs a request, and these deposits may appear a little later. */
const unlistedMs = 120_000
const accountsMs = 1_000
/** Interval between two reads of all leases, so a chain has no watcher for less than a second. */
const successionMs = 500

export type Detection = ReturnType<typeof createDetection>

/** Finds deposits by webhooks, by scanning blocks and by sweeping balances. Each of the three works alone. */
export function createDetection(ports: DetectionPorts) {
  const { chains, watched, executions, cursors, tokens, onTrouble } = ports
  const accounts = addressMap(ports)
  const leases = perChain((id) => leaseOf(id, ports))
  const onBegun = tellingMissed(leases, ports)
  const taking = intake({ ...ports, onBegun, onTrouble: (error) => onTrouble({ chainId: null, work: 'wake', error }) })
  const scannedTo = watermarkOf(cursors)

  const { of: tokensOf, has: isScanned } = scannedTokens(tokens, ports.alsoScanned)
  const isDeposit = isDepositOn(tokens)
  const parts = { accounts, executions, intake: taking }
  const partsOn = (id: ChainId) => ({ ...parts, chain: chains[id], scannedTo: () => scannedTo(id) })
  const sweepers = perChain((id) =>
    sweepBalances({ ...partsOn(id), onTrouble: (error) => onTrouble({ chainId: id, work: 'sweep', error }) }),
  )
  const sweeps = perChain((id) => sweepers[id].sweep)
  const unlisted = unlistedTokens({
    ...ports,
    ...parts,
    isScanned,
    isDeposit,
    scannedTo,
    sweeps,
    beatMs: unlistedBeatOf(ports),
    onTrouble: (chainId, error) => onTrouble({ chainId, work: 'unlisted tokens', error }),
  })
  const read = readTransaction({ ...parts, chains, isScanned, isDeposit, unsupported: unlisted, scannedTo })
  const ranges = perChain((id) => readRange({ ...partsOn(id), tokens: () => tokensOf(id), sweep: sweeps[id] }))
  const watches = new Map(
    watched.map((id) => [
      id,
      watchOn(id, ports, {
        ...partsOn(id),
        lease: leases[id],
        tokens: () => tokensOf(id),
        ...sweepers[id],
        unlisted: () => unlisted.look(id),
      }),
    ]),
  )
  const again = rescan({
    read,
    executions,
    apart: unlisted.apart,
    want: unlisted.want,
    unsupported: ports.unsupported,
    sweep: (chainId, token, addresses) => sweeps[chainId](token, addresses),
    isPending: ports.isPending ?? (async () => false),
  })

  return {
    /** Every deposit address, and each new one. */
    accounts,
    ...startAndStop(ports, watches, leases, accounts, read),
    rescan: again.byTransaction,
    rescanUnsupported: again.byUnsupported,
    /** Re-reads blocks that were read before. */
    readRange: (chainId: ChainId, fromBlock: number, toBlock: number) => ranges[chainId](fromBlock, toBlock),
    /** The block up to which every logged deposit of a chain is recorded, the same for every process. */
    scannedTo,
    watchOf: (chainId: ChainId) => watches.get(chainId) ?? null,
    /** Whether this process holds the lease of a chain. */
    isWatching: (chainId: ChainId): boolean => leases[chainId].isHeld(),
    /** Figures for the metrics, without any request. */
    metrics: () => ({
      accounts: accounts.size,
      lastSeenAt: lastSeenBy(taking),
      chains: [...watches].flatMap(([chainId, watch]) => progressOf(chainId, watch)),
    }),
    coverageOf: coverageOn(chains, cursors),
  }
}

type Watches = ReadonlyMap<ChainId, ChainWatch>

const unlistedBeatOf = ({ unlistedBeatMs }: DetectionPorts) => unlistedBeatMs ?? (() => unlistedMs)

type WatchParts = Pick<
  Parameters<typeof watchChain>[0],
  'chain' | 'accounts' | 'executions' | 'intake' | 'tokens' | 'sweep' | 'sweepEach' | 'unlisted' | 'lease' | 'scannedTo'
>

/** Watches a chain at its own interval, and names the chain in reports. */
function watchOn(chainId: ChainId, ports: DetectionPorts, parts: WatchParts): ChainWatch {
  return watchChain({
    ...ports,
    ...parts,
    fromBlock: ports.fromBlock?.(chainId) ?? null,
    pace: ports.pace ?? null,
    isFed: () => ports.isFed?.(chainId) ?? false,
    isSpent: () => ports.isSpent?.(chainId) ?? false,
    newHeads: ports.newHeads?.(chainId) ?? null,
    scanBeatMs: (ports.scanBeatMs ?? halfBlock)(chainId),
    sweepBeatMs: (ports.sweepBeatMs ?? oneBlock)(chainId),
    unlistedBeatMs: unlistedBeatOf(ports)(chainId),
    onTrouble: (work, error) => ports.onTrouble({ chainId, work, error }),
    onRecovered: (work) => ports.onRecovered(chainId, work),
    onReorg: (cursor, found) => ports.onReorg(chainId, cursor, found),
  })
}

/** Runs all watches, and follows the transactions that webhooks point to. */
function startAndStop(
  ports: DetectionPorts,
  watches: Watches,
  leases: Record<ChainId, Lease>,
  accounts: AddressMap,
  read: ReturnType<typeof readTransaction>,
) {
  const { pointers, telemetry, onTrouble } = ports
  const stopped = new Subject<void>()
  const stopping = new AbortController()
  let running: Promise<unknown> = Promise.resolve()

  async function release(): Promise<void> {
    const released = [...watches].map(([chainId, watch]) =>
      watch.release().catch((error) => onTrouble({ chainId, work: 'scan', error })),
    )
    await Promise.all(released)
  }

  return {
    start(): void {
      const follow = pointers
        ? followPointers({
            pointers,
            read,
            requestSweep: (chainId, account, token, block) => watches.get(chainId)?.requestSweep(account, token, block),
            async requestScan(chainId, block) {
              await watches.get(chainId)?.requestScan(block)
              if (ports.pace && ports.isFed?.(chainId)) await leases[chainId].notePointed()
            },
            onTrouble: (chainId, error) => onTrouble({ chainId, work: 'pointers', error }),
            telemetry,
          })
        : EMPTY
      accounts.joined.pipe(takeUntil(stopped)).subscribe((joined) => {
        for (const watch of watches.values()) watch.join(joined)
      })
      const beats = [...watches.values()].map((watch) => watch.run(stopped, stopping.signal))
      if (ports.pace) beats.push(refreshing(ports, accounts, stopped))
      if (ports.turns) beats.push(succeeding(ports, watches, stopped))
      running = lastValueFrom(merge(...beats, follow.pipe(takeUntil(stopped))), { defaultValue: null })
      running.catch((error) => onTrouble({ chainId: null, work: 'pointers', error }))
    },
    /** Leaves the chains to other processes immediately, and resolves when the work under way has ended. */
    async stop(): Promise<void> {
      stopping.abort()
      stopped.next()
      await release()
      await running.catch(() => {})
      await release() // leases taken just before
    },
  }
}

/** Loads new accounts often, even if the chains are rarely polled, because webhooks need their addresses. */
const refreshing = ({ onTrouble }: DetectionPorts, accounts: AddressMap, stopped: Observable<unknown>) =>
  beat({
    everyMs: accountsMs,
    triggers: NEVER,
    stopped,
    work: withoutIdle(accounts.refresh),
    onTrouble: (error) => onTrouble({ chainId: null, work: 'pointers', error }),
    onRecovered: () => {},
  })

/** Takes over the chains of another process soon after it stopped or died, even if the chains are rarely polled. */
const succeeding = ({ onTrouble }: DetectionPorts, watches: Watches, stopped: Observable<unknown>) =>
  beat({
    everyMs: successionMs,
    triggers: NEVER,
    stopped,
    work: withoutIdle(() => Promise.all([...watches.values()].map((watch) => watch.succeed()))),
    onTrouble: (error) => onTrouble({ chainId: null, work: 'scan', error }),
    onRecovered: () => {},
  })

const leaseOf = (chainId: ChainId, { turns, now }: DetectionPorts): Lease =>
  turns ? chainLease({ ...turns, chainId, leaseMs: turns.leaseMs(chainId), now }) : lonelyLease(chainId, now)

/**
 * Records, for the poll interval, that webhooks missed a deposit: only the scanner saw it, although they report every
 * account.
 */
function tellingMissed(leases: Record<ChainId, Lease>, { onBegun, isFed, pace, onTrouble }: DetectionPorts) {
  return (execution: Execution): void => {
    onBegun?.(execution)
    const { chainId, detectedBy } = execution.deposit
    const isMissed = detectedBy.includes('SCANNER') && !detectedBy.includes('WEBHOOK')
    if (!isMissed || !pace || !isFed?.(chainId)) return
    leases[chainId].noteMissed().catch((error) => onTrouble({ chainId, work: 'scan', error }))
  }
}

type LastSeen = Record<Detector, number | null>
const lastSeenBy = (taking: Intake): LastSeen =>
  Object.fromEntries(detectors.map((detector) => [detector, taking.lastSeenAt(detector)])) as LastSeen

/** How far a watch has come; empty before its first scan. */
function progressOf(chainId: ChainId, { seen }: ChainWatch) {
  if (!seen) return []
  const { head, scannedBlock, at } = seen
  const [chainKey, headBlock] = [chainKeyOf(chainId), head.number]
  return [{ chainId, chainKey, scannedBlock, headBlock, lagBlocks: headBlock - scannedBlock, at }]
}
