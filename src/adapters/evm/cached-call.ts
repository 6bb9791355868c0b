/** Makes one call at a time and shares its answer with everybody who asks meanwhile or shortly afterwards. */
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
 * The same for callers that say how old an answer may be. A call under way is shared by all of them.
 *
 * @param usualMs how old it may be where a caller says nothing.
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
