/** Makes one call at a time. Callers during the call, and for `forMs` after it, share its answer. */
export function cachedCall<Answer>(
  look: () => Promise<Answer>,
  forMs: number,
  now = () => performance.now(),
): () => Promise<Answer> {
  let last: { answer: Promise<Answer>; until: number } | null = null
  return () => {
    if (last && now() < last.until) return last.answer
    const entry = { answer: look(), until: Number.POSITIVE_INFINITY }
    last = entry
    entry.answer.then(
      () => {
        entry.until = now() + forMs
      },
      () => {
        entry.until = 0
      },
    )
    return entry.answer
  }
}

/**
 * Like `cachedCall`, for callers that state how old an answer may be. They all share a call in progress.
 *
 * @param usualMs Maximum age if a caller states none, in milliseconds.
 */
export function agedCall<Answer>(
  look: (maxAgeMs: number) => Promise<Answer>,
  usualMs: number,
  now = () => performance.now(),
): (maxAgeMs?: number) => Promise<Answer> {
  let last: { answer: Promise<Answer>; endedAt: number | null } | null = null
  return (maxAgeMs = usualMs) => {
    if (last && (last.endedAt === null || now() < last.endedAt + maxAgeMs)) return last.answer
    const entry: NonNullable<typeof last> = { answer: look(maxAgeMs), endedAt: null }
    last = entry
    entry.answer.then(
      () => {
        entry.endedAt = now()
      },
      () => {
        if (last === entry) last = null
      },
    )
    return entry.answer
  }
}
