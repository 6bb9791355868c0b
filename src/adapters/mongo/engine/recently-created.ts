import { BoundedMap } from '../../../domain/bounded-map'

const momentMs = 1_000
const keptMax = 1_000

/**
 * Records that this process created, each kept briefly for a single reader. Another process may have changed a record
 * since then. The reader's write requires the same version, as it does for a worker that stalled after reading.
 */
export class RecentlyCreated<R extends { id: string }> {
  #records = new BoundedMap<string, { record: R; until: number }>(keptMax)

  constructor(private readonly now: () => number = () => performance.now()) {}

  keep(record: R): void {
    this.#records.set(record.id, { record, until: this.now() + momentMs })
  }

  take(id: string): R | null {
    const kept = this.#records.get(id)
    this.#records.delete(id)
    return kept && kept.until > this.now() ? kept.record : null
  }
}
