import { type Organization, type Plan, planOf } from '../domain/organization'
import { policyWith } from '../domain/policy-overrides'
import { quotaKeyOf } from '../domain/quota'
import type { Policy } from '../domain/route'
import type { Budgets } from '../ports/budgets'
import type { Executions } from '../ports/executions'
import type { Organizations } from '../ports/tenants'

type Ports = {
  organizations: Pick<Organizations, 'load'>
  executions: Pick<Executions, 'countQuota'>
  budgets: Budgets
  now: () => number
}

const planMs = 1_000
const knownMax = 10_000
const countMs = 2_000
/** With so many places left, more than can be under way at once, a count need not be exact. */
const roomLeast = 2_000
/** How long a place is held for an execution that is on its way to be counted. */
const heldMs = 20_000
/** Estimates that failed and were forgiven, per organization and day. Decision 32. */
const forgivenPerDay = 100
const dayMs = 86_400_000

type Terms = { plan: Plan; policy: Policy }

const termsFrom = (organization: Organization | null): Terms => ({
  plan: planOf(organization ?? { plan: 'free', customPlan: null }),
  policy: policyWith(organization?.policy),
})

/** What an organization's plan leaves: its policy, its month, its free gas. */
export function planLimits({ organizations, executions, budgets, now }: Ports) {
  const known = new Map<string, Terms & { at: number }>()
  const counted = new Map<string, { count: number; at: number }>()
  const holding = new Map<string, Map<string, number>>()

  async function termsOf(organizationId: string): Promise<Terms> {
    const kept = known.get(organizationId)
    if (kept && kept.at + planMs > now()) return kept
    const read = termsFrom(await organizations.load(organizationId))
    if (known.size >= knownMax) known.clear()
    known.set(organizationId, { ...read, at: now() })
    return read
  }

  async function hasRoom(quotaKey: string, limit: number): Promise<boolean> {
    const kept = counted.get(quotaKey)
    if (kept && kept.at + countMs > now()) return limit - kept.count > roomLeast
    const count = await executions.countQuota(quotaKey)
    if (counted.size >= knownMax) counted.clear()
    counted.set(quotaKey, { count, at: now() })
    return limit - count > roomLeast
  }

  /** Takes a place in the queue before it counts, so that of many at once each knows who is before it. */
  async function place(id: string, quotaKey: string, limit: number): Promise<'YES' | 'NO' | 'SOON'> {
    const held = holding.get(quotaKey) ?? new Map<string, number>()
    holding.set(quotaKey, held)
    for (const [other, until] of held) if (until <= now()) held.delete(other)
    held.set(id, now() + heldMs)
    const before = [...held.keys()].indexOf(id)
    const count = await executions.countQuota(quotaKey, [...held.keys()])
    if (count + before < limit) return 'YES'
    held.delete(id)
    const counted = await executions.countQuota(quotaKey)
    return counted < limit ? 'SOON' : 'NO'
  }

  return {
    policyOf: async (organizationId: string): Promise<Policy> => (await termsOf(organizationId)).policy,

    /** Exact within a process; of several, each may let in what another has under way. */
    async hasQuota({ id, organizationId }: { id: string; organizationId: string }, at: number) {
      const { monthlyExecutions } = (await termsOf(organizationId)).plan
      if (monthlyExecutions === null) return 'YES'
      const quotaKey = quotaKeyOf(organizationId, at)
      return (await hasRoom(quotaKey, monthlyExecutions)) ? 'YES' : place(id, quotaKey, monthlyExecutions)
    },

    mayForgiveGas(organizationId: string): Promise<boolean> {
      const day = Math.floor(now() / dayMs)
      return budgets.take(`free-gas:${organizationId}:${day}`, forgivenPerDay, (day + 2) * dayMs)
    },
  }
}
