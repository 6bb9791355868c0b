import { useQuery } from '@tanstack/react-query'
import type { OverdueView } from '../../http/operator/overdue'
import { ask } from '../data/api'
import { useHere } from '../data/session'

export type Overdue = typeof OverdueView.infer

/** Returns what should have progressed by now, for operators. Other members get none. */
export function useOverdue() {
  const { organization, isOperator } = useHere()
  return useQuery({
    queryKey: ['overdue', organization.id],
    queryFn: () => ask<Overdue[]>('/operator/overdue'),
    refetchInterval: 5_000,
    enabled: isOperator,
  })
}
