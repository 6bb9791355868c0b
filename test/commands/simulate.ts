import { availableParallelism } from 'node:os'
import { run } from '../support/simulation/run'

/** Runs the engine through failing worlds, and reports the first broken rule. */
export function simulate(options: {
  deposits: number
  seed: number
  only?: number[]
  with?: string[]
  trace?: true
  bug?: string
}): Promise<number> {
  const { with: troubles, ...settings } = options
  return run({ ...settings, threads: threadsFor(options.deposits), ...(troubles && { troubles }) })
}

/** Deposits that are worth another thread, which takes about a second to start. */
const depositsEach = 200
const threadsFor = (deposits: number): number =>
  Math.max(1, Math.min(availableParallelism(), Math.floor(deposits / depositsEach)))
