import type { OverdueView } from '../../http/operator/overdue'
import { useHere } from '../data/session'
import { useRead } from '../data/use-read'

export type Overdue = typeof OverdueView.infer

/** Names an entry among all. Only the message tells two relayers of a chain apart. */
export const overdueKey = ({ kind, chainId, provider, depositId, message }: Overdue): string =>
  [kind, chainId, provider, depositId, message].join(' ')

/** Returns the page of the execution that is overdue, once it is shown, or of its deposit. Null for a component. */
export function pageOf({ executionId, depositId }: Overdue): string | null {
  if (executionId !== null) return `/executions/${encodeURIComponent(executionId)}`
  return depositId === null ? null : `/deposits/${encodeURIComponent(depositId)}`
}

/** Returns what should have progressed by now, for operators. Other members get none. */
export function useOverdue() {
  const { isOperator } = useHere()
  return useRead<Overdue[]>(['overdue'], '/operator/overdue', { refetchInterval: 5_000, enabled: isOperator })
}
