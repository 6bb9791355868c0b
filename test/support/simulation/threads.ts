import type { Plan } from './plan'
import type { Outcome } from './world-thread'

/** How many worlds a thread has in hand. Some worlds take three times as long as others. */
const inHand = 2

/** At most so many worlds, each with at least one deposit. */
export type Worlds = { count: number; planOf: (n: number) => Plan; bug: string | null }

/** Simulates worlds in their order, several at the same time: each thread has its own clock and chance. */
export async function* outcomesInThreads(count: number, worlds: Worlds): AsyncGenerator<Outcome> {
  const { planOf, bug } = worlds
  const asked = new Map<number, PromiseWithResolvers<Outcome>>()
  const threads = Array.from({ length: count }, () => {
    const thread = new Worker(new URL('./world-thread.ts', import.meta.url))
    thread.onmessage = ({ data: { seed, outcome, error } }) =>
      outcome ? asked.get(seed)?.resolve(outcome) : asked.get(seed)?.reject(error)
    thread.onerror = ({ message }) => {
      for (const { reject } of asked.values()) reject(new Error(message))
    }
    return thread
  })
  const ask = (n: number): void => {
    const plan = planOf(n)
    const outcome = Promise.withResolvers<Outcome>()
    outcome.promise.catch(() => {}) // its turn may never come
    asked.set(plan.seed, outcome)
    threads[n % count]!.postMessage({ plan, bug })
  }
  try {
    for (let n = 0; n < count * inHand; n++) ask(n)
    for (let n = 0; n < worlds.count; n++) {
      const { seed } = planOf(n)
      yield await asked.get(seed)!.promise
      asked.delete(seed)
      ask(n + count * inHand)
    }
  } finally {
    for (const thread of threads) thread.terminate()
  }
}
