/** Map that evicts its oldest entries. Use it as a cache: fetch any missing entry. */
export class BoundedMap<Key, Value> extends Map<Key, Value> {
  constructor(private readonly entriesMax: number) {
    super()
  }

  /** Sets an entry and makes it the newest. */
  override set(key: Key, value: Value): this {
    this.delete(key)
    super.set(key, value)
    if (this.size > this.entriesMax) this.delete(this.keys().next().value!)
    return this
  }
}
