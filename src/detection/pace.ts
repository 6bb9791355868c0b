import {
  catchError,
  defer,
  distinctUntilChanged,
  EMPTY,
  exhaustMap,
  ignoreElements,
  merge,
  type Observable,
  type Subject,
  switchMap,
  takeUntil,
  tap,
  timer,
} from 'rxjs'
import { type ChainId, chainOf } from '../domain/chain/chain'
import { RoutingError } from '../domain/error'
import type { Block, NewHeads } from '../ports/chain-client'

/** What a piece of work did: LOOKED when a node has answered it, IDLE when it had nothing to ask. */
export type Look = 'LOOKED' | 'IDLE'

/** Work of which nobody is told that it has recovered. */
export const looking = (work: () => Promise<unknown>) => async (): Promise<Look> => {
  await work()
  return 'LOOKED'
}

type Beat = {
  everyMs: number
  /** Starts the work without waiting for the next beat. It is ignored while the work runs; the next beat follows. */
  triggers: Observable<unknown>
  stopped: Observable<unknown>
  work: () => Promise<Look>
  /** Called once when the work begins to fail, and once more for each other kind of failure. */
  onTrouble: (error: unknown) => void
  /** Called once when work that failed has LOOKED again. Work that was IDLE has proved nothing. */
  onRecovered: () => void
}

/** Repeats work, never twice at the same time. A failure costs one beat and nothing else. */
export function beat({ everyMs, triggers, stopped, work, onTrouble, onRecovered }: Beat): Observable<never> {
  let trouble: string | null = null
  return merge(timer(0, everyMs), triggers).pipe(
    takeUntil(stopped),
    exhaustMap(() =>
      defer(work).pipe(
        tap((look) => {
          if (look === 'IDLE') return
          if (trouble !== null) onRecovered()
          trouble = null
        }),
        catchError((error) => {
          const kind = kindOf(error)
          if (kind !== trouble) onTrouble(error)
          trouble = kind
          return EMPTY
        }),
      ),
    ),
    ignoreElements(),
  )
}

/**
 * Makes work that nobody waits for rest after each run for nine times as long as it took, so that it takes no more than
 * a tenth of the time of a process that has too much to do.
 *
 * @param mostMs The longest rest.
 */
export function resting<Result>(work: () => Promise<Result>, mostMs: number, now: () => number) {
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
 * The time between two looks at a chain. `closeMs` applies while only the looks find deposits; `wideMs` while webhooks
 * find them and the looks only prove that none was missed; `spentMs` replaces `wideMs` once the budget is spent.
 */
export type Pace = { closeMs: number; wideMs: number; spentMs: number }

type LookPorts = {
  chainId: ChainId
  confirmations: number
  pace: Pace
  /** Whether webhooks report what arrives. */
  isFed: () => boolean
  /** Whether the budget for requests is spent. It does not slow down looks that alone find deposits. */
  isSpent: () => boolean
  now: () => number
}

/** The shortest time between two looks for the confirmation of a block. */
const leastMs = 1_000
const wantedMax = 1_000
/** For how many blocks pushed heads may announce nothing before the chain is looked at without them. */
const toldBlocks = 2
/**
 * A look is followed by a rest of so many times its own duration, and at most of `leastMs`. An overloaded process, or
 * one whose node is slow, then spends no more than a third of its time on looks, whatever asks for the next one.
 */
const restFactor = 2

export type LookPace = ReturnType<typeof lookPace>

/**
 * Decides when to look at a chain next: after a time that depends on the webhooks, or earlier, when a block with a
 * known deposit should be confirmed. The time per block is learned from the chain itself.
 */
export function lookPace({ chainId, confirmations, pace, isFed, isSpent, now }: LookPorts) {
  const wanted = new Set<number>()
  let lookedAt = Number.NEGATIVE_INFINITY
  /** When the head was last read, for a whole look or to see whether a wanted block is confirmed. */
  let askedAt = Number.NEGATIVE_INFINITY
  /** Until when nothing is due, because the last look took long. */
  let restsUntil = Number.NEGATIVE_INFINITY
  let isForWanted = false
  let isRequested = true
  let head: { number: number; time: number; at: number } | null = null
  let blockMs = chainOf(chainId).blockSeconds * 1_000
  let highestWanted = 0
  /** What the node last pushed that was above the last head that was read, and when. */
  let pushed = { number: -1, at: Number.NEGATIVE_INFINITY }

  /**
   * Whether pushed heads tell when the chain is worth a look. They do so only while they announce blocks that were not
   * read yet: a subscription that lies, lags or falls silent then leads to the looks that there are without it.
   */
  const isTold = (): boolean => now() - pushed.at <= toldBlocks * blockMs + leastMs

  /** When the earliest wanted block should be confirmed. */
  function confirmedAt(): number {
    if (wanted.size === 0) return Number.POSITIVE_INFINITY
    if (isTold()) return pushed.number >= neededHead() ? askedAt + leastMs : Number.POSITIVE_INFINITY
    const missing = head === null ? 0 : Math.max(0, neededHead() - head.number)
    return Math.max(askedAt + leastMs, (head?.at ?? now()) + missing * blockMs)
  }

  /** The head that confirms the earliest wanted block. */
  const neededHead = (): number => Math.min(...wanted) + confirmations - 1

  const restMs = (): number => (!isFed() ? pace.closeMs : isSpent() ? pace.spentMs : pace.wideMs)

  /** Whether a look is due, whatever is wanted. */
  function isRestOver(): boolean {
    if (isRequested) return true
    const restedAt = lookedAt + restMs()
    if (isFed()) return now() >= restedAt
    const isNews = pushed.at >= restedAt && pushed.number > (head?.number ?? -1)
    return now() >= restedAt && (isNews || !isTold())
  }

  /** Learns the time per block from the blocks' timestamps, which are in whole seconds. */
  function learn({ number, time }: Block): void {
    const [blocks, seconds] = head === null ? [0, 0] : [number - head.number, time - head.time]
    if (blocks > 0 && seconds > 0) blockMs = (seconds * 1_000) / blocks
  }

  return {
    isDue: (): boolean => now() >= restsUntil && (isRestOver() || now() >= confirmedAt()),
    /** Whether looks alone find deposits, so that it is worth knowing when there is a new block. */
    isClose: (): boolean => !isFed(),
    /** Notes what a node pushed. It is a reason to look, and nothing is concluded from it. */
    told(number: number | null): void {
      if (number === null) pushed = { number: -1, at: Number.NEGATIVE_INFINITY }
      else if (number > Math.max(head?.number ?? -1, pushed.number)) pushed = { number, at: now() }
    },
    /** Requests a look at once. */
    requestLook(): void {
      isRequested = true
    },
    /** Requests a look at the time when this block should be confirmed. */
    want(block: number): void {
      if (wanted.size < wantedMax) wanted.add(block)
      highestWanted = Math.max(highestWanted, block)
    },
    /** The highest block for which this process requested a look. */
    get wantedBlock() {
      return highestWanted
    },
    /** Notes that a look begins. After a failure the next look comes no sooner than after a success. */
    begun(): void {
      isForWanted = !isRestOver()
      askedAt = now()
      if (isForWanted) return
      lookedAt = askedAt
      isRequested = false
    },
    /** Notes that a look has ended, with or without an answer. */
    ended(): void {
      restsUntil = now() + Math.min(restFactor * (now() - askedAt), leastMs)
    },
    /**
     * Whether a look came only for a wanted block, and what was last done at that time is not due by itself. Webhooks
     * that report one deposit report the others as well.
     */
    isSpared: (doneAt: number): boolean => isForWanted && now() < doneAt + restMs(),
    /** Whether a look came only for a wanted block, and too early for it. Then only the head is worth reading. */
    isEarly({ number }: Pick<Block, 'number'>): boolean {
      if (isForWanted && number < neededHead()) return true
      lookedAt = askedAt
      return false
    },
    /** Notes what a look saw: the head, and the block up to which the chain is scanned. */
    saw(block: Block, scannedBlock: number): void {
      learn(block)
      head = { number: block.number, time: block.time, at: now() }
      for (const one of wanted) if (one <= scannedBlock) wanted.delete(one)
    },
  }
}

type Following = {
  /** Whether this process watches the chain, and looks alone find deposits there. */
  isFollowing: Observable<boolean>
  stopped: Observable<unknown>
  pace: LookPace
  /** Starts a look. */
  triggers: Subject<void>
}

/** Looks as soon as a pushed head makes a look due, and subscribes only while that is of use. */
export function followed(heads: NewHeads | null, following: Following): Observable<never> {
  const { isFollowing, stopped, pace, triggers } = following
  if (!heads) return EMPTY
  return isFollowing.pipe(
    distinctUntilChanged(),
    switchMap((isOn) => (isOn ? heads : EMPTY)),
    tap((number) => {
      pace.told(number)
      if (pace.isDue()) triggers.next()
    }),
    ignoreElements(),
    takeUntil(stopped),
  )
}
