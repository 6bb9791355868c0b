import type { Telemetry } from '../../ports/observing'
import type { Aggregator } from '../../providers/aggregator'

/** Measures and traces a provider's calls, except those held back because the provider is shut. */
export function measuredAggregator(aggregator: Aggregator, telemetry: Telemetry): Aggregator {
  const provider = aggregator.name
  const measured = <Answer>(operation: 'quote' | 'status' | 'price', ask: () => Promise<Answer>) =>
    telemetry.outside({ system: 'provider', provider, operation }, ask)
  return {
    ...aggregator,
    name: provider,
    quote: (request, signal) => measured('quote', () => aggregator.quote(request, signal)),
    outcome: (sent, signal) => measured('status', () => aggregator.outcome(sent, signal)),
    priceUsd: (chainId, token, signal) => measured('price', () => aggregator.priceUsd(chainId, token, signal)),
  }
}
