/**
 * What processes met of the node of a chain, which they share so that an outage costs a deposit the same whichever
 * processes carry it. Times are milliseconds since 1970.
 */
export type NodeTrouble = {
  id: string
  version: number
  /** When a call failed while nothing was known to be wrong. */
  failedAt: number
  /** Until when the node counts as unreliable, because a call failed again. */
  until: number
}

/**
 * How long after its last failure a node still counts as unreliable: one that answers every other call would never be
 * left alone.
 */
const ailingMs = 10 * 60_000
/** While a node keeps failing, it is noted this often. */
const noteMs = 60_000

export const untroubled = (id: string): NodeTrouble => ({ id, version: 0, failedAt: -ailingMs, until: 0 })

/**
 * How long a call that others do not share waits without a doubt that the node is to blame. Then the node must fail a
 * call of everybody's too: an order that no node can run would otherwise wait for ever, and never reach its end.
 */
export const doubtMs = 30 * 60_000

const isAiling = ({ until }: NodeTrouble, now: number): boolean => until > now

/** Whether the node has counted as unreliable for so short a time that a failure of any call is put down to it. */
export const isNewlyAiling = (trouble: NodeTrouble, now: number): boolean =>
  isAiling(trouble, now) && trouble.failedAt + doubtMs > now

/** Whether a failure is no surprise, because another call failed a while ago. */
export const isExpected = (trouble: NodeTrouble, now: number): boolean =>
  isAiling(trouble, now) || trouble.failedAt + ailingMs > now

/** Notes a failure; null when what is stored says enough. */
export function withNodeFailure(trouble: NodeTrouble, now: number): NodeTrouble | null {
  if (!isExpected(trouble, now)) return { ...trouble, failedAt: now }
  return trouble.until + noteMs > now + ailingMs ? null : { ...trouble, until: now + ailingMs }
}
