/** How long the first answer to a request is kept for whoever sends the same request again. */
export const keptMs = 24 * 60 * 60_000

/** How long a request holds its key when its process died. */
export const heldMs = 60_000
