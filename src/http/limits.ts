import type { RateClass, Rates } from '../domain/organization'
import { Refusal } from './failure'

/** A bucket of one key and class: when it will be full again, in ms. Two numbers decide everything (GCRA). */
export type Use = { id: string; count: number; stepMs: number }

/** How processes hear what others let in. Losing a message costs precision, nothing else. */
export interface UseNews {
  publish(uses: Use[]): void
  subscribe(hear: (uses: Use[]) => void): void
}

type Headers = Record<string, string | number | undefined>

const bucketsMax = 100_000
const publishMs = 50
/** Others hear of it at the latest when this part of a burst was let in. */
const publishShare = 1 / 20

/**
 * Rates by key and class of endpoint. Source: beyond, 8.2. Each process counts what it lets in and hears what the others
 * did, so that together they let in the plan's rate; nobody asks a database on the way.
 */
export function rateLimits(now: () => number, news: UseNews | null) {
  const fullAt = new Map<string, number>()
  const untold = new Map<string, Use>()
  let timer: ReturnType<typeof setTimeout> | null = null

  news?.subscribe((uses) => {
    for (const { id, count, stepMs } of uses) use(id, count, stepMs)
  })

  function use(id: string, count: number, stepMs: number): void {
    const at = now()
    if (fullAt.size >= bucketsMax && !fullAt.has(id)) fullAt.delete(fullAt.keys().next().value!)
    fullAt.set(id, Math.max(fullAt.get(id) ?? 0, at) + count * stepMs)
  }

  function tell(): void {
    if (timer) clearTimeout(timer)
    timer = null
    if (untold.size === 0) return
    news!.publish([...untold.values()])
    untold.clear()
  }

  function noteUntold(id: string, stepMs: number, burst: number): void {
    const use = untold.get(id)
    const count = (use?.count ?? 0) + 1
    untold.set(id, { id, count, stepMs })
    if (count >= burst * publishShare) tell()
    else timer ??= setTimeout(tell, publishMs)
  }

  /** Counts a request in, or refuses it with 429. */
  return (id: string, rateClass: RateClass, rates: Rates, headers: Headers): void => {
    const { perSecond, burst } = rates[rateClass]
    const bucket = `${id}:${rateClass}`
    const stepMs = 1_000 / perSecond
    const at = now()
    const waitMs = Math.max((fullAt.get(bucket) ?? 0) - at, 0)
    const roomMs = burst * stepMs - waitMs
    const mayPass = roomMs >= stepMs
    if (mayPass) {
      use(bucket, 1, stepMs)
      if (news) noteUntold(bucket, stepMs, burst)
    }
    const left = Math.floor(roomMs / stepMs) - (mayPass ? 1 : 0)
    headers['ratelimit-limit'] = burst
    headers['ratelimit-remaining'] = Math.max(left, 0)
    headers['ratelimit-reset'] = Math.ceil((waitMs + (mayPass ? stepMs : 0)) / 1_000)
    if (mayPass) return
    const retryAfter = Math.max(Math.ceil((stepMs - roomMs) / 1_000), 1)
    throw new Refusal('RATE_LIMITED', { headers: { 'retry-after': String(retryAfter) } })
  }
}
export type CountIn = ReturnType<typeof rateLimits>
