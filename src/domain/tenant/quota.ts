/**
 * What an organization has used of its month. The executions are the truth. A place is held for the version of a record
 * that asked for it, and what became of that version decides whether the place is used or free again. No place expires
 * by the clock, so a worker that sleeps is not counted twice, and one that dies keeps nothing.
 */
export type QuotaBook = {
  /** The quota key. */
  id: string
  version: number
  /** What the plan allowed when the records were last counted. When the plan changes, they are counted again. */
  most: number
  countedAt: number
  /** Executions that carry the key, without those that hold a place here. */
  used: number
  held: Claim[]
}

/** An execution, in the version that is about to be signed. */
export type Claim = { id: string; version: number }
/** `SOON`: all places are held, but some of them may become free. */
export type QuotaResult = 'YES' | 'NO' | 'SOON'

/** What is stored of an execution now. */
export type Carrier = Claim & { quotaKey: string | null }

/**
 * Settles the places that are held. A place is used once the record carries the key, and free once the record went on
 * without it or is gone.
 */
export function settledQuota(book: QuotaBook, carriers: readonly Carrier[]): QuotaBook {
  const stored = new Map(carriers.map((carrier) => [carrier.id, carrier]))
  const isCounted = ({ id }: Claim): boolean => stored.get(id)?.quotaKey === book.id
  const isOpen = (claim: Claim): boolean => !isCounted(claim) && stored.get(claim.id)?.version === claim.version
  const held = book.held.filter(isOpen)
  if (held.length === book.held.length) return book
  return { ...book, held, used: book.used + book.held.filter(isCounted).length }
}

/** Gives out places in the order of asking. Whoever holds one keeps it, for the version that asks now. */
export function claimQuota(
  book: QuotaBook,
  claims: readonly Claim[],
): { book: QuotaBook; results: QuotaResult[]; isChanged: boolean } {
  const held = new Map(book.held.map((claim) => [claim.id, claim]))
  let isChanged = false
  const results = claims.map((claim): QuotaResult => {
    const known = held.get(claim.id)
    if (known && known.version >= claim.version) return 'YES'
    if (!known && book.used + held.size >= book.most) return book.used < book.most ? 'SOON' : 'NO'
    held.set(claim.id, { id: claim.id, version: claim.version })
    isChanged = true
    return 'YES'
  })
  return { book: { ...book, held: [...held.values()] }, results, isChanged }
}

/** The shares of a month's quota, in percent, at which its organization is warned. */
const warnedPercents = [80, 100]

/** That a share of a month's quota is taken. There is one for each month, share and limit. */
export type QuotaWarning = {
  id: string
  organizationId: string
  /** The quota key. */
  quotaKey: string
  at: number
  percent: number
  limit: number
  /** The places that were taken, by executions that carry the key or were about to be signed. */
  used: number
}

/** The warning that is due by what a book says; null for none. Of two shares that are reached at once, the higher. */
export function quotaWarningOf(book: QuotaBook, organizationId: string, at: number): QuotaWarning | null {
  const { id: quotaKey, most: limit } = book
  const used = book.used + book.held.length
  const percent = warnedPercents.findLast((each) => used * 100 >= limit * each)
  if (percent === undefined) return null
  return { id: `${quotaKey}:${limit}:${percent}`, organizationId, quotaKey, at, percent, limit, used }
}
