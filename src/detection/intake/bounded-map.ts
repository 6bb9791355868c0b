/** A map that forgets its oldest entries. What it holds may be used, and what it lacks has to be asked for. */
export function boundedMap<Value>(entriesMax: number) {
  const entries = new Map<string, Value>()
  return {
    get: (key: string): Value | undefined => entries.get(key),
    set(key: string, value: Value): void {
      entries.delete(key)
      entries.set(key, value)
      if (entries.size > entriesMax) entries.delete(entries.keys().next().value!)
    },
    forget: (key: string): void => void entries.delete(key),
  }
}
