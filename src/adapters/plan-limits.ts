import { type Organization, type Plan, planOf } from '../domain/organization'
import { policyWith } from '../domain/policy-overrides'
import { quotaKeyOf } from '../domain/quota'
import type { Policy } from '../domain/route'
import type { Executions } from '../ports/executions'
import type { Organizations } from '../ports/tenants'

type Ports = {
  organizations: Pick<Organizations, 'load'>
  executions: Pick<Executions, 'countQuota'>
  now: () => number
}

const planMs = 1_000
const knownMax = 10_000
const countMs = 2_000
/** A count this far below the limit need not be exact. */
const nearPercent = 90
/** Estimates that failed and were forgiven, per organization, day and process. Decision 32. */
const forgivenPerDay = 100

type Terms = { plan: Plan; policy: Policy }

const termsFrom = (organization: Organization | null): Terms => ({
  plan: planOf(organization ?? { plan: 'free', customPlan: null }),
  policy: policyWith(organization?.policy),
})

/** What an organization's plan leaves: its policy, its month, its free gas. */
export function planLimits({ organizations, executions, now }: Ports) {
  const known = new Map<string, Terms & { at: number }>()
  const counted = new Map<string, { count: number; at: number }>()
  const forgiven = new Map<string, number>()

  async function termsOf(organizationId: string): Promise<Terms> {
    const kept = known.get(organizationId)
    if (kept && kept.at + planMs > now()) return kept
    const read = termsFrom(await organizations.load(organizationId))
    if (known.size >= knownMax) known.clear()
    known.set(organizationId, { ...read, at: now() })
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
    policyOf: async (organizationId: string): Promise<Policy> => (await termsOf(organizationId)).policy,

    async hasQuota(organizationId: string, at: number): Promise<boolean> {
      const { monthlyExecutions } = (await termsOf(organizationId)).plan
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
