const blocksFirst = 2_000
const blocksMax = 64_000
/** Where a node refused for what the blocks held, others may hold less; and a plan may have been changed. */
const forgottenAfterMs = 10 * 60_000

/**
 * How many blocks to ask for at once: what is refused is halved, what works grows. Between the longest that worked and
 * the shortest that was refused it is searched, so that a fixed limit costs a few refusals and then none.
 *
 * @param now in milliseconds, by a clock that never goes back.
 */
export function learnedRange(now: () => number) {
  const none = { length: Number.POSITIVE_INFINITY, at: 0 }
  let blocks = blocksFirst
  let works = 0
  let refused = none

  const between = (): number =>
    Math.max(1, Math.min(blocksMax, Math.floor(refused === none ? 2 * works : (works + refused.length) / 2)))

  return {
    get blocks() {
      return blocks
    },
    worked(length: number): void {
      if (length < blocks) return // it says nothing of longer ones
      if (now() - refused.at > forgottenAfterMs || refused.length <= length) refused = none
      works = length
      blocks = between()
    },
    refused(length: number): void {
      refused = { length, at: now() }
      if (works >= length) works = 0
      blocks = between()
    },
    /** Who knows why; it may have been too much. */
    failed(length: number): void {
      blocks = Math.min(blocks, Math.max(1, Math.floor(length / 2)))
    },
  }
}
