import type { Route } from '../../domain/execution/route'
import { Unreadable } from '../../domain/unavailable'
import type { Aggregator, RouteRequest } from '../../ports/aggregator'

/** How an offered route differs from the request, as read from its call; null when it does not. */
type RouteReader = (route: Route, request: RouteRequest) => string | null

/**
 * A provider whose routes are read as the signer reads them. A route that cannot be read is a failure of the provider
 * like any other, so this belongs inside the circuit breaker.
 */
export function readableAggregator(aggregator: Aggregator, objectionTo: RouteReader): Aggregator {
  return {
    ...aggregator,
    async quote(request, signal) {
      const route = await aggregator.quote(request, signal)
      const objection = route && objectionTo(route, request)
      if (objection) throw new Unreadable(objection, { cause: new Error(objection) })
      return route
    },
  }
}
