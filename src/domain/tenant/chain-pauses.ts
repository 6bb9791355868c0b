import type { PauseScope } from './pause-scope'

/** A time in which something is paused; `to` is null while that has no end. */
type Period = { from: number; to: number | null }

/** The moment at which a chain is paused, or is not paused any more. */
type PauseEdge = { at: number; isPaused: boolean }

/**
 * Returns when a chain came to be paused and when it ceased to be, by all the periods in which it or everything was
 * paused. Periods that overlap are one.
 */
export function pauseEdges(periods: readonly Period[]): PauseEdge[] {
  const edges: PauseEdge[] = []
  let end: number | null = Number.NEGATIVE_INFINITY
  for (const { from, to } of periods.filter(isLasting).toSorted((a, b) => a.from - b.from)) {
    if (end !== null && from >= end) {
      if (edges.length > 0) edges.push({ at: end, isPaused: false })
      edges.push({ at: from, isPaused: true })
      end = to
    } else if (end !== null) end = to === null ? null : Math.max(end, to)
  }
  return edges.length > 0 && end !== null ? [...edges, { at: end, isPaused: false }] : edges
}

const isLasting = ({ from, to }: Period): boolean => to === null || to > from

/** A pause that would end this soon is not prolonged: readers may hear of its end before they can hear of that. */
const prolongingMs = 10_000

/** From when on a scope is paused, if it is asked for at a time while a pause may be in force. */
export function pausedFrom(standing: { createdAt: number; until: number | null } | null, at: number): number {
  if (!standing) return at
  const { createdAt, until } = standing
  return until !== null && until - at < prolongingMs ? until : createdAt
}

type Standing = { id: PauseScope; createdAt: number; resumedAt: number | null; until: number | null }

/** The period of a pause as it stands. */
export const periodOf = ({ id: scope, createdAt: from, resumedAt, until }: Standing) => ({
  scope,
  from,
  to: resumedAt ?? until,
})
