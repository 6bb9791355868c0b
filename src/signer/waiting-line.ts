import type { Hash } from '../domain/chain/hex'

/** How long the first may have to wait before those who asked later wait behind it. With the hour, less than two. */
const patienceMs = 45 * 60_000
/** Whoever does not ask again for so long, or for half as long again as it took the last time, holds nobody up. */
const silentMsMax = 15 * 60_000
/** Half as long again as the rarest that a worker asks, which is once in an hour. Nobody holds others up for longer. */
const keptMs = 90 * 60_000

/** How long there was between the last two times that it asked, or 0. */
type Place = { since: number; askedAt: number; everyMs: number }

/**
 * The orders that wait for the same share, in the order in which they first asked. Each may be signed whenever it fits,
 * until the first has waited for so long that everybody else has to leave it the room.
 */
export function waitingLine() {
  /** By route. An entry that is set again stays where it is. */
  const places = new Map<Hash, Place>()

  return {
    /** Notes that an order asks, and tells whether it has to leave the room to one that has waited for long. */
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
