import type { Log } from './log'

/** Resolves when the process is asked to stop. A bug that nobody caught is said, and ends nobody's work. */
export function asked(log: Log): Promise<void> {
  process.on('unhandledRejection', (error) => log.error({ error }, 'a promise failed and nobody waited for it'))
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
      process.on(signal, () => {
        log.info({ signal }, 'asked to stop')
        resolve()
      })
  })
}
