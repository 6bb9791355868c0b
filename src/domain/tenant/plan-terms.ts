import type { ChainId } from '../chain/chain'
import { type Policy, policyWith } from '../execution/route'
import { type Organization, type Plan, planOf } from './organization'

const dayMs = 86_400_000
/** Failed gas estimates that are forgiven per organization and day (decision 32). */
const forgivenPerDay = 100

/**
 * Refunds by the RecoveryExecutor per organization, chain and day. The platform pays their gas, and the contract makes
 * twenty a day for all organizations together, so one must not use them up.
 */
const givenBackPerDay = 5

/** What an organization may do: the limits of its plan, and the policy for its routes. */
export type PlanTerms = { plan: Plan; policy: Policy }

/** The terms of an organization; an unknown one has those of the free plan. */
export const planTermsOf = (organization: Organization | null): PlanTerms => ({
  plan: planOf(organization ?? { plan: 'free', customPlan: null }),
  policy: policyWith(organization?.policy),
})

/** A budget of one organization for one day. It may be forgotten a day after its own day has ended. */
export type DailyBudget = { id: string; most: number; forgetAt: number }

function dailyBudget(name: string, organizationId: string, most: number, at: number): DailyBudget {
  const day = Math.floor(at / dayMs)
  return { id: `${name}:${organizationId}:${day}`, most, forgetAt: (day + 2) * dayMs }
}

/** The day's budget of forgiven gas estimates, which are counted. */
export const forgivenGasBudget = (organizationId: string, at: number): DailyBudget =>
  dailyBudget('free-gas', organizationId, forgivenPerDay, at)

/** The day's budget of refunds by the RecoveryExecutor on a chain, which are counted. */
export const givenBackBudget = (organizationId: string, chainId: ChainId, at: number): DailyBudget =>
  dailyBudget(`given-back-${chainId}`, organizationId, givenBackPerDay, at)

/** The day's budget of sponsored gas, in millionths of a USD. */
export const sponsoredGasBudget = (organizationId: string, mostMicroUsd: number, at: number): DailyBudget =>
  dailyBudget('sponsored-gas', organizationId, mostMicroUsd, at)

/**
 * How gas of a worth is sponsored under a plan: never, as one of the day's forgiven estimates, free because it is worth
 * less than can be counted, or out of the day's budget.
 *
 * @param microUsd whole, rounded up; null when the gas has no price.
 */
export function sponsoredGasOf(
  { sponsoredGasUsdPerDay }: Plan,
  microUsd: number | null,
): 'NEVER' | 'FORGIVEN' | 'FREE' | { microUsd: number; mostMicroUsd: number } {
  if (sponsoredGasUsdPerDay <= 0) return 'NEVER'
  if (microUsd === null) return 'FORGIVEN'
  return microUsd < 1 ? 'FREE' : { microUsd, mostMicroUsd: sponsoredGasUsdPerDay * 1_000_000 }
}
