import type { Offer } from '../../domain/execution/route'
import { Unreadable } from '../../domain/unavailable'
import type { Aggregator, RouteRequest } from '../../ports/aggregator'

/** Returns how an offered route differs from the request, as read from its call, or null if it does not. */
type OfferReader = (offer: Offer, request: RouteRequest) => string | null

/**
 * Reads a provider's routes as the signer reads them. A route that cannot be read counts as a failure of the provider,
 * so this wrapper belongs inside the circuit breaker.
 */
export function readableAggregator(aggregator: Aggregator, objectionTo: OfferReader): Aggregator {
  return {
    ...aggregator,
    async quote(request, signal) {
      const offer = await aggregator.quote(request, signal)
      const objection = offer && objectionTo(offer, request)
      if (objection) throw new Unreadable(objection, { cause: new Error(objection) })
      return offer
    },
  }
}
