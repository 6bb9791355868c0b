import { aged } from '../domain/aged'
import { BoundedMap } from '../domain/bounded-map'
import type { Records } from '../ports/records'

/** Maximum age of this process's copy, in milliseconds. */
const cachedMs = 1_000
const nodesMax = 100
/** How long a failed call of this process suggests that its nodes may be unreachable, in milliseconds. */
const ownMs = 60_000

export type NodeFailures = ReturnType<typeof nodeFailures>

/**
 * Node failures that all processes share. They hold back no call: a process that meets a failure learns whether it is
 * the first. Nothing is read or written while calls succeed.
 */
export function nodeFailures({ records, now }: { records: Records<NodeFailureRecord>; now: () => number }) {
  // While the store is unavailable, the last copy is used.
  const read = async (id: string): Promise<NodeFailureRecord> =>
    (await records.load(id).catch(() => cached.peek(id))) ?? healthy(id)
  const cached = aged(read, { now, forMs: cachedMs, from: 'END', most: nodesMax })
  const failedAt = new BoundedMap<string, number>(nodesMax)

  return {
    /** Whether the node began to fail so recently that any failure is attributed to it. */
    isUnhealthy: async (id: string): Promise<boolean> => isNewlyUnhealthy(await cached.get(id), now()),

    /** Whether a call of this process failed recently. Other processes may use other nodes or another network. */
    hasFailedHere: (id: string): boolean => (failedAt.get(id) ?? Number.NEGATIVE_INFINITY) + ownMs > now(),

    /** Records a failure. */
    async note(id: string): Promise<void> {
      failedAt.set(id, now())
      const after = withNodeFailure(await cached.get(id), now())
      if (!after) return
      const saved = await records.save(after).catch(() => after)
      if (saved) cached.set(id, saved)
      else cached.forget(id)
    },
  }
}

/**
 * Failures of a chain's node, shared by all processes, so an outage affects a deposit equally on any worker. Times are
 * milliseconds since 1970.
 */
export type NodeFailureRecord = {
  id: string
  version: number
  /** When a call failed on a node that seemed healthy. */
  failedAt: number
  /** End of the period in which the node counts as unreliable, because a call failed again. */
  until: number
}

/**
 * How long a node counts as unreliable after its last failure. A shorter time would never catch a node that fails every
 * second call.
 */
const unhealthyMs = 10 * 60_000
/** Interval at which a continuing failure is recorded. */
const noteMs = 60_000

const healthy = (id: string): NodeFailureRecord => ({ id, version: 0, failedAt: -unhealthyMs, until: 0 })

/**
 * How long the failure of an unshared call is blamed on the node without a check of its head. After that, the node must
 * also fail to return its head, which every deposit needs. Otherwise no other provider would replace a route that no
 * node can run.
 */
const doubtMs = 30 * 60_000

const isUnhealthy = ({ until }: NodeFailureRecord, now: number): boolean => until > now

/** Whether the node became unreliable so recently that any failed call is blamed on it. */
const isNewlyUnhealthy = (record: NodeFailureRecord, now: number): boolean =>
  isUnhealthy(record, now) && record.failedAt + doubtMs > now

/** Whether a failure is expected, because another call failed shortly before. */
const isExpected = (record: NodeFailureRecord, now: number): boolean =>
  isUnhealthy(record, now) || record.failedAt + unhealthyMs > now

/** Records a failure. Returns null if the stored record already covers it. */
function withNodeFailure(record: NodeFailureRecord, now: number): NodeFailureRecord | null {
  if (!isExpected(record, now)) return { ...record, failedAt: now }
  return record.until + noteMs > now + unhealthyMs ? null : { ...record, until: now + unhealthyMs }
}
