import { runProcess } from './app/process/process'
import { startFailure } from './app/start-failure'

/** Runs the service in this process with its environment, and ends the process with one sentence if the start fails. */
export const run = (): Promise<void> =>
  runProcess(process.env).catch((error) => {
    console.error(startFailure(error))
    process.exit(1)
  })

if (import.meta.main) await run()
