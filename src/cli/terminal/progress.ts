import { Listr, type ListrTask, PRESET_TIMER } from 'listr2'
import { wallClock } from '../../adapters/clock'
import { messageOf } from './failure'

export type Report = (line: string) => void

/** A task that takes time. It reports its progress, and may resolve to a remark about the result. */
type Step = { title: string; run: (report: Report) => Promise<string | undefined> }

export interface Progress {
  /** Runs all steps at the same time. When all have ended, throws the first error, if any. */
  runAll(steps: readonly Step[]): Promise<void>
  print: Report
}

export const seconds = (ms: number): string => `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 1)} s`

const columnsMin = 60

/** Shows live progress on a wide enough terminal, and prints plain lines elsewhere. */
export const progress = ({ isTTY, columns } = process.stdout): Progress =>
  isTTY && columns >= columnsMin && !process.env['CI'] ? live : plain

const print: Report = (line) => void process.stdout.write(`${line}\n`)

/** Prints a line for each report of a step, and one when the step is done. */
const plain: Progress = {
  print,
  async runAll(steps) {
    const ended = await Promise.allSettled(
      steps.map(async ({ title, run }) => {
        const startedAt = performance.now()
        try {
          const remark = await run((line) => print(`  ${title}: ${line}`))
          print(`✓ ${title}${remark ? `: ${remark}` : ''} (${seconds(performance.now() - startedAt)})`)
        } catch (error) {
          print(`✗ ${title}: ${messageOf(error)} (${seconds(performance.now() - startedAt)})`)
          throw error
        }
      }),
    )
    for (const end of ended) if (end.status === 'rejected') throw end.reason
  },
}

/** Gives each step a fixed line on the terminal, with its latest report below its title. */
const live: Progress = {
  print,
  async runAll(steps) {
    const failures: unknown[] = []
    const tasks = steps.map(
      ({ title, run }): ListrTask<unknown> => ({
        title,
        rendererOptions: { outputBar: 12, persistentOutput: true, timer: PRESET_TIMER },
        task: async (_, task) => {
          try {
            const remark = await run((line) => {
              task.output = line
            })
            if (remark) task.title = `${title}: ${remark}`
          } catch (error) {
            failures.push(error)
            throw error
          }
        },
      }),
    )
    const list = new Listr(tasks, {
      concurrent: true,
      exitOnError: false,
      registerSignalListeners: false,
      rendererOptions: { showErrorMessage: true, collapseErrors: false },
    })
    await list.run()
    if (failures.length > 0) throw failures[0]
  },
}

/** Returns a function that prints lines, each with the seconds since `startedAt`. */
export const printerSince =
  (startedAt: number) =>
  (line: string, at = wallClock()): void =>
    console.log(`${((at - startedAt) / 1000).toFixed(2).padStart(6)} s  ${line}`)
