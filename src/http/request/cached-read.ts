/** Reads at most once every `keepMs`: callers share the last result or the read under way. A failure is not kept. */
export function cachedRead<Value>(read: () => Promise<Value>, keepMs: number, now: () => number): () => Promise<Value> {
  let last: { at: number; value: Promise<Value> } | null = null
  return () => {
    if (last && last.at + keepMs > now()) return last.value
    const mine = { at: now(), value: read() }
    last = mine
    mine.value.catch(() => {
      if (last === mine) last = null
    })
    return mine.value
  }
}
