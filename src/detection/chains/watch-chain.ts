import { BehaviorSubject, merge, NEVER, type Observable, Subject } from 'rxjs'
import { type ChainId, chainKeyOf, chainOf } from '../../domain/chain/chain'
import type { Address, Hash } from '../../domain/chain/hex'
import { RoutingError } from '../../domain/error'
import type { Block, ChainClient } from '../../ports/chain-client'
import type { ScanCursor, ScanCursors, Sightings } from '../../ports/detection'
import type { Executions } from '../../ports/executions'
import type { Observations } from '../../ports/observing'
import {
  followHeads,
  type Pace,
  type PollPace,
  pollPace,
  pollRepeatedly,
  type TaskResult,
  throttled,
  type WatchPacing,
} from '../pace'
import type { BalanceSweep } from '../sweeps/sweep-balances'
import { combinedResult, nativeRounds, type SweepRounds, sweepRounds } from '../sweeps/sweep-rounds'
import { isSilentBy, type Lease, overlapOf } from './chain-lease'
import { type Scan, scanBlocks, showSightings } from './scan-blocks'

export type Work = 'scan' | 'sweep' | 'newcomers' | 'unlisted tokens'
export type WatchListeners = {
  onTrouble: (work: Work, error: unknown) => void
  onRecovered: (work: Work) => void
  onReorg: (cursor: ScanCursor, actual: Block) => void
}
type Ports = Scan & {
  store: {
    cursors: ScanCursors
    executions: Executions
    sightings: Sightings
    observations?: Pick<Observations, 'note'> | undefined
  }
  sweeper: BalanceSweep
  scannedTo: () => Promise<number>
  /** Searches for unlisted tokens. */
  unlisted: () => Promise<TaskResult>
  /** Decides which process watches the chain. */
  lease: Lease
  pacing: WatchPacing
  listeners: WatchListeners
  now: () => number
}

/** Interval between two sweeps of one token's balances. They find only money that every other detector missed. */
const tokenEveryMs = 60_000
/** Factor on that interval while the request budget is exhausted. */
const spentFactor = 10
/**
 * Longest pause between two searches for unlisted tokens, in ticks. It is shorter than the delay before another process
 * takes over.
 */
const unlistedRestTicks = 3
const eachTick: Pace = { closeMs: 0, wideMs: 0, spentMs: 0 }
const hotSlackMs = 120_000
/** A scan that stalls for this long is reported. */
const standsMs = 60_000
/** Interval between two records of the sweep's progress, for all processes. */
const signEveryMs = 60_000
const headEveryMs = 30_000
/** Time after an early poll in which polls start with the head. */
const provenMs = 5_000
const newcomersMs = (chainId: ChainId): number =>
  Math.max(10_000, (overlapOf(chainId) + 2) * chainOf(chainId).blockSeconds * 1_000)

export type ChainWatch = ReturnType<typeof watchChain>

/**
 * Watches one chain: scans its blocks, shows unconfirmed transfers, and sweeps balances. One process does so. The
 * others measure the balances that a webhook reported to them, and send that process the blocks with unconfirmed
 * deposits.
 */
export function watchChain(ports: Ports) {
  const { chain, accounts, intake, tokens, store, sweeper, scannedTo, lease, pacing, listeners, now } = ports
  const { cursors, executions, sightings, observations } = store
  const { sweep, sweepEach } = sweeper
  const { fromBlock, sweepEveryMs, unlistedEveryMs } = pacing
  const { onTrouble, onReorg } = listeners
  const scanner = scanBlocks({ chain, accounts, intake, tokens, cursors, executions, now, fromBlock, onReorg })
  const show = showSightings({ chain, accounts, intake, tokens, sightings, executions })
  const hotMs = chain.confirmations * chainOf(chain.chainId).blockSeconds * 1_000 + hotSlackMs
  const rounds = sweepRounds({ sweep, sweepEach, accounts, tokens, scannedTo, now, hotMs })
  const assureMoving = movementCheck({ chain, cursors, now })
  const native = nativeRounds({ chain, accounts }, rounds)
  const noteProgress = progressNotes({ chain, observations, now }, pacing)
  const noteHead = headNotes({ chain, observations, now })
  const pace = paceOf({ chain, accounts, lease, now }, pacing)
  const scanForUnlisted = throttled(ports.unlisted, unlistedEveryMs * unlistedRestTicks, now)
  const scanTriggers = new Subject<void>()
  const sweepTriggers = new Subject<void>()
  const isFollowing = new BehaviorSubject(false)
  let tokensAt = Number.NEGATIVE_INFINITY
  let nativeAt = Number.NEGATIVE_INFINITY
  let read: Hash | null = null
  let earlyAt = Number.NEGATIVE_INFINITY
  let failingSince: number | null = null
  let seen: { head: Block; scannedBlock: number; at: number } | null = null

  async function scanOnce(signal: AbortSignal): Promise<void> {
    pace.begun()
    // The last scanned block proves which chain the node belongs to. The proof need not be repeated for a moment.
    const isProven = now() - earlyAt < provenMs
    const { position, head } = isProven ? { position: null, head: await chain.head() } : await scanner.positionAndHead()
    void noteHead(head).catch((error) => onTrouble('scan', error))
    if (pace.isEarly(head)) {
      earlyAt = now()
      return pace.saw(head, seen?.scannedBlock ?? -1)
    }
    if (head.hash === read) {
      if (seen) seen = { ...seen, at: now() }
      pace.saw(head, seen?.scannedBlock ?? -1)
      return
    }
    const { cursor, ahead } = await scanner.scan(signal, head, position)
    await assureMoving(cursor)
    if (!cursor) return
    seen = { head, scannedBlock: cursor.scannedBlock, at: now() }
    pace.saw(head, cursor.scannedBlock)
    // Named accounts are swept anyway.
    if (pace.isSpared(nativeAt) || (await nativeDue(cursor.scannedBlock))) sweepTriggers.next()
    for (const block of await show(head, cursor.scannedBlock, ahead)) pace.want(block)
    read = head.hash
  }

  /** Whether to read the balances of all accounts, because the scan has advanced. */
  async function nativeDue(scannedBlock: number): Promise<boolean> {
    nativeAt = now()
    return native.isDue(scannedBlock)
  }

  /** Polls the chain if a poll is due and this process holds the lease. */
  async function scanDue(signal: AbortSignal): Promise<TaskResult> {
    const isMine = await lease.hold(pace.wantedBlock)
    isFollowing.next(isMine && pace.isClose())
    if (!isMine) return 'IDLE'
    if (lease.lastRead.wantedBlock > (seen?.scannedBlock ?? -1)) pace.want(lease.lastRead.wantedBlock)
    if (!pace.isDue()) return 'IDLE'
    try {
      await scanOnce(signal)
      failingSince = null
      return 'RESPONDED'
    } catch (error) {
      failingSince ??= now()
      // The cause might be this process, so it leaves the chain to another.
      if (now() - failingSince >= standsMs) {
        failingSince = null
        await lease.giveUp()
      }
      throw error
    } finally {
      pace.ended()
    }
  }

  async function sweepOnce(): Promise<void> {
    await rounds.sweepNamed()
    await rounds.sweepNative()
    await rounds.sweepTokens()
    await noteProgress(rounds)
  }

  /** Sweeps the accounts that are due: all of them with the lease, else the accounts named in this process. */
  async function sweepDue(): Promise<TaskResult> {
    const results = [await rounds.sweepNamed()]
    if (!lease.isHeld()) return combinedResult(results)
    results.push(await native.sweep())
    if (tokensAt + (pacing.pace ? tokenEveryMs * (pacing.isSpent() ? spentFactor : 1) : sweepEveryMs) <= now()) {
      tokensAt = now()
      results.push(await rounds.sweepTokens())
    }
    await noteProgress(rounds)
    return combinedResult(results)
  }

  function run(stopped: Observable<unknown>, signal: AbortSignal): Observable<never> {
    const always = repeating(listeners, stopped)
    return merge(
      followHeads(pacing.newHeads, { isFollowing, stopped, pace, triggers: scanTriggers }),
      always('scan', pacing.scanEveryMs, () => scanDue(signal), scanTriggers),
      always('sweep', sweepEveryMs, sweepDue, sweepTriggers),
      always('unlisted tokens', unlistedEveryMs, async () => (lease.isHeld() && (await scanForUnlisted())) || 'IDLE'),
      always('newcomers', newcomersMs(chain.chainId), () => rounds.sweepNewcomers(lease.isHeld())),
    )
  }

  return {
    run,
    scanDue,
    sweepDue,
    scanOnce,
    sweepOnce,
    scanUnlisted: ports.unlisted,
    sweepNewcomers: () => rounds.sweepNewcomers(true),
    join: rounds.join,
    /** @param block The block of the payment, if known. */
    requestSweep(account: Address, token: Address, block?: number): void {
      rounds.requestSweep(account, token, block)
      sweepTriggers.next()
    },
    /** Makes the process that watches the chain poll as soon as this block is confirmed. */
    async requestScan(block: number): Promise<void> {
      pace.want(block)
      scanTriggers.next()
      if (!lease.isHeld()) await lease.want(block)
    },
    /** Polls the chain immediately if its lease is free. */
    async succeed(): Promise<void> {
      if (await lease.isFree()) scanTriggers.next()
    },
    release: lease.end,
    /** The progress that this process has cached; null before the first scan. */
    get seen() {
      return seen
    },
  }
}

/** Repeats one kind of work at its own interval, until the watch is stopped. */
const repeating =
  ({ onTrouble, onRecovered }: Omit<WatchListeners, 'onReorg'>, stopped: Observable<unknown>) =>
  (
    work: Work,
    everyMs: number,
    run: () => Promise<TaskResult>,
    triggers: Observable<unknown> = NEVER,
  ): Observable<never> =>
    pollRepeatedly({
      everyMs,
      triggers,
      stopped,
      work: run,
      onTrouble: (error) => onTrouble(work, error),
      onRecovered: () => onRecovered(work),
    })

/**
 * Returns a check that fails once the scan no longer advances. Without it, a node that does not have the last scanned
 * block would halt the scan without any error. The check passes while another process's scanner advances.
 */
function movementCheck({ chain, cursors, now }: Timed & { cursors: ScanCursors }) {
  let moved: { to: number | null; at: number } = { to: null, at: now() }

  /** @throws {RoutingError} RPC_FAILED if nothing has moved for a minute. */
  return async (cursor: ScanCursor | null): Promise<void> => {
    const to = (cursor ?? (await cursors.load(chainKeyOf(chain.chainId))))?.scannedBlock ?? null
    if (cursor || to !== moved.to) moved = { to, at: now() }
    if (now() - moved.at <= standsMs) return
    const cause = new Error(`The node does not have block ${to}, the last scanned block`)
    throw new RoutingError('RPC_FAILED', { cause })
  }
}

/** The configured poll interval, or one poll per tick. */
function paceOf(
  { chain, accounts, lease, now }: Pick<Ports, 'chain' | 'accounts' | 'lease' | 'now'>,
  { pace, isFed, isSpent }: WatchPacing,
): PollPace {
  const { chainId, confirmations } = chain
  // Without accounts there is nothing to find.
  const isCovered = () => accounts.size === 0 || (isFed() && !isSilentBy(lease.lastRead))
  return pollPace({ chainId, confirmations, pace: pace ?? eachTick, isFed: isCovered, isSpent, now })
}

type Timed = { chain: ChainClient; now: () => number }
type NotePorts = Timed & { observations: Pick<Observations, 'note'> | undefined }

/** Records once a minute, for all processes, that the sweep makes progress. */
function progressNotes({ chain, observations, now }: NotePorts, { pace, sweepEveryMs }: WatchPacing) {
  const component = { kind: 'SWEEP', chainId: chain.chainId, provider: null, subject: null } as const
  let signedAt = Number.NEGATIVE_INFINITY

  return async (rounds: Pick<SweepRounds, 'isGoingRound'>): Promise<void> => {
    if (
      signedAt + signEveryMs > now() ||
      !rounds.isGoingRound(pace?.spentMs ?? sweepEveryMs, pace ? tokenEveryMs * spentFactor : sweepEveryMs)
    )
      return
    signedAt = now()
    await observations?.note(component, now(), now())
  }
}

/**
 * Records the age of the newest block for all processes, at most twice a minute. Other processes then need not request
 * it.
 */
function headNotes({ chain, observations, now }: NotePorts) {
  const component = { kind: 'HEAD', chainId: chain.chainId, provider: null, subject: null } as const
  let notedAt = Number.NEGATIVE_INFINITY

  return async ({ time }: Block): Promise<void> => {
    if (notedAt + headEveryMs > now()) return
    notedAt = now()
    await observations?.note(component, now(), Math.min(time * 1_000, now()))
  }
}
