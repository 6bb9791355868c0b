import type { SchedulerLike } from 'rxjs'
import { withDeadline } from '../../domain/concurrency'
import type { TokenList } from '../../domain/money/token'
import type { RouteRequest } from '../../ports/aggregator'
import type { Look, WatchedAggregator } from './circuit-breaker'
import { areApart, isBetween, usualRequest, usualRequests } from './usual-requests'

/** How long a probe's result covers all failures that this process meets, in milliseconds. */
const shownMs = 10_000
/**
 * How long a deposit waits without a retry while its provider's rate limit allows no probe, or while only other chains
 * fail, in milliseconds. After that its failures count, so a deposit whose token alone fails reaches its end.
 */
const unknownMs = 15 * 60_000

type Ports = {
  providers: readonly WatchedAggregator[]
  tokens: TokenList
  quoteTimeoutMs: number
  now: () => number
  scheduler?: SchedulerLike
}
type Shown = { request: RouteRequest; look: Promise<Look>; result: Look | null; until: number }

/**
 * Returns a function that decides, after a failed request, whether the provider is at fault and not the request. It
 * probes with a usual request between two other chains. Unless that fails, it probes with a usual request between the
 * same two. The probes count for the circuits too. If everything fails, the circuits open soon, and trouble with one
 * token does not look like an outage for long. A probe's result holds for ten seconds. While the provider is healthy,
 * all failures of a process cost one probe in that time, and one for each pair of chains that fails.
 */
export function providerCheck({ providers, tokens, quoteTimeoutMs, now, scheduler }: Ports) {
  const requests = usualRequests(tokens)
  const shown = new Map<string, Shown>()
  let count = 0

  const idOf = ({ name }: WatchedAggregator, { fromChainId, toChainId }: RouteRequest): string =>
    `${name} ${fromChainId} ${toChainId}`
  const fresh = (provider: WatchedAggregator, request: RouteRequest): Shown | null => {
    const known = shown.get(idOf(provider, request))
    return known && now() < known.until ? known : null
  }

  function look(provider: WatchedAggregator, request: RouteRequest): Promise<Look> {
    const known = fresh(provider, request)
    if (known) return known.look
    const one: Shown = { request, look: Promise.resolve('UNKNOWN'), result: null, until: Number.POSITIVE_INFINITY }
    const asked = withDeadline(quoteTimeoutMs, (signal) => provider.look(request, signal), scheduler)
    one.look = asked.then((result) => {
      one.result = result
      return result
    })
    shown.set(idOf(provider, request), one)
    return one.look.finally(() => {
      one.until = now() + shownMs
    })
  }

  async function elsewhere(provider: WatchedAggregator, failed: RouteRequest): Promise<Look> {
    const others = requests.filter((one) => areApart(one, failed))
    if (others.length === 0) return 'WELL'
    if (others.some((one) => fresh(provider, one)?.result === 'WELL')) return 'WELL'
    // A pair whose circuit is open fails without a request, which proves nothing about other pairs.
    const resting = (await provider.failingPairs()).filter(({ circuit }) => circuit.reason !== null)
    const asked = others.filter((one) => !resting.some(({ pair }) => isBetween(one, pair)))
    return asked.length === 0 ? 'WELL' : look(provider, asked[count++ % asked.length]!)
  }

  return async (name: string, failed: RouteRequest): Promise<boolean> => {
    const provider = providers.find((one) => one.name === name)
    if (!provider) return false
    const other = await elsewhere(provider, failed)
    const since = failed.asker?.waitingSince ?? null
    const isLong = since !== null && now() >= since + unknownMs
    if (other === 'FAILS' && !isLong) return true
    const usual = usualRequest(tokens, failed)
    const same = usual ? await look(provider, usual) : 'WELL'
    if (same === 'FAILS') return true
    const isUnknown = other === 'UNKNOWN' || same === 'UNKNOWN'
    return isUnknown && failed.asker !== undefined && !isLong
  }
}
