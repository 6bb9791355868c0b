import { rewrite } from '../domain/concurrency'
import type { Records } from '../ports/records'
import { openGate, type ProviderGate } from './breaker'

/**
 * Maximum age of this process's copy of the record, in milliseconds. Until the copy is renewed, a caller meets a
 * failure itself.
 */
const copyMs = 1_000

/** The record of one provider that all processes share, and this process's copy of it. */
export function gateRecord(id: string, records: Records<ProviderGate>, now: () => number) {
  let copy: { record: ProviderGate; at: number } | null = null
  let reading: Promise<ProviderGate> | null = null
  const keep = (record: ProviderGate): ProviderGate => {
    copy = { record, at: now() }
    return record
  }

  return {
    async read(): Promise<ProviderGate> {
      if (copy && copy.at + copyMs > now()) return copy.record
      reading ??= records
        .load(id)
        .then((record) => keep(record ?? openGate(id)))
        .finally(() => {
          reading = null
        })
      return reading
    },
    /** The copy, however old. */
    last: (): ProviderGate => copy?.record ?? openGate(id),
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
      return [before, keep(after ?? before)]
    },
  }
}
