import { EMPTY, lastValueFrom, merge, NEVER, type Observable, Subject, takeUntil } from 'rxjs'
import { type ChainId, chainKeyOf, perChain } from '../domain/chain/chain'
import type { Address, Hash } from '../domain/chain/hex'
import { type Detector, detectors, type Execution } from '../domain/execution/execution'
import type { TokenList } from '../domain/money/token'
import type { Block, Chains } from '../ports/chain-client'
import type {
  ChainLeases,
  DepositListeners,
  Refunds,
  ScanCursor,
  ScanCursors,
  Sightings,
  UnsupportedDeposits,
} from '../ports/detection'
import type { Executions } from '../ports/executions'
import type { Observations } from '../ports/observing'
import type { IsPriced } from '../ports/prices'
import type { Accounts } from '../ports/tenants'
import type { Pointers, Wakes } from '../ports/wakes'
import {
  chainLease,
  coverageOn,
  isScanCurrent,
  type Lease,
  lonelyLease,
  sweptTo,
  scannedTo as watermarkOf,
} from './chains/chain-lease'
import { readTransaction, rescan } from './chains/read-transaction'
import { readRange, scannedTokens } from './chains/scan-blocks'
import { type ChainWatch, type WatchListeners, type Work, watchChain } from './chains/watch-chain'
import { type AddressMap, addressMap } from './intake/address-map'
import { isDepositOn } from './intake/incoming-transfer'
import { type Intake, intake } from './intake/intake'
import { type Pacing, pacingOn, pollRepeatedly, unlistedPollMsOf, withoutIdle } from './pace'
import { sweepBalances } from './sweeps/sweep-balances'
import { unlistedTokens } from './unlisted/unlisted'
import { followPointers } from './webhooks/pointers'

export type DetectionTrouble = { chainId: ChainId | null; work: Work | 'pointers' | 'wake'; error: unknown }
export type DetectionPorts = {
  store: {
    accounts: Accounts
    executions: Executions
    sightings: Sightings
    unsupported: UnsupportedDeposits
    cursors: ScanCursors
    observations?: Pick<Observations, 'note'> | undefined
  }
  chains: Chains
  /** The watched chains: every chain that has a node. */
  watched: readonly ChainId[]
  tokens: {
    listed: TokenList
    /** Whether a provider prices an unlisted token; absent if none can be queried. */
    isPriced?: IsPriced | undefined
    /** Tokens that are scanned in addition to the token list, such as tokens on the security list. */
    alsoScanned?: ((chainId: ChainId) => readonly Address[]) | undefined
  }
  messages: {
    wakes: Wakes
    /** Null if no webhook can arrive. */
    pointers: Pointers | null
  }
  /** The leases that decide which process watches a chain, and this process's name; absent if it runs alone. */
  turns?: { leases: ChainLeases; holder: string; leaseMs: (chainId: ChainId) => number } | undefined
  pacing: Pacing
  listeners: Listeners
  /** Recognises money that a bridge returns. */
  refunds?: Refunds | undefined
  isPending?: ((chainId: ChainId, txHash: Hash) => Promise<boolean>) | undefined
  machineVersion: string
  now: () => number
}

type Listeners = DepositListeners & {
  onTrouble: (trouble: DetectionTrouble) => void
  onRecovered: (chainId: ChainId, work: Work) => void
  /** A confirmed block has been replaced by another. */
  onReorg: (chainId: ChainId, cursor: ScanCursor, actual: Block) => void
}

const accountsMs = 1_000
/** Interval between two reads of all leases, so a chain has no watcher for less than a second. */
const successionMs = 500

export type Detection = ReturnType<typeof createDetection>

/** Finds deposits by webhooks, by scanning blocks and by sweeping balances. Each of the three works alone. */
export function createDetection(ports: DetectionPorts) {
  const { store, chains, watched, messages, turns, pacing, listeners, now } = ports
  const { executions, unsupported, cursors } = store
  const { listed: tokens, isPriced, alsoScanned } = ports.tokens
  const { onTrouble } = listeners
  const accounts = addressMap({ accounts: store.accounts, now })
  const leases = perChain((id) =>
    turns ? chainLease({ ...turns, leaseMs: turns.leaseMs(id), chainId: id, now }) : lonelyLease(id, now),
  )
  const taking = intakeOf(ports, tellingMissed(leases, listeners, pacing))
  const scannedTo = watermarkOf(cursors)

  const { of: tokensOf, has: isScanned } = scannedTokens(tokens, alsoScanned)
  const isDeposit = isDepositOn(tokens)
  const seeing = { accounts, executions, intake: taking }
  const isCurrentOn = isScanCurrent(cursors)
  const scanOn = (id: ChainId) => ({ scannedTo: () => scannedTo(id), isScanCurrent: () => isCurrentOn(chains[id]) })
  const seeingOn = (id: ChainId) => ({ ...seeing, ...scanOn(id), chain: chains[id] })
  const sweepers = perChain((id) =>
    sweepBalances({ ...seeingOn(id), onTrouble: (error) => onTrouble({ chainId: id, work: 'sweep', error }) }),
  )
  const sweeps = perChain((id) => sweepers[id].sweep)
  const unlisted = unlistedTokens({
    chains,
    accounts,
    cursors,
    unsupported,
    isScanned,
    isDeposit,
    scannedTo,
    sweeps,
    isPriced,
    tickMs: (id) => unlistedPollMsOf(id, pacing),
    now,
    onTrouble: (chainId, error) => onTrouble({ chainId, work: 'unlisted tokens', error }),
  })
  const read = readTransaction({
    ...{ ...seeing, chains, isScanned, isDeposit, unsupported: unlisted, scannedTo },
    sweptTo: sweptTo(cursors),
  })
  const ranges = perChain((id) =>
    readRange({ ...seeingOn(id), cursors, tokens: () => tokensOf(id), sweep: sweeps[id] }),
  )
  const watchOn = (id: ChainId): ChainWatch =>
    watchChain({
      ...seeingOn(id),
      tokens: () => tokensOf(id),
      store,
      sweeper: sweepers[id],
      unlisted: () => unlisted.poll(id),
      lease: leases[id],
      pacing: pacingOn(id, pacing),
      listeners: listenersOn(id, listeners),
      now,
    })
  const watches = new Map(watched.map((id) => [id, watchOn(id)]))
  const again = rescan({
    read,
    executions,
    apart: unlisted.apart,
    want: unlisted.want,
    unsupported,
    sweep: (chainId, token, addresses) => sweeps[chainId](token, addresses),
    isPending: ports.isPending ?? (async () => false),
  })

  return {
    /** Every deposit address, and each new one. */
    accounts,
    ...startAndStop({ pointers: messages.pointers, watches, leases, accounts, read, listeners, turns, pacing }),
    rescan: again.byTransaction,
    rescanUnsupported: again.byUnsupported,
    readRange: (chainId: ChainId, fromBlock: number, toBlock: number) => ranges[chainId](fromBlock, toBlock),
    /** The block up to which every logged deposit of a chain is recorded, the same for every process. */
    scannedTo,
    watchOf: (chainId: ChainId) => watches.get(chainId) ?? null,
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

/** The intake that every detector passes its transfers to. */
function intakeOf(
  { store, chains, tokens, messages, listeners, refunds, machineVersion, now }: DetectionPorts,
  onBegun: (execution: Execution) => void,
): Intake {
  const { onSeen, telemetry, onTrouble } = listeners
  return intake({
    executions: store.executions,
    sightings: store.sightings,
    wakes: messages.wakes,
    tokens: tokens.listed,
    chains,
    refunds,
    machineVersion,
    now,
    onSeen,
    onBegun,
    onTrouble: (error) => onTrouble({ chainId: null, work: 'wake', error }),
    telemetry,
  })
}

type Watches = ReadonlyMap<ChainId, ChainWatch>

/** Names the chain in reports. */
const listenersOn = (chainId: ChainId, { onTrouble, onRecovered, onReorg }: Listeners): WatchListeners => ({
  onTrouble: (work, error) => onTrouble({ chainId, work, error }),
  onRecovered: (work) => onRecovered(chainId, work),
  onReorg: (cursor, actual) => onReorg(chainId, cursor, actual),
})

type Running = Pick<DetectionPorts, 'listeners' | 'pacing' | 'turns'> & {
  pointers: Pointers | null
  watches: Watches
  leases: Record<ChainId, Lease>
  accounts: AddressMap
  read: ReturnType<typeof readTransaction>
}

/** Runs all watches, and follows the transactions that webhooks point to. */
function startAndStop({ pointers, watches, leases, accounts, read, listeners, turns, pacing }: Running) {
  const { telemetry, onTrouble } = listeners
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
              if (pacing.pace && pacing.isFed?.(chainId)) await leases[chainId].notePointed()
            },
            onTrouble: (chainId, error) => onTrouble({ chainId, work: 'pointers', error }),
            telemetry,
          })
        : EMPTY
      accounts.joined.pipe(takeUntil(stopped)).subscribe((joined) => {
        for (const watch of watches.values()) watch.join(joined)
      })
      const tasks = [...watches.values()].map((watch) => watch.run(stopped, stopping.signal))
      if (pacing.pace) tasks.push(refreshing(onTrouble, accounts, stopped))
      if (turns) tasks.push(succeeding(onTrouble, watches, stopped))
      running = lastValueFrom(merge(...tasks, follow.pipe(takeUntil(stopped))), { defaultValue: null })
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
const refreshing = (onTrouble: Listeners['onTrouble'], accounts: AddressMap, stopped: Observable<unknown>) =>
  pollRepeatedly({
    everyMs: accountsMs,
    triggers: NEVER,
    stopped,
    work: withoutIdle(accounts.refresh),
    onTrouble: (error) => onTrouble({ chainId: null, work: 'pointers', error }),
    onRecovered: () => {},
  })

/** Takes over the chains of another process soon after it stopped or died, even if the chains are rarely polled. */
const succeeding = (onTrouble: Listeners['onTrouble'], watches: Watches, stopped: Observable<unknown>) =>
  pollRepeatedly({
    everyMs: successionMs,
    triggers: NEVER,
    stopped,
    work: withoutIdle(() => Promise.all([...watches.values()].map((watch) => watch.succeed()))),
    onTrouble: (error) => onTrouble({ chainId: null, work: 'scan', error }),
    onRecovered: () => {},
  })

/**
 * Records, for the poll interval, that webhooks missed a deposit: only the scanner saw it, although they report every
 * account.
 */
function tellingMissed(leases: Record<ChainId, Lease>, { onBegun, onTrouble }: Listeners, { isFed, pace }: Pacing) {
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
