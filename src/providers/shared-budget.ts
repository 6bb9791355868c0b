import { batchRequests } from '../adapters/batch-requests'
import { isRewritten, rewrite } from '../domain/concurrency'
import { RoutingError } from '../domain/error'
import {
  allowanceOf,
  type Configured,
  freeNow,
  type LimitUpdate,
  lapseMs,
  type ProviderBudget,
  type Purpose,
  type Requester,
  type Turn,
  takeTurns,
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

  const settle = batchRequests<Requester | null, Turn>(
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

  async function settleAll(group: readonly (Requester | null)[], updates: readonly LimitUpdate[]): Promise<Turn[]> {
    const askers = group.filter((asker) => asker !== null)
    const takenFrom = (stored: ProviderBudget | null) => {
      const before = withUpdates(stored ?? unspent(id), updates, configured, now())
      return takeTurns(before, askers, { configured, spareMost: spareNow(), now: now() })
    }
    const copy = isCurrent ? providerBudget : null
    isCurrent = false
    // This copy might be outdated. Callers wait only if the stored document requires it too.
    const first = copy && takenFrom(copy).turns.every((turn) => turn === null) ? copy : undefined
    let turns: readonly Turn[] = []
    let more = 0
    const change = (stored: ProviderBudget | null): ProviderBudget | null => {
      const taken = takenFrom(stored)
      turns = taken.turns
      more = taken.spare
      return isWorthSaving(askers, turns, updates) ? taken.budget : null
    }
    const settling = rewrite(budgets, id, change, { first, triesMax: writersMax }).then((stored) => {
      providerBudget = stored ?? unspent(id)
    })
    if (!(await isRewritten(settling))) {
      limitUpdates = [...updates, ...limitUpdates]
      const comeBackAt = now() + 1_000 // other processes keep writing
      return group.map((asker) => asker && { comeBackAt })
    }
    isCurrent = true
    if (more > 0) spare = { count: more, until: now() + lapseMs(configured) }
    const turnOf = new Map(askers.map((asker, place) => [asker, turns[place]!]))
    return group.map((asker) => (asker && turnOf.get(asker)) ?? null)
  }

  return {
    /** @returns Null if the request may be made now, otherwise when to come back. */
    async take(asker: Requester): Promise<Turn> {
      takenAt.push(now())
      if (spare.count > 0 && spare.until > now()) {
        spare.count -= 1
        return null
      }
      return settle(asker)
    },

    /**
     * Notes the limits in a response. They are stored with the next request, or immediately if they change how many
     * requests are allowed.
     */
    hear(update: LimitUpdate): void {
      limitUpdates.push(update)
      const isNew =
        !providerBudget?.hasAnswered || (update.most !== null && providerBudget.learned?.most !== update.most)
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
      new ProviderRateLimited(provider, waitMs({ comeBackAt: until }, now()), until),
  }
}
export type RateLimiter = ReturnType<typeof rateLimiter>

function isWorthSaving(askers: readonly Requester[], turns: readonly Turn[], updates: readonly LimitUpdate[]): boolean {
  return updates.length > 0 || askers.some(({ waitingSince }, n) => turns[n] === null || waitingSince !== null)
}

const somebody = (purpose: Purpose): Requester => ({ id: purpose, organizationId: '', purpose, waitingSince: null })

/**
 * Calls a provider only as often as it allows. A caller waits if no requests are left, or if the provider refuses
 * because of its rate limit. Neither counts as a retry.
 */
export function withRateLimit(aggregator: Aggregator, limiters: Record<RequestKind, RateLimiter>): Aggregator {
  const { name } = aggregator
  async function under<Answer>(kind: RequestKind, asker: Requester, ask: () => Promise<Answer>): Promise<Answer> {
    const limiter = limiters[kind]
    const turn = await limiter.take(asker)
    if (turn) throw limiter.waits(name, turn.comeBackAt)
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
      under('quote', request.asker ?? somebody('LOOK'), () => aggregator.quote(request, signal)),
    // A request for an outcome has a deposit's priority, because a deposit waits for the response.
    outcome: (sent, signal) =>
      under('other', sent.asker ?? somebody('DEPOSIT'), () => aggregator.outcome(sent, signal)),
    priceUsd: (chainId, token, signal) =>
      under('other', somebody('DEPOSIT'), () => aggregator.priceUsd(chainId, token, signal)),
  }
}
