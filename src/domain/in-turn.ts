/**
 * Runs one task at a time for each key, in the order in which they were asked for. A task that fails does not hold up
 * the next one.
 */
export function inTurn() {
  const last = new Map<string, Promise<unknown>>()

  return <Result>(key: string, act: () => Promise<Result>): Promise<Result> => {
    const mine = (last.get(key) ?? Promise.resolve()).then(act, act)
    last.set(key, mine)
    const forget = () => {
      if (last.get(key) === mine) last.delete(key)
    }
    mine.then(forget, forget)
    return mine
  }
}
