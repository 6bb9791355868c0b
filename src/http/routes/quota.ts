import { quotaKeyOf } from '../../domain/execution/execution'
import { type Organization, planOf } from '../../domain/tenant/organization'
import type { Executions } from '../../ports/executions'
import { Refusal } from '../request/failure'

type QuotaPorts = { executions: Pick<Executions, 'countQuota'>; now: () => number }

/** Refuses with 429 if the month's executions are used up. The records themselves are counted (decision 39). */
export async function checkQuota({ executions, now }: QuotaPorts, organization: Organization): Promise<void> {
  const most = planOf(organization).monthlyExecutions
  if (most === null) return
  const at = now()
  if ((await executions.countQuota(quotaKeyOf(organization.id, at))) < most) return
  const seconds = Math.max(Math.ceil((nextMonth(at) - at) / 1_000), 1)
  throw new Refusal('QUOTA_EXCEEDED', { headers: { 'retry-after': String(seconds) } })
}

const nextMonth = (at: number): number => {
  const day = new Date(at)
  return Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + 1, 1)
}
