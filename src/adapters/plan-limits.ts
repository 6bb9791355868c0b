import { type Plan, planOf } from '../domain/organization'
import { quotaKeyOf } from '../domain/quota'
import { defaultPolicy, type Policy } from '../domain/route'
import type { Executions } from '../ports/executions'
import type { Organizations } from '../ports/tenants'

type Ports = {
  organizations: Pick<Organizations, 'load'>
  executions: Pick<Executions, 'countQuota'>
  now: () => number
}

const planMs = 1_000
const countMs = 2_000
/** A count this far below the limit need not be exact. */
const nearPercent = 90
/** Estimates that failed and were forgiven, per organization, day and process. Decision 32. */
const forgivenPerDay = 100

/** What an organization's plan leaves: its policy, its month, its free gas. */
export function planLimits({ organizations, executions, now }: Ports) {
  const known = new Map<string, { plan: Plan; at: number }>()
  const counted = new Map<string, { count: number; at: number }>()
  const forgiven = new Map<string, number>()

  async function plan(organizationId: string): Promise<Plan> {
    const kept = known.get(organizationId)
    if (kept && kept.at + planMs > now()) return kept.plan
    const organization = await organizations.load(organizationId)
    const read = planOf(organization ?? { plan: 'free', customPlan: null })
    known.set(organizationId, { plan: read, at: now() })
    return read
  }

  async function count(quotaKey: string, limit: number): Promise<number> {
    const kept = counted.get(quotaKey)
    if (kept && kept.at + countMs > now() && kept.count * 100 < limit * nearPercent) return kept.count
    const read = await executions.countQuota(quotaKey)
    counted.set(quotaKey, { count: read, at: now() })
    return read
  }

  return {
    policyOf: async (_organizationId: string): Promise<Policy> => defaultPolicy,

    async hasQuota(organizationId: string, at: number): Promise<boolean> {
      const { monthlyExecutions } = await plan(organizationId)
      if (monthlyExecutions === null) return true
      return (await count(quotaKeyOf(organizationId, at), monthlyExecutions)) < monthlyExecutions
    },

    async mayForgiveGas(organizationId: string): Promise<boolean> {
      const day = `${organizationId}:${Math.floor(now() / 86_400_000)}`
      const used = forgiven.get(day) ?? 0
      if (used >= forgivenPerDay) return false
      if (used === 0) for (const old of forgiven.keys()) if (!old.endsWith(day.slice(-5))) forgiven.delete(old)
      forgiven.set(day, used + 1)
      return true
    },
  }
}
