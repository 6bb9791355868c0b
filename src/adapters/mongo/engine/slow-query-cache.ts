const slowMs = 250
/** An answer that took a second serves for twenty: a twentieth of the time at most goes into asking again. */
const share = 20
/** Older than that it is no answer to anybody. */
const staleMaxMs = 60_000
const keptMax = 1_000

type Kept<Answer> = { answer: Answer; until: number; isAsking: boolean }

/**
 * What is found quickly is asked for each time. What took long is given as it was while it is young, and on while it is
 * asked for anew: only the very first waits.
 */
export function cacheSlowQuery<Question, Answer>(
  ask: (question: Question) => Promise<Answer>,
  now: () => number = () => performance.now(),
): (question: Question) => Promise<Answer> {
  const kept = new Map<Question, Kept<Answer>>()

  async function find(question: Question): Promise<Answer> {
    const began = now()
    const answer = await ask(question)
    const tookMs = now() - began
    kept.delete(question)
    if (tookMs < slowMs) return answer
    if (kept.size >= keptMax) kept.delete(kept.keys().next().value!)
    kept.set(question, { answer, until: now() + tookMs * share, isAsking: false })
    return answer
  }

  return async (question) => {
    const known = kept.get(question)
    if (!known || known.until + staleMaxMs <= now()) return find(question)
    if (known.until <= now() && !known.isAsking) {
      known.isAsking = true
      find(question).catch(() => kept.delete(question))
    }
    return known.answer
  }
}
