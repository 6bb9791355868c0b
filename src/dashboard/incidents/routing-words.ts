import type { IncidentsView } from '../../http/dashboard/incidents'
import { listed } from '../data/format'

type State = NonNullable<IncidentsView['routing']>['state']

/**
 * Describes a routing problem as the beginning of a sentence that ends with a time. The word "correctly" covers
 * providers that respond with unusable content.
 */
export function routingText(
  state: State,
  names: readonly string[],
  isRefused: boolean,
  between: readonly string[] = [],
): string {
  if (names.length === 0)
    return `${state === 'DOWN' ? 'No routing provider has responded' : 'A routing provider has not responded'} correctly`
  const who = `${listed([...names])} ${names.length === 1 ? 'has' : 'have'}`
  if (isRefused) return `${who} refused our credentials`
  if (state !== 'PARTLY') return `${who} not responded correctly`
  return `${who} failed ${between.length > 0 ? placesOf(between) : 'for some tokens'}`
}

const placesMost = 3
/** A failing chain affects eight or more pairs. The first few are enough to show which chain. */
export const placesOf = (between: readonly string[]): string =>
  between.length > placesMost
    ? `${between.slice(0, placesMost).join(', ')} and between ${between.length - placesMost} more pairs of chains`
    : listed([...between])
