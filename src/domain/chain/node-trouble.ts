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

export const untroubled = (id: string): NodeTrouble => ({ id, version: 0, failedAt: -ailingMs, until: 0 })

/**
 * How long the failure of an unshared call is blamed on the node without doubt. After that, the node must also fail a
 * call that everyone makes. Otherwise an order that no node can run would wait forever and never end.
 */
export const doubtMs = 30 * 60_000

const isAiling = ({ until }: NodeTrouble, now: number): boolean => until > now

/** Whether the node became unreliable so recently that any failed call is blamed on it. */
export const isNewlyAiling = (trouble: NodeTrouble, now: number): boolean =>
  isAiling(trouble, now) && trouble.failedAt + doubtMs > now

/** Whether a failure is expected, because another call failed shortly before. */
export const isExpected = (trouble: NodeTrouble, now: number): boolean =>
  isAiling(trouble, now) || trouble.failedAt + ailingMs > now

/** Records a failure. Returns null if the stored record already covers it. */
export function withNodeFailure(trouble: NodeTrouble, now: number): NodeTrouble | null {
  if (!isExpected(trouble, now)) return { ...trouble, failedAt: now }
  return trouble.until + noteMs > now + ailingMs ? null : { ...trouble, until: now + ailingMs }
}
