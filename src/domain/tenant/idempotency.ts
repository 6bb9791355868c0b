/** For how long the first answer to a request is kept for whoever sends it again. */
export const keptMs = 24 * 60 * 60_000

/** After this time a request whose process died no longer holds its key. */
export const heldMs = 60_000
