import type { Execution } from '../../../src/domain/execution/execution'
import type { Organization } from '../../../src/domain/tenant/organization'
import { planLimits } from '../../../src/limits/plan-limits'
import type { LimitCounters, Limits } from '../../../src/ports/limits'
import { unlimited } from '../unlimited'
import type { Process } from './loop'
import { isLimited, organizationIds } from './parties'
import { hasTrouble, type Plan } from './plan'

/** The organization with a quota. */
const [limited] = organizationIds
const monthlyExecutions = 7

/** Whether an organization of a world has a quota. */
export const hasQuotas = (plan: Plan): boolean => isLimited(plan.seed) && hasTrouble(plan, 'quotas')

const planOf = (id: string) =>
  ({
    id,
    plan: 'custom',
    customPlan: { monthlyExecutions: id === limited ? monthlyExecutions : null, rates: {} },
  }) as unknown as Organization

type QuotaPorts = Parameters<typeof planLimits>[0]
export type QuotaBug = (ports: QuotaPorts) => Partial<QuotaPorts>

/** The limits of a process: quotas of the product, and no others. */
export function quotaLimits(
  store: Pick<QuotaPorts, 'executions' | 'quotaBooks'>,
  process: Process,
  bug: QuotaBug = () => ({}),
): Limits {
  const ports: QuotaPorts = {
    ...store,
    organizations: { load: (id) => process.ask(async () => planOf(id), undefined, 'organization') },
    quotaWarnings: { note: () => process.ask(async () => {}, undefined, 'quota warning') },
    limitCounters: {} as LimitCounters,
    now: process.now,
  }
  return { ...unlimited, hasQuota: planLimits({ ...ports, ...bug(ports) }).hasQuota }
}

const isCounted = ({ organizationId, facts }: Execution): boolean =>
  organizationId === limited && facts.quotaKey !== undefined

/** The rules about quotas that records break. No month ends in a world. */
export function quotaFaults(executions: readonly Execution[]): string[] {
  const used = executions.filter(isCounted).length
  const isRefused = executions.some(({ state }) => state === 'QUOTA_EXCEEDED')
  return [
    ...(used > monthlyExecutions ? ['more executions than the quota allows'] : []),
    ...(isRefused && used < monthlyExecutions ? ['a quota was called used up before it was'] : []),
  ]
}
