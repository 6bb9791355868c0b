/** What was read is good for a while, and of many who ask at once one reads. What fails is read again. */
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
