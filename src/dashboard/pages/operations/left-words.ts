import type { StateDuration } from '../../../http/dashboard/state-durations'
import { grouped } from '../../data/format'

/** How many executions left a state. A sample is a minimum, and says nothing of a state that none of it left. */
export function leftWords(stays: readonly StateDuration[], state: string): string {
  const stay = stays.find((each) => each.state === state)
  // An empty list may be a sample too.
  if (stays.length === 0 || stays.some(({ isWhole }) => !isWhole)) return stay ? `at least ${grouped(stay.left)}` : '–'
  return grouped(stay ? stay.left : 0)
}
