import type { Hash } from '../domain/chain/hex'

/**
 * Once the first order has waited this long, later ones wait behind it. Including its own hour, it waits less than two
 * hours.
 */
const patienceMs = 45 * 60_000
/**
 * An order without a request for this long holds up no others. If its last interval was longer, the limit is one and a
 * half times that interval.
 */
const silentMsMax = 15 * 60_000
/** One and a half times the longest interval of a worker, which is an hour. No order holds others up for longer. */
const keptMs = 90 * 60_000

/** `everyMs`: time between its last two requests, or 0. */
type Place = { since: number; askedAt: number; everyMs: number }

/**
 * The orders that wait for the same share, in the order of their first requests. Each may be signed as soon as it fits.
 * Once the first has waited too long, all others must leave room for it.
 */
export function signingQueue() {
  /** By route. Setting an existing entry keeps its position. */
  const places = new Map<Hash, Place>()

  return {
    /** Records an order's request, and returns whether it must leave room for an order that has waited too long. */
    isBehind(routeId: Hash, at: number): boolean {
      for (const [other, { askedAt }] of places) if (at - askedAt > keptMs) places.delete(other)
      const before = places.get(routeId)
      places.set(routeId, { since: before?.since ?? at, askedAt: at, everyMs: before ? at - before.askedAt : 0 })
      const isHere = ({ askedAt, everyMs }: Place) => at - askedAt <= Math.max(silentMsMax, (everyMs * 3) / 2)
      const [first, place] = [...places].find(([, each]) => isHere(each))!
      return first !== routeId && at - place.since >= patienceMs
    },
    leave(routeId: Hash): void {
      places.delete(routeId)
    },
  }
}
