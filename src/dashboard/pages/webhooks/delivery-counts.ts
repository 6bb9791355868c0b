import type { DeliveryCounts } from '../../../http/webhooks/pages'
import { queryOf } from '../../data/api'
import { grouped } from '../../data/format'
import { useRead } from '../../data/use-read'
import { pollMs } from './endpoint-data'

export type CountQuery = Parameters<typeof queryOf>[0]
/** The number of an endpoint's deliveries by status. */
export function useCounts(id: string, filter: CountQuery) {
  const query = queryOf(filter)
  return useRead<DeliveryCounts>(
    ['webhooks', id, 'counts', query],
    `/webhooks/${encodeURIComponent(id)}/counts${query}`,
    { refetchInterval: pollMs },
  )
}

type CountsByStatus = DeliveryCounts['counts']
type Counted = Pick<DeliveryCounts, 'counts' | 'isWhole'>
/** Deliveries that were sent and not accepted. */
export const notAccepted = ['RETRYING', 'FAILED'] as const
const sumOf = (counts: CountsByStatus, statuses: readonly (keyof CountsByStatus)[]): number =>
  statuses.reduce((sum, status) => sum + counts[status], 0)

/** Returns the number of deliveries with any of these statuses. If not all were counted, it is a minimum. */
export const countWords = ({ counts, isWhole }: Counted, statuses: readonly (keyof CountsByStatus)[]): string => {
  const sum = grouped(sumOf(counts, statuses))
  return isWhole ? sum : `at least ${sum}`
}

/** The share of the sent events that were accepted; null if none was sent, or if not all were counted. */
export function successRate({ counts, isWhole }: Counted): number | null {
  const sent = sumOf(counts, ['DELIVERED', ...notAccepted])
  return isWhole && sent > 0 ? counts.DELIVERED / sent : null
}
