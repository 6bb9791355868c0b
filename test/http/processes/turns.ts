/**
 * Processor time above which a turn of the event loop is a stall that delays every other request. Real stalls took
 * seconds. Garbage collection and compilation take up to 90 ms on CI machines.
 */
export const stallMs = 250

/** `stalls` names the work. */
export type Turns = { turns: number; stalls: string[]; longestMs: number }

/**
 * Measures only the thread that answers requests. Time of the collector's and the compiler's threads, which continue
 * while other processes delay that thread, is left out.
 */
export const turnCpuMs = (): number => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve))

/** Measures the processor time of the event loop's turns during an action, without waiting times. */
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
      await nextTurn() // the work that it leaves behind counts too
      isOver = true
      await nextTurn()
    }
  }
  return { found, during }
}
