/** Most parts of a user id. The store has an index for each. */
export const userIdPartsMax = 4
const wordStart = /(?<=[^\p{L}\p{N}])(?=[\p{L}\p{N}])/gu

/**
 * Returns a user id in lower case, and what follows from each of its words on: `dash-customer@example.com` is also
 * found by `customer@example`. At most four parts.
 */
export function userIdParts(userId: string): string[] {
  const lower = userId.toLowerCase()
  const starts = [0, ...[...lower.matchAll(wordStart)].map(({ index }) => index)]
  return [...new Set(starts.slice(0, userIdPartsMax).map((start) => lower.slice(start)))]
}
