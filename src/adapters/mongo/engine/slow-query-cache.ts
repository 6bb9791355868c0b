import { BoundedMap } from '../../../domain/bounded-map'

const slowMs = 250
/** An answer that took a second is served for twenty, so that repeating it takes at most a twentieth of the time. */
const share = 20
/** An answer that is overdue by more than this is not served any more. */
const staleMaxMs = 60_000
const keptMax = 1_000

type Kept<Answer> = { answer: Answer; until: number; isAsking: boolean }

/**
 * A fast query runs each time. The answer of a slow one is served from the cache while it is young, and also while it
 * is refreshed, so only the very first caller waits.
 */
export function cacheSlowQuery<Question, Answer>(
  ask: (question: Question) => Promise<Answer>,
  now: () => number = () => performance.now(),
): (question: Question) => Promise<Answer> {
  const kept = new BoundedMap<Question, Kept<Answer>>(keptMax)

  async function find(question: Question): Promise<Answer> {
    const began = now()
    const answer = await ask(question)
    const tookMs = now() - began
    kept.delete(question)
    if (tookMs < slowMs) return answer
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
