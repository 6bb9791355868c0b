import { aged } from '../../../domain/aged'
import { BoundedMap } from '../../../domain/bounded-map'
import {
  doubtMs,
  isExpected,
  isNewlyAiling,
  type NodeTrouble,
  untroubled,
  withNodeFailure,
} from '../../../domain/chain/node-trouble'
import type { Records } from '../../../ports/records'

/** Maximum age of this process's copy, in milliseconds. */
const knownMs = 1_000
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
    (await records.load(id).catch(() => known.peek(id))) ?? untroubled(id)
  const known = aged(read, { now, forMs: knownMs, from: 'END', most: nodesMax })
  const failedAt = new BoundedMap<string, number>(nodesMax)

  return {
    now,
    /** Whether the node began to fail so recently that any failure is attributed to it. */
    isAiling: async (id: string): Promise<boolean> => isNewlyAiling(await known.get(id), now()),

    /** Whether failures since then have lasted too long to be attributed to the node without doubt. */
    isLasting: (since: number): boolean => since + doubtMs <= now(),

    /** Whether a call of this process failed recently. Other processes may use other nodes or another network. */
    hasFailedHere: (id: string): boolean => (failedAt.get(id) ?? Number.NEGATIVE_INFINITY) + ownMs > now(),

    /** Records a failure. Returns whether any process had already recorded one. */
    async note(id: string): Promise<boolean> {
      failedAt.set(id, now())
      const before = await known.get(id)
      const wasExpected = isExpected(before, now())
      const after = withNodeFailure(before, now())
      if (!after) return wasExpected
      const saved = await records.save(after).catch(() => after)
      if (saved) known.set(id, saved)
      else known.forget(id)
      return wasExpected || saved === null // a process that saved first met a failure too
    },
  }
}
