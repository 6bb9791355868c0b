import { BoundedMap } from '../../domain/bounded-map'
import type { RateClass, Rates } from '../../domain/tenant/organization'
import type { Use, UseUpdates } from '../../ports/limits'
import { Refusal } from './failure'

type Headers = Record<string, string | number | undefined>

const bucketsMax = 100_000
const publishMs = 50
/** Counts are published no later than after this share of a burst. */
const publishShare = 1 / 20

/**
 * Rate limits by key and rate class (extensions 8.2). Each process counts the requests that it admits and receives the
 * counts of the others. Together they keep the plan's rate without a database.
 */
export function rateLimits(now: () => number, updates: UseUpdates | null) {
  /** When each bucket will be full again, by rate class and key. */
  const buckets = () => new BoundedMap<string, number>(bucketsMax)
  const fullAt: Record<RateClass, Map<string, number>> = { R: buckets(), W: buckets(), S: buckets(), X: buckets() }
  const unpublished = new Map<string, Use>()
  let timer: ReturnType<typeof setTimeout> | null = null

  updates?.subscribe((uses) => {
    for (const { id, rateClass, count, stepMs } of uses)
      if (rateClass in fullAt) spend(fullAt[rateClass], id, count, stepMs)
  })

  function spend(buckets: Map<string, number>, id: string, count: number, stepMs: number): void {
    buckets.set(id, Math.max(buckets.get(id) ?? 0, now()) + count * stepMs)
  }

  function publish(): void {
    if (timer) clearTimeout(timer)
    timer = null
    if (unpublished.size === 0) return
    updates!.publish([...unpublished.values()])
    unpublished.clear()
  }

  function addUnpublished(id: string, rateClass: RateClass, stepMs: number, burst: number): void {
    const bucket = `${rateClass} ${id}`
    const count = (unpublished.get(bucket)?.count ?? 0) + 1
    unpublished.set(bucket, { id, rateClass, count, stepMs })
    if (count >= burst * publishShare) publish()
    else timer ??= setTimeout(publish, publishMs)
  }

  /** Admits a request and counts it, or refuses it with 429. */
  return (id: string, rateClass: RateClass, rates: Rates, headers: Headers): void => {
    const { perSecond, burst } = rates[rateClass]
    const buckets = fullAt[rateClass]
    const stepMs = 1_000 / perSecond
    const at = now()
    const waitMs = Math.max((buckets.get(id) ?? 0) - at, 0)
    const roomMs = burst * stepMs - waitMs
    const mayPass = roomMs >= stepMs
    if (mayPass) {
      spend(buckets, id, 1, stepMs)
      if (updates) addUnpublished(id, rateClass, stepMs, burst)
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
