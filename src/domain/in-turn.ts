/** One at a time per key, in the order of asking. What fails does not hold up what comes after it. */
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
