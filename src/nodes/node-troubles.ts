import { aged } from '../domain/aged'
import { BoundedMap } from '../domain/bounded-map'
import type { Records } from '../ports/records'

/** Maximum age of this process's copy, in milliseconds. */
const cachedMs = 1_000
const nodesMax = 100
/** How long a failed call of this process suggests that its nodes may be unreachable, in milliseconds. */
const ownMs = 60_000

export type NodeTroubles = ReturnType<typeof nodeTroubles>

/**
 * Node failures that all processes share. They hold back no call: a process that meets a failure learns whether it is
 * the first. Nothing is read or written while calls succeed.
 */
export function nodeTroubles({ records, now }: { records: Records<NodeTrouble>; now: () => number }) {
  // While the store is unavailable, the last copy is used.
  const read = async (id: string): Promise<NodeTrouble> =>
    (await records.load(id).catch(() => cached.peek(id))) ?? untroubled(id)
  const cached = aged(read, { now, forMs: cachedMs, from: 'END', most: nodesMax })
  const failedAt = new BoundedMap<string, number>(nodesMax)

  return {
    /** Whether the node began to fail so recently that any failure is attributed to it. */
    isAiling: async (id: string): Promise<boolean> => isNewlyAiling(await cached.get(id), now()),

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
export type NodeTrouble = {
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
const ailingMs = 10 * 60_000
/** Interval at which a continuing failure is recorded. */
const noteMs = 60_000

const untroubled = (id: string): NodeTrouble => ({ id, version: 0, failedAt: -ailingMs, until: 0 })

/**
 * How long the failure of an unshared call is blamed on the node without a check of its head. After that, the node must
 * also fail to return its head, which every deposit needs. Otherwise no other provider would replace a route that no
 * node can run.
 */
const doubtMs = 30 * 60_000

const isAiling = ({ until }: NodeTrouble, now: number): boolean => until > now

/** Whether the node became unreliable so recently that any failed call is blamed on it. */
const isNewlyAiling = (trouble: NodeTrouble, now: number): boolean =>
  isAiling(trouble, now) && trouble.failedAt + doubtMs > now

/** Whether a failure is expected, because another call failed shortly before. */
const isExpected = (trouble: NodeTrouble, now: number): boolean =>
  isAiling(trouble, now) || trouble.failedAt + ailingMs > now

/** Records a failure. Returns null if the stored record already covers it. */
function withNodeFailure(trouble: NodeTrouble, now: number): NodeTrouble | null {
  if (!isExpected(trouble, now)) return { ...trouble, failedAt: now }
  return trouble.until + noteMs > now + ailingMs ? null : { ...trouble, until: now + ailingMs }
}
