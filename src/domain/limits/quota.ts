/**
 * An organization's use of its monthly quota. The executions are the source of truth. Before signing, a version of a
 * record reserves one unit, and the outcome of that version decides whether the unit is used or freed. Reservations
 * never expire by the clock. A stalled worker is therefore not counted twice, and a dead worker holds nothing.
 */
export type QuotaCounter = {
  id: string
  version: number
  /** The plan's limit when the records were last counted. A changed limit triggers a recount. */
  most: number
  countedAt: number
  /** Executions that carry the quota key, excluding those with a reservation here. */
  used: number
  held: Claim[]
}

/** Version of an execution that is about to be signed. */
export type Claim = { id: string; version: number }
/** `SOON`: all units are reserved, but some might be freed. */
export type QuotaResult = 'YES' | 'NO' | 'SOON'

/** Stored state of an execution. */
export type Carrier = Claim & { quotaKey: string | null }

/**
 * Settles reservations. A unit is used once the record carries the quota key. It is freed once the record moved on
 * without the key or is gone.
 */
export function settledQuota(counter: QuotaCounter, carriers: readonly Carrier[]): QuotaCounter {
  const stored = new Map(carriers.map((carrier) => [carrier.id, carrier]))
  const isCounted = ({ id }: Claim): boolean => stored.get(id)?.quotaKey === counter.id
  const isOpen = (claim: Claim): boolean => !isCounted(claim) && stored.get(claim.id)?.version === claim.version
  const held = counter.held.filter(isOpen)
  if (held.length === counter.held.length) return counter
  return { ...counter, held, used: counter.used + counter.held.filter(isCounted).length }
}

/**
 * Grants units in the order of the requests. An execution with a reservation keeps it, now for the requesting version.
 */
export function claimQuota(
  counter: QuotaCounter,
  claims: readonly Claim[],
): { counter: QuotaCounter; results: QuotaResult[]; isChanged: boolean } {
  const held = new Map(counter.held.map((claim) => [claim.id, claim]))
  let isChanged = false
  const results = claims.map((claim): QuotaResult => {
    const existing = held.get(claim.id)
    if (existing && existing.version >= claim.version) return 'YES'
    if (!existing && counter.used + held.size >= counter.most) return counter.used < counter.most ? 'SOON' : 'NO'
    held.set(claim.id, { id: claim.id, version: claim.version })
    isChanged = true
    return 'YES'
  })
  return { counter: { ...counter, held: [...held.values()] }, results, isChanged }
}

/** Percentages of the monthly quota at which the organization is warned. */
const warnedPercents = [80, 100]

/** Warning that a percentage of the monthly quota is used. There is one for each month, percentage and limit. */
export type QuotaWarning = {
  id: string
  organizationId: string
  quotaKey: string
  at: number
  percent: number
  limit: number
  /** Used and reserved units. */
  used: number
}

/** Returns the warning that is due, or null. If two percentages are reached together, the higher one counts. */
export function quotaWarningOf(counter: QuotaCounter, organizationId: string, at: number): QuotaWarning | null {
  const { id: quotaKey, most: limit } = counter
  const used = counter.used + counter.held.length
  const percent = warnedPercents.findLast((each) => used * 100 >= limit * each)
  if (percent === undefined) return null
  return { id: `${quotaKey}:${limit}:${percent}`, organizationId, quotaKey, at, percent, limit, used }
}
