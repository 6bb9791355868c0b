import { useQuery, useQueryClient } from '@tanstack/react-query'
import { attentionStatuses } from '../../domain/execution/status'
import type { StateCountView } from '../../http/dashboard/states'
import { ask } from '../data/api'
import { useHere } from '../data/session'
import { usePolling, useThrottledRefresh } from './live'

export type StateCount = StateCountView

/** The statuses in flight. The list of executions uses the same filter. */
export const inFlight = ['PENDING', 'RUNNING'] as const
export const isInFlight = ({ status }: StateCount): boolean => (inFlight as readonly (string | null)[]).includes(status)
/** The stages of deposits that are not shown as executions yet. The list of deposits uses the same filter. */
export const beforehand = ['WAITING_FOR_INTENT', 'QUEUED', 'PAUSED', 'ROUTING'] as const
export const isBeforehand = ({ status }: StateCount): boolean => status === null

/** Adds up the counts of some rows. A state has one row per status shown of it. */
export const countOf = (rows: readonly StateCount[], isIn: (row: StateCount) => boolean): number =>
  rows.reduce((sum, row) => sum + (isIn(row) ? row.count : 0), 0)

/** Counts the listed deposits without an execution. Re-drives and returned deposits are not listed. */
export const listedBeforehand = (rows: readonly StateCount[]): number =>
  rows.reduce((sum, row) => sum + (isBeforehand(row) ? row.count - row.unlisted : 0), 0)

/** Whether the status is FAILED. A repeated attempt also shows FAILED until its transaction is sent. */
export const waitsForRetry = ({ state, status }: StateCount): boolean => (status ?? state) === 'FAILED'

/** Counts executions that wait only for a routing provider. */
export const waitingForProvider = (rows: readonly StateCount[]): number =>
  rows.reduce((sum, { forProvider }) => sum + forProvider, 0)

const attention = new Set<string>(attentionStatuses)
/** Counts ended executions that need action and were not taken over by another execution. */
export const needingAttention = (rows: readonly StateCount[]): number =>
  rows.reduce((sum, { state, count, superseded }) => sum + (attention.has(state) ? count - superseded : 0), 0)

const truthMs = 20_000
/** The server caches a count for this long, so an earlier request could miss the latest event. */
const soonMs = 1_000

/**
 * Returns how many executions are in each state, as counted by the database. Fetched again after events, at most once a
 * second. Events are not added to a count, because it might already include them.
 */
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
  useThrottledRefresh(
    ({ transition }) => transition !== null,
    () => void client.invalidateQueries({ queryKey }),
    soonMs,
  )
  return counts
}
