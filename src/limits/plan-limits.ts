import { batchRequests } from '../adapters/batch-requests'
import { aged } from '../domain/aged'
import { BoundedMap } from '../domain/bounded-map'
import type { ChainId } from '../domain/chain/chain'
import { isRewritten, rewrite } from '../domain/concurrency'
import { quotaKeyOf } from '../domain/execution/execution'
import type { Policy } from '../domain/execution/route'
import {
  type DailyBudget,
  forgivenGasBudget,
  type PlanTerms,
  planTermsOf,
  refundBudget,
  sponsoredGasBudget,
  sponsoredGasOf,
} from '../domain/limits/plan-terms'
import {
  type Claim,
  claimQuota,
  type QuotaCounter,
  type QuotaResult,
  quotaWarningOf,
  settledQuota,
} from '../domain/limits/quota'
import type { Executions } from '../ports/executions'
import type { LimitCounters, QuotaWarnings } from '../ports/limits'
import type { Records } from '../ports/records'
import type { Organizations } from '../ports/tenants'

type Ports = {
  organizations: Pick<Organizations, 'load'>
  executions: Pick<Executions, 'countQuota' | 'carriers'>
  quotaBooks: Records<QuotaCounter>
  quotaWarnings: Pick<QuotaWarnings, 'note'>
  limitCounters: LimitCounters
  now: () => number
}

const planMs = 1_000
const cachedMax = 10_000

/** Enforces an organization's plan: its policy, monthly quota, relayer share and gas budgets. */
export function planLimits({ organizations, executions, quotaBooks, quotaWarnings, limitCounters, now }: Ports) {
  const read = async (organizationId: string) => planTermsOf(await organizations.load(organizationId))
  const terms = aged(read, { now, forMs: planMs, from: 'END', most: cachedMax })
  const termsOf = (organizationId: string): Promise<PlanTerms> => terms.get(organizationId)
  const month = monthlyQuota({ books: quotaBooks, executions, warnings: quotaWarnings, now })

  function take({ id, most, forgetAt }: DailyBudget, amount: number): Promise<boolean> {
    return limitCounters.take(id, most, forgetAt, amount)
  }

  const mayForgiveGas = (organizationId: string): Promise<boolean> => take(forgivenGasBudget(organizationId, now()), 1)

  return {
    policyOf: async (organizationId: string): Promise<Policy> => (await termsOf(organizationId)).policy,

    /** Returns how many slots of a relayer key an organization may hold, as a multiple of the free ones. */
    relayerShareOf: async (organizationId: string): Promise<number> =>
      (await termsOf(organizationId)).plan.relayerShare,

    /** Claims a unit of the month's quota, which is exact across all processes. */
    async hasQuota(
      { id, version, organizationId }: Claim & { organizationId: string },
      at: number,
    ): Promise<QuotaResult> {
      const { monthlyExecutions } = (await termsOf(organizationId)).plan
      if (monthlyExecutions === null) return 'YES'
      const quotaKey = quotaKeyOf(organizationId, at)
      return month.claim({ organizationId, quotaKey, most: monthlyExecutions }, { id, version })
    },

    /** Returns the number of executions that count in a month. */
    usedQuota: month.used,

    mayForgiveGas,

    /** Takes one refund by the RecoveryExecutor on the chain from the day's budget. Returns whether one was left. */
    mayGiveBack: (organizationId: string, chainId: ChainId): Promise<boolean> =>
      take(refundBudget(organizationId, chainId, now()), 1),

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

type QuotaPorts = {
  books: Records<QuotaCounter>
  executions: Pick<Executions, 'countQuota' | 'carriers'>
  warnings: Pick<QuotaWarnings, 'note'>
  now: () => number
}
type QuotaRequest = { organizationId: string; quotaKey: string; most: number; claim: Claim }

const groupMax = 500
const writersMax = 20
/** Once this many reservations are open, they are settled, even if their units are not needed yet. */
const heldMany = 64
/** Interval between recounts of the executions, in milliseconds. A recount corrects a lost or restored counter. */
const recountMs = 60 * 60_000
const claimsMax = 10_000

/**
 * Counts an organization's executions of a month exactly across all processes. The count is one document. A process
 * makes one conditional write for all claims that it makes at the same time.
 */
function monthlyQuota(ports: QuotaPorts) {
  const { books, executions, warnings, now } = ports
  /** Warnings that this process stored. */
  const warned = new BoundedMap<string, true>(claimsMax)
  /** Versions for which this process reserved a unit. The reservation lasts while its record has this version. */
  const claimedVersions = new BoundedMap<string, number>(claimsMax)

  async function claimAll(quotaKey: string, quotaRequests: readonly QuotaRequest[]): Promise<QuotaResult[]> {
    const { most, organizationId } = quotaRequests.at(-1)!
    const claims = quotaRequests.map(({ claim }) => claim)
    let results: QuotaResult[] = []
    const claimed = async (stored: QuotaCounter | null): Promise<QuotaCounter | null> => {
      const quotaCounter = await counterOf(ports, quotaKey, most, stored)
      const isTight =
        quotaCounter.held.length >= heldMany || quotaCounter.used + quotaCounter.held.length + claims.length > most
      const before = isTight ? await settled(ports, quotaCounter) : quotaCounter
      const next = claimQuota(before, claims)
      results = next.results
      await warn(next.counter, organizationId)
      return !next.isChanged && before === quotaCounter && quotaCounter.version > 0 ? null : next.counter
    }
    const isClaimed = await isRewritten(rewrite(books, quotaKey, claimed, { triesMax: writersMax }))
    // Other processes keep writing, which is no reason to refuse an execution.
    return isClaimed ? results : claims.map(() => 'SOON')
  }

  /** Stores the warning before the reservation that triggered it, so no crash can lose it. */
  async function warn(counter: QuotaCounter, organizationId: string): Promise<void> {
    const warning = quotaWarningOf(counter, organizationId, now())
    if (!warning || warned.has(warning.id)) return
    await warnings.note(warning)
    warned.set(warning.id, true)
  }

  const claim = batchRequests<QuotaRequest, QuotaResult>(
    async (group) => {
      const results = new Map<QuotaRequest, QuotaResult | Error>()
      const byKey = Map.groupBy(group, ({ quotaKey }) => quotaKey)
      await Promise.all(
        [...byKey].map(async ([quotaKey, requests]) => {
          const claimed = await claimAll(quotaKey, requests).catch((error: Error) => requests.map(() => error))
          for (const [n, each] of requests.entries()) results.set(each, claimed[n]!)
        }),
      )
      return group.map((each) => results.get(each)!)
    },
    groupMax,
    ({ quotaKey }) => quotaKey,
  )

  return {
    /** Claims a unit for this version of a record. Repeating a claim returns the same result. */
    async claim(whose: Omit<QuotaRequest, 'claim'>, { id, version }: Claim): Promise<QuotaResult> {
      if (claimedVersions.get(id) === version) return 'YES'
      const result = await claim({ ...whose, claim: { id, version } })
      if (result === 'YES') claimedVersions.set(id, version)
      return result
    },

    /** Returns the number of executions with this quota key. */
    async used(quotaKey: string): Promise<number> {
      const counter = await books.load(quotaKey)
      if (!counter || counter.countedAt + recountMs <= now()) return executions.countQuota(quotaKey)
      return (await settled(ports, counter)).used
    },
  }
}

async function counterOf(
  { executions, now }: QuotaPorts,
  id: string,
  most: number,
  quotaCounter: QuotaCounter | null,
): Promise<QuotaCounter> {
  if (quotaCounter && quotaCounter.most === most && quotaCounter.countedAt + recountMs > now()) return quotaCounter
  const held = quotaCounter?.held ?? []
  const ids = held.map((claim) => claim.id)
  const used = await executions.countQuota(id, ids)
  return { id, version: quotaCounter?.version ?? 0, most, countedAt: now(), used, held }
}

/**
 * Settles the reservations. The used units are counted and not added up, because a worker with an old copy of a counted
 * record can have reserved a unit for it again.
 */
async function settled({ executions }: QuotaPorts, counter: QuotaCounter): Promise<QuotaCounter> {
  if (counter.held.length === 0) return counter
  const after = settledQuota(counter, await executions.carriers(counter.held.map(({ id }) => id)))
  if (after.used === counter.used) return after
  const held = after.held.map(({ id }) => id)
  return { ...after, used: await executions.countQuota(counter.id, held) }
}
