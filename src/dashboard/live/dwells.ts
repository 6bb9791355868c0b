import { useQuery } from '@tanstack/react-query'
import type { StateDuration } from '../../http/dashboard/state-durations'
import { ask } from '../data/api'
import { useHere } from '../data/session'

/**
 * Returns how long executions stayed in each state, for stays that ended in the last hour. Half were no longer than
 * `medianMs`, and 19 of 20 no longer than `p95Ms`.
 */
export function useDwells() {
  const { organization } = useHere()
  return useQuery({
    queryKey: ['dwell', organization.id],
    queryFn: () => ask<StateDuration[]>('/states/dwell'),
    refetchInterval: 15_000,
  })
}
