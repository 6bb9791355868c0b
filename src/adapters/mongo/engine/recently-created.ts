import { BoundedMap } from '../../../domain/bounded-map'

const momentMs = 1_000
const keptMax = 1_000

/**
 * Records that this process created, each kept briefly for a single reader. Another process may have changed one since:
 * the reader writes on the condition of its version, as a worker would that slept after reading it.
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
