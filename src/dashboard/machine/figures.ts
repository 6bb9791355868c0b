import type { StateDuration } from '../../http/dashboard/state-durations'
import { brief } from '../data/format'
import type { StateCount } from '../live/counts'
import type { Model } from './model'
import type { Figures } from './node-parts'

/**
 * Returns the figures of each state: the number of executions, the durations of the last hour's stays, and the age of
 * the oldest. Counts that are unknown stay unknown.
 */
export function figuresOf(
  { states }: Model,
  counts: readonly StateCount[] | undefined,
  dwells: readonly StateDuration[] | undefined,
  now: number,
): Record<string, Figures> {
  return Object.fromEntries(
    states.map(({ id, kind }): [string, Figures] => {
      if (counts === undefined) return [id, { count: null, lines: [] }]
      const there = counts.filter(({ state }) => state === id)
      const count = there.reduce((sum, each) => sum + each.count, 0)
      if (kind === 'terminal') return [id, { count, lines: [] }]
      const stays = dwells?.find(({ state }) => state === id)
      const since = there.flatMap((each) => (each.count > 0 && each.oldestAt ? [Date.parse(each.oldestAt)] : []))
      const lines = [
        ...(stays ? [`p50 ${brief(stays.medianMs)}`, `p95 ${brief(stays.p95Ms)}`] : []),
        ...(since.length > 0 ? [`oldest ${brief(now - Math.min(...since))}`] : []),
      ]
      return [id, { count, lines }]
    }),
  )
}
