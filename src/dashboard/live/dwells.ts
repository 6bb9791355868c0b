import { useQuery } from '@tanstack/react-query'
import { ask } from '../data/api'
import { useHere } from '../data/session'

/**
 * How long the stays took that ended in the last hour: half were no longer than `medianMs`, and 19 of 20 no longer
 * than `p95Ms`.
 */
export type Dwell = { state: string; left: number; medianMs: number; p95Ms: number }

export function useDwells() {
  const { organization } = useHere()
  return useQuery({
    queryKey: ['dwell', organization.id],
    queryFn: () => ask<Dwell[]>('/states/dwell'),
    refetchInterval: 15_000,
  })
}
