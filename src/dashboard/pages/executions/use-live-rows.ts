import { type InfiniteData, type QueryKey, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { ExecutionRow } from '../../data/types'
import { useEvents } from '../../live/live'
import type { LiveEvent } from '../../live/stream'
import { fits } from './execution-filter'

const waitingMax = 999

/**
 * Keeps a list of executions current while it is on screen. Displayed rows change in place, and new rows are held back,
 * so nothing moves under the pointer. Returns the number of new rows and a function that shows them.
 */
export function useLiveRows(queryKey: QueryKey, parameters: URLSearchParams, isLive: boolean) {
  const client = useQueryClient()
  const [waiting, setWaiting] = useState<ReadonlySet<string>>(new Set())
  useEvents((events) => {
    const changed = newestRows(events)
    if (changed.size === 0) return
    const shown = new Set<string>()
    client.setQueryData<InfiniteData<{ body: ExecutionRow[] }>>(queryKey, (before) => {
      if (!before) return before
      const renew = (row: ExecutionRow): ExecutionRow => {
        shown.add(row.id)
        const newer = changed.get(row.id)
        return newer && newer.seq > row.seq ? { ...row, ...newer } : row
      }
      return { ...before, pages: before.pages.map((page) => ({ ...page, body: page.body.map(renew) })) }
    })
    const fresh = [...changed.values()].filter((row) => !shown.has(row.id) && fits(row, parameters))
    if (fresh.length > 0) setWaiting((before) => new Set([...before, ...fresh.map(({ id }) => id)].slice(-waitingMax)))
  }, isLive)
  const filter = parameters.toString()
  // biome-ignore lint/correctness/useExhaustiveDependencies: what waits fits one filter
  useEffect(() => setWaiting(new Set()), [filter])
  const showWaiting = () => {
    setWaiting(new Set())
    void client.resetQueries({ queryKey })
  }
  return { waiting: waiting.size, showWaiting }
}

/** Returns the newest state of each execution in the events. */
function newestRows(events: readonly LiveEvent[]): Map<string, ExecutionRow> {
  const rows = new Map<string, ExecutionRow>()
  for (const { type, data } of events) {
    if (!type.startsWith('execution.') || type === 'execution.moved') continue
    const row = data as unknown as ExecutionRow
    const shown = rows.get(row.id)
    if (!shown || row.seq >= shown.seq) rows.set(row.id, row)
  }
  return rows
}
