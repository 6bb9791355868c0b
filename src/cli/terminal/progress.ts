import { Listr, type ListrTask, PRESET_TIMER } from 'listr2'
import { messageOf } from './failure'

export type Report = (line: string) => void

/** Something that takes time. It says what it does meanwhile, and may end with a remark. */
export type Step = { title: string; run: (say: Report) => Promise<string | undefined> }

export interface Progress {
  /** All at once; ends with the first that fails, after the others have ended too. */
  together(steps: readonly Step[]): Promise<void>
  say: Report
}

export const seconds = (ms: number): string => `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 1)} s`

const columnsMin = 60

/** Live on a terminal that has room for it, plain lines anywhere else. */
export const progress = ({ isTTY, columns } = process.stdout): Progress =>
  isTTY && columns >= columnsMin && !process.env['CI'] ? live : plain

const print: Report = (line) => void process.stdout.write(`${line}\n`)

/** One line when a step has something to say and one when it is done. */
const plain: Progress = {
  say: print,
  async together(steps) {
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

/** Every step keeps its place on the terminal and shows what it does below its title. */
const live: Progress = {
  say: print,
  async together(steps) {
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

/** Lines with the time since a moment before them. */
export const printerSince =
  (startedAt: number) =>
  (line: string, at = Date.now()): void =>
    console.log(`${((at - startedAt) / 1000).toFixed(2).padStart(6)} s  ${line}`)
