import type { LiveEvent } from '../live/stream'
import { throttledRefresh } from '../live/throttled-refresh'
import { announce } from '../ui/toast'
import { countArrivals } from './arrivals'

/** At most one announcement in this time: a screen reader reads each to its end. */
const apartMs = 6_000
const arrivals = countArrivals()
const soon = throttledRefresh(() => {
  const sentence = arrivals.sentence()
  // Every tab hears the events. Only the one in front speaks.
  if (sentence && document.visibilityState === 'visible') announce(sentence)
}, apartMs)

/** Announces what arrived, was delivered or failed, with counts. */
export function announceArrivals(events: readonly LiveEvent[]): void {
  if (arrivals.add(events)) soon.ask()
}
