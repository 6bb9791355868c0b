/**
 * A turn of the event loop that takes more of the processor than this holds up every other request: a stall. What it
 * is to find took seconds; the collector and the compiler take up to 90 ms on the machines of the CI.
 */
export const stallMs = 250

/** `stalls` names what was at work. */
export type Turns = { turns: number; stalls: string[]; longestMs: number }

/**
 * Measures the thread that answers requests, and only it: while other processes keep that thread waiting, the
 * collector's and the compiler's threads go on working, and their time does not count as work of the turn.
 */
export const turnCpuMs = (): number => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve))

/**
 * How much processor time the turns of the event loop take during an action, not counting how long they waited for it.
 */
export function turnsWatched() {
  const found: Turns = { turns: 0, stalls: [], longestMs: 0 }

  async function during<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
    await nextTurn()
    let began = turnCpuMs()
    let isOver = false
    const turn = () => {
      const taken = turnCpuMs() - began
      found.turns++
      if (taken > stallMs) found.stalls.push(`${name}: ${Math.ceil(taken)} ms`)
      found.longestMs = Math.max(found.longestMs, taken)
      began = turnCpuMs()
      if (!isOver) setImmediate(turn)
    }
    setImmediate(turn)
    try {
      return await work()
    } finally {
      await nextTurn() // What it leaves to do is its own as well.
      isOver = true
      await nextTurn()
    }
  }
  return { found, during }
}
