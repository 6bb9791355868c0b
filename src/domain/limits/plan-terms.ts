import type { ChainId } from '../chain/chain'
import { type Policy, policyWith } from '../execution/route'
import { type Organization, type Plan, planOf } from '../tenant/organization'

const dayMs = 86_400_000
/** Failed gas estimates that the platform pays for, per organization and day (decision 32). */
const forgivenPerDay = 100

/**
 * Refunds by the RecoveryExecutor per organization, chain and day. The platform pays their gas. The contract allows
 * twenty a day for all organizations together, so one organization must not use them up.
 */
const givenBackPerDay = 5

/** Terms of an organization: the limits of its plan, and its routing policy. */
export type PlanTerms = { plan: Plan; policy: Policy }

/** Returns the terms of an organization. An unknown organization gets the free plan's. */
export const planTermsOf = (organization: Organization | null): PlanTerms => ({
  plan: planOf(organization ?? { plan: 'free', customPlan: null }),
  policy: policyWith(organization?.policy),
})

/** Daily budget of one organization. It can be deleted a day after its own day has ended. */
export type DailyBudget = { id: string; most: number; forgetAt: number }

function dailyBudget(name: string, organizationId: string, most: number, at: number): DailyBudget {
  const day = Math.floor(at / dayMs)
  return { id: `${name}:${organizationId}:${day}`, most, forgetAt: (day + 2) * dayMs }
}

/** Returns the day's budget of forgiven gas estimates, as a count. */
export const forgivenGasBudget = (organizationId: string, at: number): DailyBudget =>
  dailyBudget('free-gas', organizationId, forgivenPerDay, at)

/** Returns the day's budget of refunds by the RecoveryExecutor on a chain, as a count. */
export const refundBudget = (organizationId: string, chainId: ChainId, at: number): DailyBudget =>
  dailyBudget(`given-back-${chainId}`, organizationId, givenBackPerDay, at)

/** Returns the day's budget of sponsored gas, in millionths of a USD. */
export const sponsoredGasBudget = (organizationId: string, mostMicroUsd: number, at: number): DailyBudget =>
  dailyBudget('sponsored-gas', organizationId, mostMicroUsd, at)

/**
 * Returns how gas of this value is sponsored under a plan: never, as one of the day's forgiven estimates, free, or from
 * the day's budget. Gas is free if its value is too small to count.
 *
 * @param microUsd Whole number, rounded up; null if the gas has no price.
 */
export function sponsoredGasOf(
  { sponsoredGasUsdPerDay }: Plan,
  microUsd: number | null,
): 'NEVER' | 'FORGIVEN' | 'FREE' | { microUsd: number; mostMicroUsd: number } {
  if (sponsoredGasUsdPerDay <= 0) return 'NEVER'
  if (microUsd === null) return 'FORGIVEN'
  return microUsd < 1 ? 'FREE' : { microUsd, mostMicroUsd: sponsoredGasUsdPerDay * 1_000_000 }
}
