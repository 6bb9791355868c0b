import type { StateDuration } from '../../http/dashboard/state-durations'
import { brief, grouped } from '../data/format'
import type { StateCount } from '../live/counts'
import type { Model } from './model'
import type { Figures } from './node-parts'

/** A shorter stay is never late. Without this limit, a state that is usually left within milliseconds would flicker. */
const lateMinMs = 10_000

/**
 * Returns the figures of each state. An unfinished state has the number of its executions, the durations of the last
 * hour's stays, and the longest stay now. A final state has the number that ended in the last 24 hours. Counts that are
 * unknown stay unknown.
 *
 * A state is OVERDUE while an execution is past its deadline, and LATE while one has stayed longer than 19 of 20 did.
 */
export function figuresOf(
  { states }: Model,
  counts: readonly StateCount[] | undefined,
  dwells: readonly StateDuration[] | undefined,
  now: number,
): Record<string, Figures> {
  return Object.fromEntries(
    states.map(({ id, kind }): [string, Figures] => {
      if (counts === undefined) return [id, { count: null, lines: [], lateness: null }]
      const there = counts.filter(({ state }) => state === id)
      if (kind === 'terminal') return [id, { count: sumOf(there, 'endedLastDay'), lines: [], lateness: null }]
      const stays = dwells?.find(({ state }) => state === id)
      const overdue = sumOf(there, 'overdue')
      const longestMs = longestOf(there, now)
      const isLate = longestMs !== null && stays !== undefined && longestMs > Math.max(stays.p95Ms, lateMinMs)
      const lines = [
        overdue > 0 ? `${grouped(overdue)} overdue` : stays && `p50 ${brief(stays.medianMs)}`,
        stays && `p95 ${brief(stays.p95Ms)}`,
        longestMs !== null && `longest ${brief(longestMs)}`,
      ].filter((line) => typeof line === 'string')
      return [id, { count: sumOf(there, 'count'), lines, lateness: overdue > 0 ? 'OVERDUE' : isLate ? 'LATE' : null }]
    }),
  )
}

const sumOf = (rows: readonly StateCount[], field: 'count' | 'overdue' | 'endedLastDay'): number =>
  rows.reduce((sum, row) => sum + row[field], 0)

/** Returns the longest current stay in the state. Null if the state is empty or unknown. */
function longestOf(rows: readonly StateCount[], now: number): number | null {
  const since = rows.flatMap(({ count, enteredAt }) => (count > 0 && enteredAt !== null ? [Date.parse(enteredAt)] : []))
  return since.length === 0 ? null : Math.max(0, now - Math.min(...since))
}
