import type { Log } from './logging/log'
import type { Meters } from './telemetry/meters'

/**
 * Resolves when the process is asked to stop. A rejected promise that nothing handled is logged and does not end the
 * process.
 */
export function stopRequested(log: Log, { noteUnexpected }: Pick<Meters, 'noteUnexpected'>): Promise<void> {
  process.on('unhandledRejection', (error) => {
    noteUnexpected('promise')
    log.say('PROMISE_UNAWAITED', { error })
  })
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
      process.on(signal, () => {
        log.say('STOPPING', { signal })
        resolve()
      })
  })
}
