import type { Execution } from '../domain/execution/execution'
import type { Counter } from '../http/metrics/metrics'

/**
 * Counts the statuses and retries that this process's workers and operators brought executions to. The counters only
 * grow.
 */
export function outcomeCounts() {
  const reached = new Map<string, { labels: { status: string; category: string }; value: number }>()
  let retries = 0

  function note(before: Execution | null, after: Execution): void {
    if (before === null) return
    retries += Math.max(after.retryCount - before.retryCount, 0)
    const { status, cause } = after
    if (status === null || status === before.status) return
    const hasFailed = status !== 'PENDING' && status !== 'RUNNING' && status !== 'SUCCESS'
    const category = hasFailed ? (cause?.category ?? 'NONE') : 'NONE'
    const row = reached.get(`${status} ${category}`) ?? { labels: { status, category }, value: 0 }
    row.value += 1
    reached.set(`${status} ${category}`, row)
  }

  const counted: Counter[] = [
    {
      name: 'execution_statuses_total',
      help: 'Statuses that executions reached in this process, by the category of their cause',
      labels: ['status', 'category'],
      read: () => [...reached.values()],
    },
    {
      name: 'execution_retries_total',
      help: 'Retries that this process began',
      labels: [],
      read: () => [{ labels: {}, value: retries }],
    },
  ]
  return { note, counted }
}
