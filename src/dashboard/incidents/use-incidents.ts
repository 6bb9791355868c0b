import { useQuery } from '@tanstack/react-query'
import type { IncidentsView } from '../../http/dashboard/incidents'
import { ask } from '../data/api'
import { useHere } from '../data/session'

export type IncidentPause = IncidentsView['pauses'][number]

/** Returns the incidents that concern the current organization. */
export function useIncidents() {
  const { organization } = useHere()
  return useQuery({
    queryKey: ['incidents', organization.id],
    queryFn: () => ask<IncidentsView>('/incidents'),
    refetchInterval: 3_000,
  })
}
