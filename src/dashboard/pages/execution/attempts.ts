import type { HistoryRow } from '../../data/types'

/** One attempt, from its first entry to its failure or end. `from` counts the entries before it. */
export type Attempt = { number: number; from: number; rows: HistoryRow[]; hasFailed: boolean }

/** Divides a history into attempts. An attempt that will be repeated ends with its move to FAILED. */
export function attemptsOf(history: readonly HistoryRow[]): Attempt[] {
  const attempts: Attempt[] = []
  let from = 0
  history.forEach((row, n) => {
    const hasFailed = row.to === 'FAILED' && row.from !== 'FAILED'
    if (!hasFailed && n < history.length - 1) return
    attempts.push({ number: attempts.length + 1, from, rows: history.slice(from, n + 1), hasFailed })
    from = n + 1
  })
  return attempts
}
