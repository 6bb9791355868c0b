const blocksFirst = 2_000
const blocksMax = 64_000
/** A refusal is forgotten after this time: other blocks may hold fewer logs, and the plan may have changed. */
const forgottenAfterMs = 10 * 60_000

/**
 * Learns how many blocks to request at once. A refused length is halved and one that works grows. It searches between
 * the longest that worked and the shortest that was refused, so that a fixed limit costs a few refusals and then none.
 *
 * @param now milliseconds of a monotonic clock.
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
    /** The cause is unknown; the range may have been too long. */
    failed(length: number): void {
      blocks = Math.min(blocks, Math.max(1, Math.floor(length / 2)))
    },
  }
}
