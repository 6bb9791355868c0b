import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { attentionStatuses } from '../../domain/attention'
import { ask } from '../api'
import { useHere } from '../session'
import { useEvents, usePolling } from './live'

export type StateCount = {
  state: string
  status: string | null
  count: number
  superseded?: number
  oldestAt: string | null
}

/** A state may have several rows, one for each status that is shown of it. */
export const countOf = (rows: readonly StateCount[], isIn: (row: StateCount) => boolean): number =>
  rows.reduce((sum, row) => sum + (isIn(row) ? row.count : 0), 0)

/** By what is shown: an attempt that runs or waits again shows FAILED too, until its transaction is on its way. */
export const waitsForRetry = ({ state, status }: StateCount): boolean => (status ?? state) === 'FAILED'

const attention = new Set<string>(attentionStatuses)
/** What ended and waits for somebody to act, without what another execution has taken over. */
export const needingAttention = (rows: readonly StateCount[]): number =>
  rows.reduce((sum, { state, count, superseded = 0 }) => sum + (attention.has(state) ? count - superseded : 0), 0)

/** Moved along by what happened; where a state has several rows, its first one takes the difference. */
export function movedOn(before: readonly StateCount[], moved: ReadonlyMap<string, number>): StateCount[] {
  const left = new Map(moved)
  const known = before.map((row) => {
    const count = Math.max(row.count + (left.get(row.state) ?? 0), 0)
    left.delete(row.state)
    return { ...row, count }
  })
  const fresh = [...left].filter(([, count]) => count > 0)
  return [...known, ...fresh.map(([state, count]) => ({ state, status: null, count, oldestAt: null }))]
}

const truthMs = 20_000
/** The server's own count is as old as this. */
const soonMs = 1_600

/** How many are in each state: asked for now and then, and moved along by what happens in between. */
export function useCounts() {
  const { organization } = useHere()
  const client = useQueryClient()
  const polling = usePolling(3_000)
  const queryKey = ['states', organization.id]
  const counts = useQuery({
    queryKey,
    queryFn: () => ask<StateCount[]>('/states'),
    refetchInterval: polling || truthMs,
  })
  const due = useRef<ReturnType<typeof setTimeout> | null>(null)
  useEvents((events) => {
    // A status that changes tells less than a move: the truth is asked for soon after.
    if (!due.current && events.some(({ type, data }) => type.startsWith('execution.') && data['to'] === undefined))
      due.current = setTimeout(() => {
        due.current = null
        void client.invalidateQueries({ queryKey })
      }, soonMs)
    const moved = new Map<string, number>()
    for (const { data } of events) {
      const { from, to } = data as { from?: string | null; to?: string }
      if (to === undefined || from === to) continue
      moved.set(to, (moved.get(to) ?? 0) + 1)
      if (from) moved.set(from, (moved.get(from) ?? 0) - 1)
    }
    if (moved.size > 0) client.setQueryData<StateCount[]>(queryKey, (before) => before && movedOn(before, moved))
  })
  useEffect(() => () => void (due.current && clearTimeout(due.current)), [])
  return counts
}
