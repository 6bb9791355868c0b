import { batchRequests } from '../adapters/batch-requests'
import { isRewritten, rewrite } from '../domain/concurrency'
import { RoutingError } from '../domain/error'
import { type Configured, statedOf } from '../domain/limits/limits-in-force'
import {
  type Admission,
  admit,
  allowanceOf,
  freeNow,
  type LimitUpdate,
  lapseMs,
  type ProviderBudget,
  type Purpose,
  type Requester,
  unspent,
  waitMs,
  withUpdates,
} from '../domain/limits/provider-budget'
import { ProviderRateLimited } from '../domain/unavailable'
import type { Records } from '../ports/records'
import type { Aggregator } from './aggregator'
import type { RequestKind } from './limit-headers'

type Ports = { budgets: Records<ProviderBudget>; now: () => number }

const groupMax = 500
const writersMax = 20
/** Most requests that a process reserves in advance while plenty are left, to save a write for each. */
const spareMost = 5

/**
 * Limits how often all processes together call one provider. Their requests are counted in one document. A process
 * makes one conditional write for all requests that it wants at the same time.
 */
export function rateLimiter(id: string, configured: Configured, { budgets, now }: Ports) {
  let providerBudget: ProviderBudget | null = null
  /** Whether a write may build on `providerBudget`. */
  let isCurrent = false
  let limitUpdates: LimitUpdate[] = []
  let spare = { count: 0, until: 0 }
  let takenAt: number[] = []

  /** Reserves in advance no more than the process has used recently. */
  const spareNow = (): number => {
    takenAt = takenAt.filter((at) => at + lapseMs(configured) > now()).slice(-spareMost)
    return Math.max(0, takenAt.length - 1)
  }

  const settle = batchRequests<Requester | null, Admission>(
    async (group) => {
      const updates = limitUpdates
      limitUpdates = []
      try {
        return await settleAll(group, updates)
      } catch (error) {
        limitUpdates = [...updates, ...limitUpdates]
        throw error
      }
    },
    groupMax,
    () => id,
  )

  async function settleAll(
    group: readonly (Requester | null)[],
    updates: readonly LimitUpdate[],
  ): Promise<Admission[]> {
    const requesters = group.filter((requester) => requester !== null)
    const takenFrom = (stored: ProviderBudget | null) => {
      const before = withUpdates(stored ?? unspent(id), updates, configured, now())
      return admit(before, requesters, { configured, spareMost: spareNow(), now: now() })
    }
    const copy = isCurrent ? providerBudget : null
    isCurrent = false
    // This copy might be outdated. Callers wait only if the stored document requires it too.
    const first = copy && takenFrom(copy).admissions.every((admission) => admission === null) ? copy : undefined
    let admissions: readonly Admission[] = []
    let more = 0
    const change = (stored: ProviderBudget | null): ProviderBudget | null => {
      const taken = takenFrom(stored)
      admissions = taken.admissions
      more = taken.spare
      return isWorthSaving(requesters, admissions, updates) ? taken.budget : null
    }
    const settling = rewrite(budgets, id, change, { first, triesMax: writersMax }).then((stored) => {
      providerBudget = stored ?? unspent(id)
    })
    if (!(await isRewritten(settling))) {
      limitUpdates = [...updates, ...limitUpdates]
      const retryAt = now() + 1_000 // other processes keep writing
      return group.map((requester) => requester && { retryAt })
    }
    isCurrent = true
    if (more > 0) spare = { count: more, until: now() + lapseMs(configured) }
    const admissionOf = new Map(requesters.map((requester, place) => [requester, admissions[place]!]))
    return group.map((requester) => (requester && admissionOf.get(requester)) ?? null)
  }

  return {
    /** @returns Null if the request may be made now, otherwise when to come back. */
    async take(requester: Requester): Promise<Admission> {
      takenAt.push(now())
      if (spare.count > 0 && spare.until > now()) {
        spare.count -= 1
        return null
      }
      return settle(requester)
    },

    /**
     * Notes the limits in a response. They are stored with the next request, or immediately if they change how many
     * requests are allowed.
     */
    note(update: LimitUpdate): void {
      limitUpdates.push(update)
      const isNew =
        !providerBudget?.hasAnswered || (update.most !== null && statedOf(providerBudget)?.most !== update.most)
      if (update.isRefusal) spare = { count: 0, until: 0 }
      const isTight = update.most !== null && update.left !== null && update.left < update.most / 2
      // If this fails, the update is kept and stored with the next request.
      if (isNew || isTight || update.isRefusal) settle(null).catch(() => {})
    },

    /** Number of requests that all processes together may make now, and in one window. */
    async read(): Promise<{ left: number; most: number }> {
      const budget = (await budgets.load(id)) ?? unspent(id)
      return { left: freeNow(budget, configured, now()), most: allowanceOf(budget, configured, now()).most }
    },

    /** When the wait after a refusal ends, in milliseconds since 1970. */
    async restUntil(): Promise<number> {
      await settle(null)
      return providerBudget?.restUntil ?? 0
    },

    /** The error of a caller that must wait until then. */
    waits: (provider: string, until: number) =>
      new ProviderRateLimited(provider, waitMs({ retryAt: until }, now()), until),
  }
}
export type RateLimiter = ReturnType<typeof rateLimiter>

function isWorthSaving(
  requesters: readonly Requester[],
  admissions: readonly Admission[],
  updates: readonly LimitUpdate[],
): boolean {
  return updates.length > 0 || requesters.some(({ waitingSince }, n) => admissions[n] === null || waitingSince !== null)
}

const unnamedRequester = (purpose: Purpose): Requester => ({
  id: purpose,
  organizationId: '',
  purpose,
  waitingSince: null,
})

/**
 * Calls a provider only as often as it allows. A caller waits if no requests are left, or if the provider refuses
 * because of its rate limit. Neither counts as a retry.
 */
export function withRateLimit(aggregator: Aggregator, limiters: Record<RequestKind, RateLimiter>): Aggregator {
  const { name } = aggregator
  async function under<Answer>(kind: RequestKind, requester: Requester, ask: () => Promise<Answer>): Promise<Answer> {
    const limiter = limiters[kind]
    const admission = await limiter.take(requester)
    if (admission) throw limiter.waits(name, admission.retryAt)
    try {
      return await ask()
    } catch (error) {
      if (!(error instanceof RoutingError) || error.code !== 'PROVIDER_RATE_LIMITED') throw error
      throw limiter.waits(name, await limiter.restUntil())
    }
  }
  return {
    name,
    quote: (request, signal) =>
      under('quote', request.requester ?? unnamedRequester('LOOK'), () => aggregator.quote(request, signal)),
    // A request for an outcome has a deposit's priority, because a deposit waits for the response.
    outcome: (sent, signal) =>
      under('other', sent.requester ?? unnamedRequester('DEPOSIT'), () => aggregator.outcome(sent, signal)),
    priceUsd: (chainId, token, signal) =>
      under('other', unnamedRequester('DEPOSIT'), () => aggregator.priceUsd(chainId, token, signal)),
  }
}
