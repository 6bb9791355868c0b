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

/** How old this process's copy may be. */
const knownMs = 1_000
const nodesMax = 100
/** For how long a failure of this process's own calls says that its nodes may be away. */
const ownMs = 60_000

export type NodeTroubles = ReturnType<typeof nodeTroubles>

/**
 * What all processes met of the nodes. It stops nobody from asking: a process that meets a failure learns whether it
 * is the first. Nothing is read or written while calls succeed.
 */
export function nodeTroubles({ records, now }: { records: Records<NodeTrouble>; now: () => number }) {
  const known = new BoundedMap<string, { trouble: NodeTrouble; at: number }>(nodesMax)
  const failedAt = new BoundedMap<string, number>(nodesMax)

  async function read(id: string): Promise<NodeTrouble> {
    const kept = known.get(id)
    if (kept && kept.at + knownMs > now()) return kept.trouble
    // While the store is away, what was known last is all there is.
    const stored = await records.load(id).catch(() => kept?.trouble ?? null)
    return keep(stored ?? untroubled(id))
  }
  function keep(trouble: NodeTrouble): NodeTrouble {
    known.set(trouble.id, { trouble, at: now() })
    return trouble
  }

  return {
    now,
    /** Whether the node has failed for so short a time that any failure is put down to it. */
    isAiling: async (id: string): Promise<boolean> => isNewlyAiling(await read(id), now()),

    /** Whether what has failed since then lasts too long to be put down to the node without doubt. */
    isLasting: (since: number): boolean => since + doubtMs <= now(),

    /** Whether a call of this process failed lately. Its nodes and its network may not be those of others. */
    hasFailedHere: (id: string): boolean => (failedAt.get(id) ?? Number.NEGATIVE_INFINITY) + ownMs > now(),

    /** Notes a failure. Returns whether another one was known, of this process or of another. */
    async note(id: string): Promise<boolean> {
      failedAt.set(id, now())
      const before = await read(id)
      const wasExpected = isExpected(before, now())
      const after = withNodeFailure(before, now())
      if (!after) return wasExpected
      const saved = await records.save(after).catch(() => after)
      if (saved) keep(saved)
      else known.delete(id)
      return wasExpected || saved === null // whoever wrote meanwhile met a failure as well
    },
  }
}
