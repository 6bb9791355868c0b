import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { ask } from '../api'
import { useHere } from '../session'
import { useEvents, usePolling } from './live'

export type StateCount = { state: string; status: string | null; count: number; oldestAt: string | null }

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
    if (moved.size > 0)
      client.setQueryData<StateCount[]>(queryKey, (before) => {
        if (!before) return before
        const known = before.map((each) => ({ ...each, count: Math.max(each.count + (moved.get(each.state) ?? 0), 0) }))
        const fresh = [...moved].filter(([state, count]) => count > 0 && !before.some((each) => each.state === state))
        return [...known, ...fresh.map(([state, count]) => ({ state, status: null, count, oldestAt: null }))]
      })
  })
  useEffect(() => () => void (due.current && clearTimeout(due.current)), [])
  return counts
}
