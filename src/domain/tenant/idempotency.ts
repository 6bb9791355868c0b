/** How long the first response to a request is kept for repetitions of that request. */
export const replayMs = 24 * 60 * 60_000

/** How long a request holds its key if its process dies. */
export const heldMs = 60_000
