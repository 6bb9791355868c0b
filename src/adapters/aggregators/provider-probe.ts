import type { SchedulerLike } from 'rxjs'
import { withDeadline } from '../../domain/concurrency'
import { isProbe } from '../../domain/execution/provider-circuit'
import type { TokenList } from '../../domain/money/token'
import type { FailingPair } from './chain-circuits'
import type { WatchedAggregator } from './circuit-breaker'
import { isBetween, usualRequest, usualRequests } from './usual-requests'

const lookMs = 2_000
/** A provider that was called more recently than this is not probed, in milliseconds. */
const askedMs = 5_000

type Ports = {
  providers: readonly WatchedAggregator[]
  tokens: TokenList
  /**
   * Time limit of a probe, equal to a quote's. Under a shorter limit, a provider that is too slow only for probes would
   * count as away permanently.
   */
  quoteTimeoutMs: number
  now: () => number
  scheduler?: SchedulerLike
}

/**
 * Probes unhealthy providers, and the pairs of chains that failed, even if no deposit needs them. Otherwise they would
 * count as failing, and get no requests, until the next deposit. Healthy providers and pairs are not probed.
 *
 * @returns The function to call at a regular interval.
 */
export function providerProbe({ providers, tokens, quoteTimeoutMs, now, scheduler }: Ports): () => Promise<void> {
  const requests = usualRequests(tokens)
  const looks = new Map<WatchedAggregator, number>()
  let lookedAt = Number.NEGATIVE_INFINITY
  // Each process starts with a different pair, even after repeated restarts.
  const first = Math.abs(Math.floor(now()))

  async function look(provider: WatchedAggregator): Promise<void> {
    const [{ healthy, breaker, updatedAt }, failing] = await Promise.all([provider.health(), provider.failingPairs()])
    const ask = (request: (typeof requests)[number]) =>
      withDeadline(quoteTimeoutMs, (signal) => provider.look(request, signal), scheduler)
    if (!healthy && (updatedAt === null || updatedAt + askedMs <= now())) {
      const others = requests.filter((one) => !failing.some(({ pair }) => isBetween(one, pair)))
      const asked = others.length > 0 ? others : requests
      const n = looks.get(provider) ?? first
      looks.set(provider, n + 1)
      if (asked.length > 0 && (await ask(asked[n % asked.length]!)) === 'FAILS') return
    }
    // While the whole provider's circuit is open, one probe is enough to show that it is back.
    if (breaker !== 'CLOSED' || failing.length === 0) return
    // If nothing else succeeds, the provider fails and not the pair.
    const isAnswering = await provider.isAnswering()
    const isDue = ({ circuit: { reason, probeAt, failed } }: FailingPair) =>
      reason === null ? isAnswering && !failed.every(isProbe) : probeAt <= now()
    const due = failing.filter(isDue)
    await Promise.all(due.map(({ pair }) => usualRequest(tokens, pair)).map((one) => one && ask(one)))
  }

  return async () => {
    if (lookedAt + lookMs > now()) return
    lookedAt = now()
    await Promise.all(providers.map(look))
  }
}
