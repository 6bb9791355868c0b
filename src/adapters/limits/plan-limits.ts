import type { Policy } from '../../domain/execution/route'
import { type Organization, type Plan, planOf } from '../../domain/tenant/organization'
import { policyWith } from '../../domain/tenant/policy-overrides'
import { type Claim, type QuotaBook, type QuotaPlace, quotaKeyOf } from '../../domain/tenant/quota'
import type { Executions } from '../../ports/executions'
import type { Budgets } from '../../ports/limits'
import type { Records } from '../../ports/records'
import type { Organizations } from '../../ports/tenants'
import { monthlyQuota } from './monthly-quota'

type Ports = {
  organizations: Pick<Organizations, 'load'>
  executions: Pick<Executions, 'countQuota' | 'carriers'>
  quotaBooks: Records<QuotaBook>
  budgets: Budgets
  now: () => number
}

const planMs = 1_000
const knownMax = 10_000
/** Estimates that failed and were forgiven, per organization and day (decision 32). */
const forgivenPerDay = 100
const dayMs = 86_400_000

type Terms = { plan: Plan; policy: Policy }

const termsFrom = (organization: Organization | null): Terms => ({
  plan: planOf(organization ?? { plan: 'free', customPlan: null }),
  policy: policyWith(organization?.policy),
})

/** What an organization's plan leaves: its policy, its month, its places, its free gas. */
export function planLimits({ organizations, executions, quotaBooks, budgets, now }: Ports) {
  const known = new Map<string, Terms & { at: number }>()
  const month = monthlyQuota({ books: quotaBooks, executions, now })
  const today = () => Math.floor(now() / dayMs)
  const takeToday = (what: string, organizationId: string, most: number, amount: number): Promise<boolean> =>
    budgets.take(`${what}:${organizationId}:${today()}`, most, (today() + 2) * dayMs, amount)

  async function termsOf(organizationId: string): Promise<Terms> {
    const kept = known.get(organizationId)
    if (kept && kept.at + planMs > now()) return kept
    const read = termsFrom(await organizations.load(organizationId))
    if (known.size >= knownMax) known.clear()
    known.set(organizationId, { ...read, at: now() })
    return read
  }

  const mayForgiveGas = (organizationId: string): Promise<boolean> =>
    takeToday('free-gas', organizationId, forgivenPerDay, 1)

  return {
    policyOf: async (organizationId: string): Promise<Policy> => (await termsOf(organizationId)).policy,

    /** How many times as many places of a relayer key as it leaves free an organization may hold. */
    relayerShareOf: async (organizationId: string): Promise<number> =>
      (await termsOf(organizationId)).plan.relayerShare,

    /** A place in the month, exact for all processes together. */
    async hasQuota(
      { id, version, organizationId }: Claim & { organizationId: string },
      at: number,
    ): Promise<QuotaPlace> {
      const { monthlyExecutions } = (await termsOf(organizationId)).plan
      if (monthlyExecutions === null) return 'YES'
      return month.place(quotaKeyOf(organizationId, at), monthlyExecutions, { id, version })
    },

    /** How many executions of a month are counted. */
    usedQuota: month.used,

    mayForgiveGas,

    /**
     * Whether the platform pays gas of such a worth, which is then taken out of the day's budget.
     *
     * @param microUsd whole, rounded up; null where nobody knows a price: it is one of the day's forgiven estimates.
     */
    async maySponsorGas(organizationId: string, microUsd: number | null): Promise<boolean> {
      const { sponsoredGasUsdPerDay } = (await termsOf(organizationId)).plan
      if (sponsoredGasUsdPerDay <= 0) return false
      if (microUsd === null) return mayForgiveGas(organizationId)
      return microUsd < 1 || takeToday('sponsored-gas', organizationId, sponsoredGasUsdPerDay * 1_000_000, microUsd)
    },
  }
}
