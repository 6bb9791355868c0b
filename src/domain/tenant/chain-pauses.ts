import type { PauseScope } from './pause-scope'

/** Period of a pause; `to` is null for a pause without an end. */
type Period = { from: number; to: number | null }

/** Moment at which a chain's pause begins or ends. */
type PauseEdge = { at: number; isPaused: boolean }

/**
 * Returns when pauses of a chain began and ended. `periods` are the pauses of the chain and of everything. Overlapping
 * periods count as one.
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

/** A pause that ends this soon is not extended: readers could learn of its end before they learn of the extension. */
const prolongingMs = 10_000

/** Returns when a scope's pause begins if it is requested at `at`. An earlier pause might still be in force. */
export function pausedFrom(pause: { createdAt: number; until: number | null } | null, at: number): number {
  if (!pause) return at
  const { createdAt, until } = pause
  return until !== null && until - at < prolongingMs ? until : createdAt
}

type PauseRecord = { id: PauseScope; createdAt: number; resumedAt: number | null; until: number | null }

/** Returns the period of a stored pause. */
export const periodOf = ({ id: scope, createdAt: from, resumedAt, until }: PauseRecord) => ({
  scope,
  from,
  to: resumedAt ?? until,
})
