export type UsageAnswer = {
  from: string
  to: string
  quota: { month: string; limit: number | null; used: number; resetsAt: string }
  keys: { id: string; label: string }[]
  rows: UsageRow[]
  requests: { keyId: string; date: string; requests: number; errors: number }[]
}
export type UsageRow = {
  date: string
  apiKeyId: string | null
  fromChainKey: string
  toChainKey: string | null
  status: string
  isOver: boolean
  count: number
  secondsToSuccess: number
  volumeUsd: string | null
  protocolFeeUsd: string | null
  protocolFeeForgivenUsd: string | null
  gasFeeUsd: string | null
}

export type Figures = {
  executions: number
  succeeded: number
  failed: number
  active: number
  volumeUsd: number
  feesUsd: number
  forgivenUsd: number
  gasUsd: number
  secondsToSuccess: number
}

const nothing: Figures = {
  executions: 0,
  succeeded: 0,
  failed: 0,
  active: 0,
  volumeUsd: 0,
  feesUsd: 0,
  forgivenUsd: 0,
  gasUsd: 0,
  secondsToSuccess: 0,
}

/** Sums over rows; money that was not routed earned no fee. */
export function figuresOf(rows: readonly UsageRow[]): Figures {
  return rows.reduce((sum, row) => {
    const isSuccess = row.status === 'SUCCESS'
    return {
      executions: sum.executions + row.count,
      succeeded: sum.succeeded + (isSuccess ? row.count : 0),
      failed: sum.failed + (row.isOver && !isSuccess ? row.count : 0),
      active: sum.active + (row.isOver ? 0 : row.count),
      volumeUsd: sum.volumeUsd + (isSuccess ? Number(row.volumeUsd ?? 0) : 0),
      feesUsd: sum.feesUsd + (isSuccess ? Number(row.protocolFeeUsd ?? 0) : 0),
      forgivenUsd: sum.forgivenUsd + Number(row.protocolFeeForgivenUsd ?? 0),
      gasUsd: sum.gasUsd + (isSuccess ? Number(row.gasFeeUsd ?? 0) : 0),
      secondsToSuccess: sum.secondsToSuccess + row.secondsToSuccess,
    }
  }, nothing)
}

export function daysBetween(from: string, to: string): string[] {
  const days: string[] = []
  for (let at = Date.parse(from); at <= Date.parse(to); at += 86_400_000)
    days.push(new Date(at).toISOString().slice(0, 10))
  return days
}

export function groupedBy<Row>(rows: readonly Row[], keyOf: (row: Row) => string): Map<string, Row[]> {
  const groups = new Map<string, Row[]>()
  for (const row of rows) groups.set(keyOf(row), [...(groups.get(keyOf(row)) ?? []), row])
  return groups
}

export const dayName = (date: string): string =>
  new Date(`${date}T12:00:00Z`).toLocaleDateString('en-GB', { day: 'numeric', month: 'short' })
