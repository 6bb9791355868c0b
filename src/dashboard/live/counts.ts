import { useQuery, useQueryClient } from '@tanstack/react-query'
import { attentionStatuses } from '../../domain/execution/status'
import type { StateCountView } from '../../http/dashboard/states'
import { ask } from '../data/api'
import { useHere } from '../data/session'
import { usePolling, useSoonAfter } from './live'

export type StateCount = StateCountView

/** The statuses of what is in flight; the list of executions finds the same under them. */
export const inFlight = ['PENDING', 'RUNNING'] as const
export const isInFlight = ({ status }: StateCount): boolean => (inFlight as readonly (string | null)[]).includes(status)
/** The stages of deposits that are not shown as executions yet; the list of deposits finds them under these. */
export const beforehand = ['WAITING_FOR_INTENT', 'QUEUED', 'PAUSED', 'ROUTING'] as const
export const isBeforehand = ({ status }: StateCount): boolean => status === null

/** Adds up the counts of some rows. A state has a row for each status that is shown of it. */
export const countOf = (rows: readonly StateCount[], isIn: (row: StateCount) => boolean): number =>
  rows.reduce((sum, row) => sum + (isIn(row) ? row.count : 0), 0)

/** How many rows of the list of deposits have no execution yet. Re-drives and returned deposits are not on it. */
export const listedBeforehand = (rows: readonly StateCount[]): number =>
  rows.reduce((sum, row) => sum + (isBeforehand(row) ? row.count - row.unlisted : 0), 0)

/**
 * Whether the status is FAILED. An attempt that is being made again shows FAILED too, until its transaction is sent.
 */
export const waitsForRetry = ({ state, status }: StateCount): boolean => (status ?? state) === 'FAILED'

/** How many wait for nothing but a routing provider. */
export const waitingForProvider = (rows: readonly StateCount[]): number =>
  rows.reduce((sum, { forProvider }) => sum + forProvider, 0)

const attention = new Set<string>(attentionStatuses)
/** How many have ended and wait for somebody to act, without those that another execution has taken over. */
export const needingAttention = (rows: readonly StateCount[]): number =>
  rows.reduce((sum, { state, count, superseded }) => sum + (attention.has(state) ? count - superseded : 0), 0)

const truthMs = 20_000
/** The server caches a count for this long, so one that is asked for sooner may lack the latest event. */
const soonMs = 1_000

/**
 * How many are in each state, as the database counts them: asked for again while something moves, a second apart at
 * most. Events are not added to a count here, because it may include them already.
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
  useSoonAfter(
    ({ transition }) => transition !== null,
    () => void client.invalidateQueries({ queryKey }),
    soonMs,
  )
  return counts
}
