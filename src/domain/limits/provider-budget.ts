import { type Allowance, type Configured, limitsNow, type ProviderLimits, statedOf } from './limits-in-force'

/**
 * Purpose of a request: a deposit that waits for its route or delivery, a preview for a caller, or a background check.
 */
export type Purpose = 'DEPOSIT' | 'PREVIEW' | 'LOOK'

/** Source of a request. A waiting caller keeps its queue position only if it returns. */
export type Requester = { id: string; organizationId: string; purpose: Purpose; waitingSince: number | null }

/**
 * Requests granted between two times: the number of responses and of rate-limit refusals. While they are recent, also
 * the number per organization.
 */
type RequestGroup = {
  from: number
  to: number
  count: number
  answered: number
  refused: number
  by: [organizationId: string, count: number][]
}
type Ticket = Pick<Requester, 'id' | 'organizationId'> & { since: number; until: number }

/**
 * Requests to one provider with one key, shared by all processes in one document. Times are milliseconds since 1970.
 */
export type ProviderBudget = ProviderLimits & {
  id: string
  version: number
  taken: RequestGroup[]
  /** The queue. An entry lapses if its holder does not return. */
  tickets: Ticket[]
  /** No request is made before this time. */
  restUntil: number
  hasAnswered: boolean
}

export const unspent = (id: string): ProviderBudget => ({
  id,
  version: 0,
  taken: [],
  tickets: [],
  told: null,
  stated: null,
  learned: null,
  restUntil: 0,
  hasAnswered: false,
})

/**
 * Limits before the provider's first response, while its own limit is unknown: at most 10 requests go out, and others
 * wait a second.
 */
const [carefulMost, carefulMs] = [10, 1_000]
/** Delay with which a granted request can reach the provider. */
const transitMs = 3_000
const graceMs = 5_000
const ticketsMax = 500
/** One in this many requests of a budget is reserved for deposits. */
const reservedShare = 5
const [fineMs, slotsMax] = [10_000, 60]

const slackOf = ({ windowMs }: Allowance): number => Math.min(transitMs, Math.ceil(windowMs / 20))

/** Returns how long a process may use a granted request. */
export const lapseMs = (allowance: Allowance): number => Math.floor(slackOf(allowance) / 2)

/** Returns the tightest limit that holds now. */
export const allowanceOf = (budget: ProviderBudget, configured: Configured, now: number): Allowance =>
  limitsNow(budget, configured, now)[0]

/**
 * Returns what the provider allows now, and when each used request stops counting. Every admission decision uses this
 * result: the tightest of the limits and of the reported remainder applies.
 */
function limitNow(budget: ProviderBudget, configured: Configured, now: number) {
  const { told, taken, hasAnswered } = budget
  const limits = limitsNow(budget, configured, now)
  const slackMs = Math.max(...limits.map(slackOf))
  // A request without a response might reach the provider after it counted the remainder.
  const isReported = told !== null && told.until > now
  const unanswered = isReported ? unansweredSince(taken, told.at - slackMs) : 0
  const reportedLeft = isReported ? told.left : Number.POSITIVE_INFINITY
  const windows = limits.map((allowance) => {
    const heldMs = heldMsOf(allowance)
    const leaving = taken.map(({ to, count }) => ({ at: to + heldMs, count })).filter(({ at }) => at > now)
    const used = leaving.reduce((sum, { count }) => sum + count, 0)
    const allowed = hasAnswered ? allowance.most : Math.min(allowance.most, carefulMost)
    return { free: allowed - used, most: Math.min(allowed, used + reportedLeft), leaving, heldMs }
  })
  const free = Math.min(...windows.map((one) => one.free))
  const most = Math.min(...windows.map((one) => one.most))
  const reserve = Math.max(0, Math.min(Math.ceil(most / reservedShare), most - 1))
  return { free, reserve, reportedLeft, unanswered, windows, slackMs }
}

/** How long a used request counts, which includes the time in which it may reach the provider. */
const heldMsOf = (allowance: Allowance): number => allowance.windowMs + slackOf(allowance)

const unansweredSince = (requestGroups: readonly RequestGroup[], at: number): number =>
  requestGroups.reduce((sum, { to, count, answered }) => sum + (to >= at ? Math.max(0, count - answered) : 0), 0)

/** Returns how many requests may be made now. */
export function freeNow(budget: ProviderBudget, configured: Configured, now: number): number {
  const { free, reportedLeft, unanswered } = limitNow(budget, configured, now)
  return budget.restUntil > now ? 0 : Math.max(0, Math.min(free, reportedLeft - unanswered))
}

/** Returns a function that gives the time of the next request, the one after it, and so on, counted from 0. */
function freeTimes(budget: ProviderBudget, configured: Configured, now: number): (place: number) => number {
  const { reportedLeft, unanswered, windows, slackMs } = limitNow(budget, configured, now)
  const { told, restUntil, hasAnswered } = budget

  function byWindow({ free, leaving, heldMs }: (typeof windows)[number], place: number): number {
    if (place < free) return now
    if (!hasAnswered) return now + carefulMs
    let freed = free
    const last = leaving.find(({ count }) => {
      freed += count
      return place < freed
    })
    return last?.at ?? now + heldMs
  }
  function byProvider(place: number): number {
    if (place < reportedLeft - unanswered) return now
    return place < reportedLeft ? Math.min(now + slackMs, told!.until) : told!.until
  }
  return (place) => Math.max(...windows.map((one) => byWindow(one, place)), byProvider(place), restUntil)
}

/** Null if the request may be made; otherwise when to return. */
export type Admission = { retryAt: number } | null
type QueueEntry = Omit<Requester, 'waitingSince'> & { since: number; requester: Requester | null }

/**
 * Grants the remaining requests. Deposits come first: those of the organization with the fewest recent requests, then
 * the longest wait. Previews and background checks get only what the queued deposits and the deposit reserve leave.
 *
 * @param spareMost Limit of extra requests that the process may take in advance while plenty are left.
 */
export function admit(
  budget: ProviderBudget,
  requesters: readonly Requester[],
  { configured, spareMost, now }: { configured: Configured; spareMost: number; now: number },
): { budget: ProviderBudget; admissions: Admission[]; spare: number } {
  const limits = limitsNow(budget, configured, now)
  const [allowance] = limits
  const pruned = withoutOld(budget, limits, now)
  const freeAt = freeTimes(pruned, configured, now)
  const line = inLine(pruned, requesters, now)
  const places = new Map(line.flatMap(({ requester }, place) => (requester ? [[requester, place] as const] : [])))
  let behind = line.length + limitNow(pruned, configured, now).reserve
  const admissions = requesters.map((requester): Admission => {
    const place = places.get(requester) ?? behind++
    const at = freeAt(place)
    return at <= now ? null : { retryAt: at }
  })
  const granted = requesters.filter((_, n) => admissions[n] === null)
  const free = freeNow(pruned, configured, now) - Math.max(line.length, granted.length)
  const isPlenty = pruned.hasAnswered && free > allowance.most / 2
  const spare = isPlenty ? Math.min(spareMost, Math.floor(allowance.most / 20)) : 0
  const tickets = ticketsAfter(pruned.tickets, requesters, admissions, now)
  return { budget: { ...withTaken(pruned, limits, granted, spare, now), tickets }, admissions, spare }
}

/** Returns the queue entries and the current deposit requests, in the order of service. */
function inLine({ tickets, taken }: ProviderBudget, requesters: readonly Requester[], now: number): QueueEntry[] {
  const asking = requesters.filter(({ purpose }) => purpose === 'DEPOSIT')
  const here = new Set(asking.map(({ id }) => id))
  const since = new Map(tickets.map((ticket) => [ticket.id, ticket.since]))
  const all: QueueEntry[] = [
    ...tickets
      .filter(({ id }) => !here.has(id))
      .map((one): QueueEntry => ({ ...one, purpose: 'DEPOSIT', requester: null })),
    ...asking.map((one) => ({ ...one, since: since.get(one.id) ?? one.waitingSince ?? now, requester: one })),
  ]
  const used = new Map<string, number>()
  for (const { by } of taken) for (const [id, count] of by) used.set(id, (used.get(id) ?? 0) + count)
  const ranked = all
    .toSorted((one, other) => one.since - other.since || (one.id < other.id ? -1 : 1))
    .map((one) => {
      const rank = used.get(one.organizationId) ?? 0
      used.set(one.organizationId, rank + 1)
      return { one, rank }
    })
  return ranked.toSorted((a, b) => a.rank - b.rank || a.one.since - b.one.since).map(({ one }) => one)
}

/** Returns the queue after admissions. A waiting request keeps its entry until shortly after its return time. */
function ticketsAfter(
  tickets: readonly Ticket[],
  requesters: readonly Requester[],
  admissions: Admission[],
  now: number,
): Ticket[] {
  const requesterIds = new Set(requesters.map(({ id }) => id))
  const before = new Map(tickets.map((ticket) => [ticket.id, ticket]))
  const others = tickets.filter(({ id }) => !requesterIds.has(id))
  const waiting = requesters.flatMap(({ id, organizationId, purpose, waitingSince }, n): Ticket[] => {
    const admission = admissions[n]
    const since = before.get(id)?.since ?? waitingSince
    if (!admission || since === null || purpose !== 'DEPOSIT') return []
    return [{ id, organizationId, since, until: expectedBy(admission.retryAt, now) + graceMs }]
  })
  return [...others, ...waiting].slice(0, ticketsMax)
}

const retryMsMax = 60_000

/** Returns the time by which a request returns: within a minute, however long the wait. */
const expectedBy = (retryAt: number, now: number): number => now + Math.min(retryAt - now, retryMsMax)

/** Returns the delay before the next request, in milliseconds. */
export const waitMs = ({ retryAt }: { retryAt: number }, now: number): number =>
  Math.min(Math.max(retryAt - now, 250), retryMsMax)

function withTaken(
  budget: ProviderBudget,
  limits: readonly Allowance[],
  granted: readonly Requester[],
  spare: number,
  now: number,
): ProviderBudget {
  const count = granted.length + spare
  if (count === 0) return budget
  const by = new Map<string, number>()
  for (const { organizationId } of granted) by.set(organizationId, (by.get(organizationId) ?? 0) + 1)
  return {
    ...budget,
    taken: merged([...budget.taken, { from: now, to: now, count, answered: 0, refused: 0, by: [...by] }], limits, now),
  }
}

/** Drops entries that no longer count. The counts per organization are kept for at most a minute. */
function withoutOld(budget: ProviderBudget, limits: readonly Allowance[], now: number): ProviderBudget {
  const heldMs = Math.max(...limits.map(heldMsOf))
  const requestGroups = budget.taken.filter(({ to }) => to + heldMs > now)
  const recent = requestGroups.map((one) => (one.to + retryMsMax > now ? one : { ...one, by: [] }))
  return { ...budget, taken: recent, tickets: budget.tickets.filter(({ until }) => until > now) }
}

/**
 * Merges neighbouring entries: within a second while they are new, and later within a sixtieth of the shortest window
 * that counts them.
 */
function merged(requestGroups: readonly RequestGroup[], limits: readonly Allowance[], now: number): RequestGroup[] {
  const windows = limits.toSorted((one, other) => one.windowMs - other.windowMs)
  const [shortest, longest] = [windows[0]!, windows.at(-1)!]
  const joined: RequestGroup[] = []
  for (const one of requestGroups) {
    const last = joined.at(-1)
    const counting = windows.find((window) => one.to >= now - heldMsOf(window)) ?? longest
    const isNew = one.to >= now - fineMs
    const lengthMs = isNew ? Math.min(1_000, shortest.windowMs / slotsMax) : counting.windowMs / slotsMax
    if (last && one.to - last.from <= lengthMs) joined[joined.length - 1] = sum(last, one)
    else joined.push(one)
  }
  return joined
}

function sum(one: RequestGroup, other: RequestGroup): RequestGroup {
  const by = new Map(one.by)
  for (const [id, count] of other.by) by.set(id, (by.get(id) ?? 0) + count)
  return {
    from: one.from,
    to: other.to,
    count: one.count + other.count,
    answered: one.answered + other.answered,
    refused: one.refused + other.refused,
    by: [...by],
  }
}

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
  configured: Configured,
  now: number,
): ProviderBudget {
  const noted = { ...budget, taken: withAnswers(budget.taken, updates) }
  const updated = updates.reduce((before, one) => withOne(before, one, configured), noted)
  const refused = updates.filter(({ isRefusal }) => isRefusal)
  if (refused.length === 0) return updated
  const restUntil = Math.max(...refused.map(({ at, retryMs, resetMs }) => at + (retryMs ?? resetMs ?? restMs)))
  const resting = { ...updated, restUntil: Math.max(updated.restUntil, restUntil) }
  if (refused.some(({ most }) => most !== null)) return resting
  return learnedFromRefusals(resting, configured, now)
}

/** Counts each response with the group that contains its request. */
function withAnswers(requestGroups: readonly RequestGroup[], updates: readonly LimitUpdate[]): RequestGroup[] {
  const noted = requestGroups.map((one) => ({ ...one }))
  for (const { at, isRefusal } of updates) {
    const one = noted.findLast(({ from }) => from <= at)
    if (one) one.answered += 1
    if (one && isRefusal) one.refused += 1
  }
  return noted
}

function withOne(budget: ProviderBudget, { at, most, left, resetMs }: LimitUpdate, configured: Configured) {
  const before = statedOf(budget)
  const isSame = before !== null && before.most === most && before.until > at
  const seenMs = Math.max(configured.windowMs, resetMs ?? 0)
  // The longest time until the same limit is full again counts as its window. A window shows its length only at its
  // start, so it is kept until an hour after its end.
  const wasShown = isSame && before.windowMs > seenMs && (before.windowUntil ?? before.until) > at
  const [windowMs, windowUntil] = wasShown
    ? [before.windowMs, before.windowUntil ?? before.until]
    : [seenMs, at + seenMs + learnedMs]
  return {
    ...budget,
    hasAnswered: true,
    told:
      left === null || resetMs === null ? budget.told : lowestReport(budget.told, { left, at, until: at + resetMs }),
    stated: most === null ? before : { most, windowMs, until: at + learnedMs, windowUntil },
    learned: budget.learned?.growsFrom === undefined ? null : budget.learned,
  }
}

type ReportedLeft = NonNullable<ProviderBudget['told']>
const sameWindowMs = 2_000

/** The lowest value for one window counts, because responses arrive in any order. */
function lowestReport(before: ProviderBudget['told'], report: ReportedLeft): ReportedLeft {
  if (!before) return report
  const isSame = Math.abs(before.until - report.until) <= sameWindowMs
  if (isSame)
    return { left: Math.min(before.left, report.left), at: Math.max(before.at, report.at), until: report.until }
  return before.at > report.at ? before : report
}

/**
 * Estimates an unstated limit from the number of requests in a window that were not refused. The estimate holds for an
 * hour and then grows gradually. A refusal after few requests proves less: the limit is halved and starts recovering
 * immediately.
 */
function learnedFromRefusals(budget: ProviderBudget, configured: Configured, now: number): ProviderBudget {
  const { most, windowMs } = allowanceOf(budget, configured, now)
  const recent = budget.taken.filter(({ to }) => to >= now - windowMs)
  const admitted = recent.reduce((sum, { count, refused }) => sum + Math.max(0, count - refused), 0)
  const half = Math.ceil(most / 2)
  const fewest = Math.max(half, Math.ceil(configured.most / doubtShare))
  const fewer = Math.max(1, Math.min(most, Math.max(admitted, fewest)))
  const [growsFrom, until] =
    admitted >= half ? [now + learnedMs, now + 2 * learnedMs] : [now, now + Math.max(halvedMs, windowMs)]
  return { ...budget, learned: { most: fewer, windowMs, until, growsFrom } }
}
