import { useQuery } from '@tanstack/react-query'
import type { IncidentsView } from '../../http/dashboard/incidents'
import { ask } from '../data/api'
import { useHere } from '../data/session'

export type PauseShown = IncidentsView['pauses'][number]

/** The incidents that concern the organization that is shown. */
export function useIncidents() {
  const { organization } = useHere()
  return useQuery({
    queryKey: ['incidents', organization.id],
    queryFn: () => ask<IncidentsView>('/incidents'),
    refetchInterval: 3_000,
  })
}
