import type { IncidentsView } from '../../http/dashboard/incidents'
import { listed } from '../data/format'

type State = NonNullable<IncidentsView['routing']>['state']

/**
 * What is wrong with routing, as the beginning of a sentence that goes on with a time. It says "properly" because a
 * provider that sends unusable answers does answer.
 */
export function saidOfRouting(state: State, names: readonly string[], isRefused: boolean): string {
  if (names.length === 0)
    return `${state === 'DOWN' ? 'No routing provider has answered' : 'A routing provider has not answered'} properly`
  const who = `${listed([...names])} ${names.length === 1 ? 'has' : 'have'}`
  if (isRefused) return `${who} refused our credentials`
  return state === 'PARTLY' ? `${who} failed for some tokens` : `${who} not answered properly`
}
