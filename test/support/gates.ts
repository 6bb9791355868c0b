import type { Blame, Gate, ReadableOffer } from '../../src/ports/gate'
import type { Aggregator } from '../../src/providers/aggregator'

/** A gate that lets everything through and blames no provider, for tests of what asks it. */
export function openGate(aggregator: Partial<Aggregator>, blames: Blame = 'REQUEST'): Gate {
  const provider = aggregator as Aggregator
  return {
    ...provider,
    quote: (request, signal) => provider.quote(request, signal) as Promise<ReadableOffer | null>,
    blame: async () => blames,
    probe: async () => {},
    health: () => Promise.reject(new Error('An open gate has no health')),
  }
}
