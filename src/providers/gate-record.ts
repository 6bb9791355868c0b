import { aged } from '../domain/aged'
import { rewrite } from '../domain/concurrency'
import type { Records } from '../ports/records'
import { openGate, type ProviderGate } from './breaker'

/**
 * Maximum age of this process's copy of the record, in milliseconds. Until the copy is renewed, a caller can repeat a
 * failure that another process has recorded.
 */
const copyMs = 1_000

/** The record of one provider that all processes share, and this process's copy of it. */
export function gateRecord(id: string, records: Records<ProviderGate>, now: () => number) {
  const load = async (): Promise<ProviderGate> => (await records.load(id)) ?? openGate(id)
  const copy = aged(load, { now, forMs: copyMs, from: 'END' })

  return {
    read: (): Promise<ProviderGate> => copy.get(),
    /** The copy, of any age. */
    last: (): ProviderGate => copy.peek() ?? openGate(id),
    /**
     * Changes the stored record.
     *
     * @param change Returns the same record to leave it unchanged.
     * @returns The record before and after.
     */
    async change(change: (record: ProviderGate) => ProviderGate): Promise<[before: ProviderGate, after: ProviderGate]> {
      let before = openGate(id)
      const after = await rewrite(records, id, (stored) => {
        before = stored ?? openGate(id)
        const changed = change(before)
        return changed === before ? null : changed
      })
      const kept = after ?? before
      copy.set(undefined, kept)
      return [before, kept]
    },
  }
}
