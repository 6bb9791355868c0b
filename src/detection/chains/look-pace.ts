import { type ChainId, chainOf } from '../../domain/chain/chain'
import type { Block } from '../../ports/chain-client'

/**
 * How long the looks at a chain are apart. `closeMs`: while nothing but the looks finds deposits. `wideMs`: while
 * webhooks do, and the looks only prove that none was missed. `spentMs`: the same once the budget is spent.
 */
export type Pace = { closeMs: number; wideMs: number; spentMs: number }

type Ports = {
  chainId: ChainId
  confirmations: number
  pace: Pace
  /** Whether webhooks report what arrives. */
  isFed: () => boolean
  /** Whether the budget for requests is spent. What nothing but the looks finds is looked for all the same. */
  isSpent: () => boolean
  now: () => number
}

/** What waits for a block is looked for no more often than this. */
const leastMs = 1_000
const wantedMax = 1_000

export type LookPace = ReturnType<typeof lookPace>

/**
 * Decides when a chain is looked at next: after a time that depends on the webhooks, and when a block is due to be
 * confirmed in which something is known to have arrived. How long a block takes is learned from the chain itself.
 */
export function lookPace({ chainId, confirmations, pace, isFed, isSpent, now }: Ports) {
  const wanted = new Set<number>()
  let lookedAt = Number.NEGATIVE_INFINITY
  let isRung = true
  let head: { number: number; time: number; at: number } | null = null
  let blockMs = chainOf(chainId).blockSeconds * 1_000
  let highestWanted = 0

  /** When the earliest wanted block should be confirmed. */
  function confirmedAt(): number {
    if (wanted.size === 0) return Number.POSITIVE_INFINITY
    const needed = Math.min(...wanted) + confirmations - 1
    const missing = head === null ? 0 : Math.max(0, needed - head.number)
    return Math.max(lookedAt + leastMs, (head?.at ?? now()) + missing * blockMs)
  }

  /** Learns the pace of the chain's blocks from their own times, which are in whole seconds. */
  function learn({ number, time }: Block): void {
    const [blocks, seconds] = head === null ? [0, 0] : [number - head.number, time - head.time]
    if (blocks > 0 && seconds > 0) blockMs = (seconds * 1_000) / blocks
  }

  return {
    isDue: (): boolean => {
      const at = now()
      const wideMs = isSpent() ? pace.spentMs : pace.wideMs
      const restMs = isFed() ? wideMs : pace.closeMs
      return isRung || at >= lookedAt + restMs || at >= confirmedAt()
    },
    /** Has the chain looked at now. */
    ring(): void {
      isRung = true
    },
    /** Has the chain looked at when this block should be confirmed. */
    want(block: number): void {
      if (block <= highestWanted && wanted.has(block)) return
      if (wanted.size < wantedMax) wanted.add(block)
      highestWanted = Math.max(highestWanted, block)
    },
    /** The highest block that was ever wanted here. */
    get wantedBlock() {
      return highestWanted
    },
    /** A look begins. A failure waits for the next one as a success does. */
    begun(): void {
      lookedAt = now()
      isRung = false
    },
    /** What a look saw: the head, and the block up to which the chain is scanned. */
    saw(block: Block, scannedBlock: number): void {
      learn(block)
      head = { number: block.number, time: block.time, at: now() }
      for (const one of wanted) if (one <= scannedBlock) wanted.delete(one)
    },
  }
}
