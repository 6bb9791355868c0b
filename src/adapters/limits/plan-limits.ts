import { aged } from '../../domain/aged'
import type { ChainId } from '../../domain/chain/chain'
import { quotaKeyOf } from '../../domain/execution/execution'
import type { Policy } from '../../domain/execution/route'
import {
  type DailyBudget,
  forgivenGasBudget,
  givenBackBudget,
  type PlanTerms,
  planTermsOf,
  sponsoredGasBudget,
  sponsoredGasOf,
} from '../../domain/tenant/plan-terms'
import type { Claim, QuotaBook, QuotaResult } from '../../domain/tenant/quota'
import type { Executions } from '../../ports/executions'
import type { LimitCounters, QuotaWarnings } from '../../ports/limits'
import type { Records } from '../../ports/records'
import type { Organizations } from '../../ports/tenants'
import { monthlyQuota } from './monthly-quota'

type Ports = {
  organizations: Pick<Organizations, 'load'>
  executions: Pick<Executions, 'countQuota' | 'carriers'>
  quotaBooks: Records<QuotaBook>
  quotaWarnings: Pick<QuotaWarnings, 'note'>
  limitCounters: LimitCounters
  now: () => number
}

const planMs = 1_000
const knownMax = 10_000

/** Enforces an organization's plan: its policy, monthly quota, relayer share and gas budgets. */
export function planLimits({ organizations, executions, quotaBooks, quotaWarnings, limitCounters, now }: Ports) {
  const read = async (organizationId: string) => planTermsOf(await organizations.load(organizationId))
  const terms = aged(read, { now, forMs: planMs, from: 'END', most: knownMax })
  const termsOf = (organizationId: string): Promise<PlanTerms> => terms.get(organizationId)
  const month = monthlyQuota({ books: quotaBooks, executions, warnings: quotaWarnings, now })

  function take({ id, most, forgetAt }: DailyBudget, amount: number): Promise<boolean> {
    return limitCounters.take(id, most, forgetAt, amount)
  }

  const mayForgiveGas = (organizationId: string): Promise<boolean> => take(forgivenGasBudget(organizationId, now()), 1)

  return {
    policyOf: async (organizationId: string): Promise<Policy> => (await termsOf(organizationId)).policy,

    /** An organization may hold this many times as many slots of a relayer key as it leaves free. */
    relayerShareOf: async (organizationId: string): Promise<number> =>
      (await termsOf(organizationId)).plan.relayerShare,

    /** Claims a place in the month's quota, which is exact across all processes. */
    async hasQuota(
      { id, version, organizationId }: Claim & { organizationId: string },
      at: number,
    ): Promise<QuotaResult> {
      const { monthlyExecutions } = (await termsOf(organizationId)).plan
      if (monthlyExecutions === null) return 'YES'
      const quotaKey = quotaKeyOf(organizationId, at)
      return month.claim({ organizationId, quotaKey, most: monthlyExecutions }, { id, version })
    },

    /** Number of executions that count in a month. */
    usedQuota: month.used,

    mayForgiveGas,

    /** Takes one refund by the RecoveryExecutor on the chain from the day's budget. Returns whether one was left. */
    mayGiveBack: (organizationId: string, chainId: ChainId): Promise<boolean> =>
      take(givenBackBudget(organizationId, chainId, now()), 1),

    /**
     * Takes gas of this value from the platform's budget of the day. Returns whether the platform pays for it.
     *
     * @param microUsd Value in millionths of a US dollar, a whole number, rounded up. Null without a price, and the gas
     * then counts as one of the day's forgiven estimates.
     */
    async maySponsorGas(organizationId: string, microUsd: number | null): Promise<boolean> {
      const sponsored = sponsoredGasOf((await termsOf(organizationId)).plan, microUsd)
      if (sponsored === 'NEVER') return false
      if (sponsored === 'FORGIVEN') return mayForgiveGas(organizationId)
      if (sponsored === 'FREE') return true
      return take(sponsoredGasBudget(organizationId, sponsored.mostMicroUsd, now()), sponsored.microUsd)
    },
  }
}
