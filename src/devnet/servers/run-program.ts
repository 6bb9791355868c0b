import type { Report } from './server.ts'
import { type ChildOptions, spawnChild } from './spawn-child.ts'

/** Runs a program to its end. @returns its last lines. @throws with them if it fails or takes too long. */
export async function runProgram(
  command: readonly string[],
  { timeoutMs = 10 * 60_000, ...options }: ChildOptions & { timeoutMs?: number } = {},
): Promise<string> {
  const child = spawnChild(command, options)
  let isLate = false
  const late = setTimeout(() => {
    isLate = true
    void child.stop('SIGKILL')
  }, timeoutMs)
  const code = await child.exited
  clearTimeout(late)
  if (isLate) throw new Error(`${command[0]} took longer than ${Math.round(timeoutMs / 1000)} s.`)
  if (code !== 0) throw new Error(`${command.slice(0, 2).join(' ')} failed: ${child.tail().slice(-600)}`)
  return child.tail()
}

/** Reports the start of a step, runs it, and reports its duration. */
export async function runStep<T>(report: Report, what: string, work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now()
  report(`${what} ...`)
  const result = await work()
  report(`${what}: ${((performance.now() - startedAt) / 1000).toFixed(1)} s`)
  return result
}
