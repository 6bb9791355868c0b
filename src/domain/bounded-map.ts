/** A map that forgets its oldest entries. What it holds may be used, and what it lacks has to be asked for. */
export class BoundedMap<Key, Value> extends Map<Key, Value> {
  constructor(private readonly entriesMax: number) {
    super()
  }

  /** Sets an entry, which counts as the newest from then on. */
  override set(key: Key, value: Value): this {
    this.delete(key)
    super.set(key, value)
    if (this.size > this.entriesMax) this.delete(this.keys().next().value!)
    return this
  }
}
