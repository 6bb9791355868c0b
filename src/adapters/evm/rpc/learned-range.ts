const blocksFirst = 2_000
const blocksMax = 64_000
/**
 * Time after which a refusal is forgotten, in milliseconds. Other blocks may hold fewer logs, and the plan may have
 * changed.
 */
const forgottenAfterMs = 10 * 60_000

/**
 * Learns how many blocks one request may cover. A refused length is halved, and a length that works grows. The search
 * runs between the longest that worked and the shortest that was refused, so a fixed limit costs only a few refusals.
 *
 * @param now Milliseconds of a monotonic clock.
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
      if (length < blocks) return // it proves nothing about longer ranges
      if (now() - refused.at > forgottenAfterMs || refused.length <= length) refused = none
      works = length
      blocks = between()
    },
    refused(length: number): void {
      refused = { length, at: now() }
      if (works >= length) works = 0
      blocks = between()
    },
    /** The cause is unknown, and the range may have been too long. */
    failed(length: number): void {
      blocks = Math.min(blocks, Math.max(1, Math.floor(length / 2)))
    },
  }
}
