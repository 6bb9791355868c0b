import type { IncidentsView } from '../../http/dashboard/incidents'
import { useRead } from '../data/use-read'

export type IncidentPause = IncidentsView['pauses'][number]

/** Returns the incidents that concern the current organization. */
export function useIncidents() {
  return useRead<IncidentsView>(['incidents'], '/incidents', { refetchInterval: 3_000 })
}
