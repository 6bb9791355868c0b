import { type Allowance, allowanceOf, type ProviderBudget, type Taken } from './provider-budget'

/** Rate-limit data in a provider's response; null for missing values. */
export type LimitUpdate = {
  /** Time of the request. */
  at: number
  isRefusal: boolean
  most: number | null
  left: number | null
  /** Time until the limit is full again, and the delay that the provider requests. */
  resetMs: number | null
  retryMs: number | null
}

const learnedMs = 60 * 60_000
/** Time until a limit is trusted again after it was halved by a refusal far below it. */
const halvedMs = 10 * 60_000
/** Wait after a refusal that states no delay. */
const restMs = 10_000
/** A limit learned from refusals is never below the configured limit divided by this. */
const doubtShare = 10

/** Updates the budget with the responses' rate-limit data. */
export function withUpdates(
  budget: ProviderBudget,
  updates: readonly LimitUpdate[],
  configured: Allowance,
  now: number,
): ProviderBudget {
  const noted = { ...budget, taken: withAnswers(budget.taken, updates) }
  const heard = updates.reduce((before, one) => withOne(before, one, configured), noted)
  const refused = updates.filter(({ isRefusal }) => isRefusal)
  if (refused.length === 0) return heard
  const restUntil = Math.max(...refused.map(({ at, retryMs, resetMs }) => at + (retryMs ?? resetMs ?? restMs)))
  const resting = { ...heard, restUntil: Math.max(heard.restUntil, restUntil) }
  if (refused.some(({ most }) => most !== null)) return resting
  return learnedFromRefusals(resting, configured, now)
}

/** Counts each response with the group that contains its request. */
function withAnswers(taken: readonly Taken[], updates: readonly LimitUpdate[]): Taken[] {
  const noted = taken.map((one) => ({ ...one }))
  for (const { at, isRefusal } of updates) {
    const one = noted.findLast(({ from }) => from <= at)
    if (one) one.answered += 1
    if (one && isRefusal) one.refused += 1
  }
  return noted
}

function withOne(budget: ProviderBudget, { at, most, left, resetMs }: LimitUpdate, configured: Allowance) {
  const known = allowanceOf(budget, configured, at)
  // The longest time until the same limit is full again counts as its window.
  const knownMs = known.most === most ? known.windowMs : 0
  const windowMs = Math.max(configured.windowMs, knownMs, resetMs ?? 0)
  return {
    ...budget,
    hasAnswered: true,
    told: left === null || resetMs === null ? budget.told : toldBy(budget.told, { left, at, until: at + resetMs }),
    learned: most === null ? budget.learned : { most, windowMs, until: at + learnedMs },
  }
}

type Told = NonNullable<ProviderBudget['told']>
const sameWindowMs = 2_000

/** The lowest value for one window counts, because responses arrive in any order. */
function toldBy(before: ProviderBudget['told'], told: Told): Told {
  if (!before) return told
  const isSame = Math.abs(before.until - told.until) <= sameWindowMs
  if (isSame) return { left: Math.min(before.left, told.left), at: Math.max(before.at, told.at), until: told.until }
  return before.at > told.at ? before : told
}

/**
 * Estimates an unstated limit from the number of requests in a window that were not refused. The estimate holds for an
 * hour and then grows gradually. A refusal after few requests proves less: the limit is halved and starts recovering
 * immediately.
 */
function learnedFromRefusals(budget: ProviderBudget, configured: Allowance, now: number): ProviderBudget {
  const { most, windowMs } = allowanceOf(budget, configured, now)
  const recent = budget.taken.filter(({ to }) => to >= now - windowMs)
  const letIn = recent.reduce((sum, { count, refused }) => sum + Math.max(0, count - refused), 0)
  const half = Math.ceil(most / 2)
  const fewest = Math.max(half, Math.ceil(configured.most / doubtShare))
  const fewer = Math.max(1, Math.min(most, Math.max(letIn, fewest)))
  const [growsFrom, until] =
    letIn >= half ? [now + learnedMs, now + 2 * learnedMs] : [now, now + Math.max(halvedMs, windowMs)]
  return { ...budget, learned: { most: fewer, windowMs, until, growsFrom } }
}
