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
