import type { Log } from '../../src/app/logging/log'
import { outcomeLog } from '../../src/app/logging/outcome-log'

/** Collects the log lines that a worker writes about records, in order. */
export function narrated() {
  const lines: object[] = []
  const log = { write: (event: string, line: object) => lines.push({ event, ...line }) } as unknown as Log
  const { onRecord } = outcomeLog(
    log,
    () => 0,
    () => {},
  )
  return { lines, onRecord }
}
