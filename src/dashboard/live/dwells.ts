import type { StateDuration } from '../../http/dashboard/state-durations'
import { useRead } from '../data/use-read'

/**
 * Returns how long executions stayed in each state, for stays that ended in the last hour. Half were no longer than
 * `medianMs`, and 19 of 20 no longer than `p95Ms`.
 */
export function useDwells() {
  return useRead<StateDuration[]>(['dwell'], '/states/dwell', { refetchInterval: 15_000 })
}
