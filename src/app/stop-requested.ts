import type { Log } from './logging/log'
import type { Meters } from './telemetry/meters'

const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const
type StopSignal = (typeof signals)[number]

/**
 * Resolves with the signal that requests a stop. An unhandled promise rejection is logged and does not end the process.
 */
export function stopRequested(log: Log, { noteUnexpected }: Pick<Meters, 'noteUnexpected'>): Promise<StopSignal> {
  process.on('unhandledRejection', (error) => {
    noteUnexpected('promise')
    log.write('PROMISE_UNAWAITED', { error })
  })
  return new Promise((resolve) => {
    for (const signal of signals)
      process.on(signal, () => {
        log.write('STOPPING', { signal })
        resolve(signal)
      })
  })
}
