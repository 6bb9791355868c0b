import { type DeliveryStatus, deliveryStatuses } from '../../domain/webhook/delivery'
import type { DeliveryCount } from '../../ports/webhooks'
import { isoTime } from '../views/scalar'

export const hourMs = 3_600_000
const dayMs = 24 * hourMs
/** Longer spans are shown by days. */
const hoursMost = 48
/** Deliveries are retained this long. */
const retainedMs = 30 * dayMs

type Span = { createdFrom?: number | undefined; createdTo?: number | undefined; now: number }

export type DeliveryPeriods = { step: 'HOUR' | 'DAY'; rows: ({ at: string } & Record<DeliveryStatus, number>)[] }

/** Adds up the deliveries of each status. */
export const totalsOf = (counts: readonly DeliveryCount[]): Record<DeliveryStatus, number> =>
  Object.fromEntries(
    deliveryStatuses.map((status) => [
      status,
      counts.reduce((sum, each) => (each.status === status ? sum + each.count : sum), 0),
    ]),
  ) as Record<DeliveryStatus, number>

/** Returns when the first hour begins that was counted whole. If counting stopped, the oldest hour was not. */
function wholeFrom(counts: readonly DeliveryCount[], most: number): number {
  const totals = totalsOf(counts)
  const cut = deliveryStatuses.filter((status) => totals[status] >= most)
  const oldestOf = (status: DeliveryStatus) =>
    Math.min(...counts.filter((each) => each.status === status).map(({ at }) => at))
  return Math.max(0, ...cut.map((status) => oldestOf(status) + hourMs))
}

/**
 * Returns the deliveries by hours, or by days if the span is longer than two days. It begins with the chosen time or
 * the first delivery. Periods that were not counted whole are left out.
 *
 * @param counts Counts by hour, of the newest `most` deliveries of each status.
 */
export function periodsOf(
  counts: readonly DeliveryCount[],
  { createdFrom, createdTo, now }: Span,
  most: number,
): DeliveryPeriods {
  const countedFrom = Math.max(wholeFrom(counts, most), now - retainedMs)
  const first = Math.min(now, ...counts.map(({ at }) => at))
  const from = Math.max(createdFrom ?? first, countedFrom)
  const to = Math.min(createdTo ?? now + 1, now + 1)
  const stepMs = to - from > hoursMost * hourMs ? dayMs : hourMs
  const floor = (at: number): number => at - (at % stepMs)
  const begin = floor(from) < countedFrom ? floor(countedFrom + stepMs - 1) : floor(from)
  const length = from < to ? Math.ceil((to - begin) / stepMs) : 0
  const rows = Array.from({ length }, (_, n) => {
    const at = begin + n * stepMs
    return { at: isoTime(at), ...totalsOf(counts.filter((each) => floor(each.at) === at)) }
  })
  return { step: stepMs === dayMs ? 'DAY' : 'HOUR', rows }
}
