import { BoundedMap } from '../../../domain/bounded-map'

const slowMs = 250
/** A response that took a second is served for twenty, so repeating the query takes at most a twentieth of the time. */
const share = 20
/** A response that is overdue by more than this, in milliseconds, is not served. */
const staleMaxMs = 60_000
const keptMax = 1_000

type Kept<Answer> = { answer: Answer; until: number; isAsking: boolean }

/**
 * Runs a fast query each time. The response of a slow query is served from the cache while it is recent, and during its
 * refresh, so only the very first caller waits. Queries with the same question share a response, whatever their further
 * arguments.
 */
export function cacheSlowQuery<Question, Answer, Further extends unknown[]>(
  ask: (question: Question, ...further: Further) => Promise<Answer>,
  now: () => number = () => performance.now(),
): (question: Question, ...further: Further) => Promise<Answer> {
  const kept = new BoundedMap<Question, Kept<Answer>>(keptMax)

  async function find(question: Question, further: Further): Promise<Answer> {
    const began = now()
    const answer = await ask(question, ...further)
    const tookMs = now() - began
    kept.delete(question)
    if (tookMs < slowMs) return answer
    kept.set(question, { answer, until: now() + tookMs * share, isAsking: false })
    return answer
  }

  return async (question, ...further) => {
    const known = kept.get(question)
    if (!known || known.until + staleMaxMs <= now()) return find(question, further)
    if (known.until <= now() && !known.isAsking) {
      known.isAsking = true
      find(question, further).catch(() => kept.delete(question))
    }
    return known.answer
  }
}
