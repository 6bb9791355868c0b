import {
  distinctUntilChanged,
  EMPTY,
  ignoreElements,
  type Observable,
  type Subject,
  switchMap,
  takeUntil,
  tap,
} from 'rxjs'
import { type ChainId, chainOf } from '../domain/chain/chain'
import { RoutingError } from '../domain/error'
import { rounds } from '../domain/repeat'
import type { Block, NewHeads } from '../ports/chain-client'

/** The result of a task: RESPONDED if a node responded, IDLE if there was nothing to request. */
export type TaskResult = 'RESPONDED' | 'IDLE'

/** Wraps work that is never idle. */
export const withoutIdle = (work: () => Promise<unknown>) => async (): Promise<TaskResult> => {
  await work()
  return 'RESPONDED'
}

type Polling = {
  everyMs: number
  /** Starts the work without waiting for the next tick. Ignored while the work runs; the next tick follows. */
  triggers: Observable<unknown>
  stopped: Observable<unknown>
  work: () => Promise<TaskResult>
  /** Called once when the work starts to fail, and again for each different kind of failure. */
  onTrouble: (error: unknown) => void
  /** Called once when failed work returns RESPONDED again. IDLE proves nothing. */
  onRecovered: () => void
}

/** Repeats work, without overlap. A failure costs only one tick. */
export function pollRepeatedly({
  everyMs,
  triggers,
  stopped,
  work,
  onTrouble,
  onRecovered,
}: Polling): Observable<never> {
  let trouble: string | null = null
  const noteTrouble = (error: unknown): void => {
    const kind = kindOf(error)
    if (kind !== trouble) onTrouble(error)
    trouble = kind
  }
  async function noted(): Promise<void> {
    if ((await work()) === 'IDLE') return
    if (trouble !== null) onRecovered()
    trouble = null
  }
  return rounds({ everyMs, triggers, work: noted, onTrouble: noteTrouble }, stopped).pipe(ignoreElements())
}

/**
 * Throttles background work to a tenth of the process's time: after each run, calls are skipped for nine times its
 * duration.
 *
 * @param mostMs Longest pause.
 */
export function throttled<Result>(work: () => Promise<Result>, mostMs: number, now: () => number) {
  let until = Number.NEGATIVE_INFINITY

  return async (): Promise<Result | null> => {
    if (now() < until) return null
    const began = now()
    try {
      return await work()
    } finally {
      until = now() + Math.min(9 * (now() - began), mostMs)
    }
  }
}

const kindOf = (error: unknown): string =>
  error instanceof RoutingError ? error.code : error instanceof Error ? error.name : 'unknown'

const bounded = (ms: number, least: number, most: number): number => Math.min(Math.max(ms, least), most)
export const halfBlock = (chainId: ChainId): number => bounded(chainOf(chainId).blockSeconds * 500, 250, 1_000)
export const oneBlock = (chainId: ChainId): number => bounded(chainOf(chainId).blockSeconds * 1_000, 1_000, 5_000)

/**
 * The interval between two polls of a chain. `closeMs` applies while only polls find deposits. `wideMs` applies while
 * webhooks find them and polls only prove that none was missed. `spentMs` replaces `wideMs` once the budget is
 * exhausted.
 */
export type Pace = { closeMs: number; wideMs: number; spentMs: number }

type PollPorts = {
  chainId: ChainId
  confirmations: number
  pace: Pace
  /** Whether webhooks report payments. */
  isFed: () => boolean
  /** Whether the request budget is exhausted. It does not slow down polls if they alone find deposits. */
  isSpent: () => boolean
  now: () => number
}

/** Shortest interval between two polls for the confirmation of a block. */
const leastMs = 1_000
const wantedMax = 1_000
/** After this many blocks without a pushed head, the chain is polled without them. */
const silentBlocks = 2
/**
 * Pause after a poll, as a multiple of its duration, up to `leastMs`. An overloaded process, or one with a slow node,
 * then spends at most a third of its time on polls.
 */
const restFactor = 2

export type PollPace = ReturnType<typeof pollPace>

/**
 * Decides when to poll a chain next: after an interval that depends on the webhooks, or earlier, when a block with a
 * recorded deposit should be confirmed. The time per block is learned from the chain itself.
 */
export function pollPace({ chainId, confirmations, pace, isFed, isSpent, now }: PollPorts) {
  const wanted = new Set<number>()
  let lookedAt = Number.NEGATIVE_INFINITY
  /** When the head was last read, for a full poll or to check whether a wanted block is confirmed. */
  let headReadAt = Number.NEGATIVE_INFINITY
  /** Nothing is due until this time, because the last poll took long. */
  let restsUntil = Number.NEGATIVE_INFINITY
  let isForWanted = false
  let isRequested = true
  let head: { number: number; time: number; at: number } | null = null
  let blockMs = chainOf(chainId).blockSeconds * 1_000
  let highestWanted = 0
  /** The last pushed block number above the head that was read last, and its time. */
  let pushed = { number: -1, at: Number.NEGATIVE_INFINITY }

  /**
   * Whether pushed heads decide when to poll the chain. They do so only while they announce unread blocks. If a
   * subscription sends wrong heads, lags or falls silent, polls return to their usual interval.
   */
  const isPushing = (): boolean => now() - pushed.at <= silentBlocks * blockMs + leastMs

  /** When the earliest wanted block should be confirmed. */
  function confirmedAt(): number {
    if (wanted.size === 0) return Number.POSITIVE_INFINITY
    if (isPushing()) return pushed.number >= neededHead() ? headReadAt + leastMs : Number.POSITIVE_INFINITY
    const missing = head === null ? 0 : Math.max(0, neededHead() - head.number)
    return Math.max(headReadAt + leastMs, (head?.at ?? now()) + missing * blockMs)
  }

  /** The head that confirms the earliest wanted block. */
  const neededHead = (): number => Math.min(...wanted) + confirmations - 1

  const restMs = (): number => (!isFed() ? pace.closeMs : isSpent() ? pace.spentMs : pace.wideMs)

  /** Whether a poll is due, regardless of wanted blocks. */
  function isRestOver(): boolean {
    if (isRequested) return true
    const restedAt = lookedAt + restMs()
    if (isFed()) return now() >= restedAt
    const isNews = pushed.at >= restedAt && pushed.number > (head?.number ?? -1)
    return now() >= restedAt && (isNews || !isPushing())
  }

  /** Learns the time per block from the blocks' timestamps, which are in whole seconds. */
  function learn({ number, time }: Block): void {
    const [blocks, seconds] = head === null ? [0, 0] : [number - head.number, time - head.time]
    if (blocks > 0 && seconds > 0) blockMs = (seconds * 1_000) / blocks
  }

  return {
    isDue: (): boolean => now() >= restsUntil && (isRestOver() || now() >= confirmedAt()),
    /** Whether polls alone find deposits, which makes pushed heads useful. */
    isClose: (): boolean => !isFed(),
    /** Stores a head that a node pushed. It can trigger a poll but proves nothing. */
    pushed(number: number | null): void {
      if (number === null) pushed = { number: -1, at: Number.NEGATIVE_INFINITY }
      else if (number > Math.max(head?.number ?? -1, pushed.number)) pushed = { number, at: now() }
    },
    requestPoll(): void {
      isRequested = true
    },
    /** Requests a poll at the time when this block should be confirmed. */
    want(block: number): void {
      if (wanted.size < wantedMax) wanted.add(block)
      highestWanted = Math.max(highestWanted, block)
    },
    /** The highest block that this process requested a poll for. */
    get wantedBlock() {
      return highestWanted
    },
    /** Records that a poll starts. After a failure the next poll comes no sooner than after a success. */
    begun(): void {
      isForWanted = !isRestOver()
      headReadAt = now()
      if (isForWanted) return
      lookedAt = headReadAt
      isRequested = false
    },
    /** Records that a poll has ended, with or without a response. */
    ended(): void {
      restsUntil = now() + Math.min(restFactor * (now() - headReadAt), leastMs)
    },
    /**
     * Whether to skip other work: the poll ran only for a wanted block, and that work is not due yet. Webhooks also
     * report the other deposits.
     */
    isSpared: (doneAt: number): boolean => isForWanted && now() < doneAt + restMs(),
    /** Whether a poll ran only for a wanted block and came too early. Then only the head is read. */
    isEarly({ number }: Pick<Block, 'number'>): boolean {
      if (isForWanted && number < neededHead()) return true
      lookedAt = headReadAt
      return false
    },
    /** Records the result of a poll: the head, and the block up to which the chain is scanned. */
    saw(block: Block, scannedBlock: number): void {
      learn(block)
      head = { number: block.number, time: block.time, at: now() }
      for (const one of wanted) if (one <= scannedBlock) wanted.delete(one)
    },
  }
}

type Following = {
  /** Whether this process watches the chain, and polls alone find deposits there. */
  isFollowing: Observable<boolean>
  stopped: Observable<unknown>
  pace: PollPace
  /** Starts a poll. */
  triggers: Subject<void>
}

/** Polls as soon as a pushed head makes a poll due, and subscribes only while that is useful. */
export function followHeads(heads: NewHeads | null, following: Following): Observable<never> {
  const { isFollowing, stopped, pace, triggers } = following
  if (!heads) return EMPTY
  return isFollowing.pipe(
    distinctUntilChanged(),
    switchMap((isOn) => (isOn ? heads : EMPTY)),
    tap((number) => {
      pace.pushed(number)
      if (pace.isDue()) triggers.next()
    }),
    ignoreElements(),
    takeUntil(stopped),
  )
}

/** Search interval for unlisted tokens. Each search costs a request, and these deposits may appear a little later. */
const unlistedMs = 120_000

/** How often each chain is read, and from which block on. */
export type Pacing = {
  fromBlock?: ((chainId: ChainId) => number | null) | undefined
  /** The interval between two polls of a chain; absent to poll at every tick of the scan. */
  pace?: Pace | undefined
  /** Whether webhooks report every account on a chain, according to their sender. */
  isFed?: ((chainId: ChainId) => boolean) | undefined
  /** Whether the day's request budget for a chain's nodes is exhausted. Work that can wait then runs less often. */
  isSpent?: ((chainId: ChainId) => boolean) | undefined
  newHeads?: ((chainId: ChainId) => NewHeads | null) | undefined
  scanEveryMs?: ((chainId: ChainId) => number) | undefined
  sweepEveryMs?: ((chainId: ChainId) => number) | undefined
  unlistedEveryMs?: ((chainId: ChainId) => number) | undefined
}

/** How often one chain is read, and from which block on. */
export type WatchPacing = {
  fromBlock: number | null
  /** The interval between two polls of the chain; null to poll at every tick of the scan. */
  pace: Pace | null
  /** Whether webhooks report payments to these accounts, according to their sender. */
  isFed: () => boolean
  isSpent: () => boolean
  /** Null if no node pushes heads. */
  newHeads: NewHeads | null
  scanEveryMs: number
  sweepEveryMs: number
  unlistedEveryMs: number
}

export const unlistedPollMsOf = (chainId: ChainId, { unlistedEveryMs }: Pacing): number =>
  unlistedEveryMs?.(chainId) ?? unlistedMs

export const pacingOn = (chainId: ChainId, pacing: Pacing): WatchPacing => ({
  fromBlock: pacing.fromBlock?.(chainId) ?? null,
  pace: pacing.pace ?? null,
  isFed: () => pacing.isFed?.(chainId) ?? false,
  isSpent: () => pacing.isSpent?.(chainId) ?? false,
  newHeads: pacing.newHeads?.(chainId) ?? null,
  scanEveryMs: (pacing.scanEveryMs ?? halfBlock)(chainId),
  sweepEveryMs: (pacing.sweepEveryMs ?? oneBlock)(chainId),
  unlistedEveryMs: unlistedPollMsOf(chainId, pacing),
})
