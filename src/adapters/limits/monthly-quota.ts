import { BoundedMap } from '../../domain/bounded-map'
import { hasKeptPace, rewrite } from '../../domain/concurrency'
import {
  type Claim,
  claimQuota,
  type QuotaBook,
  type QuotaResult,
  quotaWarningOf,
  settledQuota,
} from '../../domain/tenant/quota'
import type { Executions } from '../../ports/executions'
import type { QuotaWarnings } from '../../ports/limits'
import type { Records } from '../../ports/records'
import { batchRequests } from '../batch-requests'

type Ports = {
  books: Records<QuotaBook>
  executions: Pick<Executions, 'countQuota' | 'carriers'>
  warnings: Pick<QuotaWarnings, 'note'>
  now: () => number
}
type QuotaRequest = { organizationId: string; quotaKey: string; most: number; claim: Claim }

const groupMax = 500
const writersMax = 20
/** Once this many records hold a place, they are reconciled, even if their places are not needed yet. */
const heldMany = 64
/** Interval between recounts of the executions, in milliseconds. A recount corrects a lost or restored counter. */
const recountMs = 60 * 60_000
const knownMax = 10_000

/**
 * Counts an organization's executions of a month exactly across all processes. The count is one document. A process
 * makes one conditional write for all claims that it makes at the same time.
 */
export function monthlyQuota(ports: Ports) {
  const { books, executions, warnings, now } = ports
  /** Warnings that this process stored. */
  const warned = new BoundedMap<string, true>(knownMax)
  /** Places that this process stored. A place is safe while its record has this version. */
  const known = new BoundedMap<string, number>(knownMax)

  async function claimAll(quotaKey: string, asked: readonly QuotaRequest[]): Promise<QuotaResult[]> {
    const { most, organizationId } = asked.at(-1)!
    const claims = asked.map(({ claim }) => claim)
    let results: QuotaResult[] = []
    const claimed = async (stored: QuotaBook | null): Promise<QuotaBook | null> => {
      const found = await bookOf(ports, quotaKey, most, stored)
      const isTight = found.held.length >= heldMany || found.used + found.held.length + claims.length > most
      const before = isTight ? await settled(ports, found) : found
      const next = claimQuota(before, claims)
      results = next.results
      await warn(next.book, organizationId)
      return !next.isChanged && before === found && found.version > 0 ? null : next.book
    }
    const isClaimed = await hasKeptPace(rewrite(books, quotaKey, claimed, { triesMax: writersMax }))
    // Other processes keep writing, which is no reason to refuse an execution.
    return isClaimed ? results : claims.map(() => 'SOON')
  }

  /** The warning is stored before the place that it is about, so no crash can lose it. */
  async function warn(book: QuotaBook, organizationId: string): Promise<void> {
    const warning = quotaWarningOf(book, organizationId, now())
    if (!warning || warned.has(warning.id)) return
    await warnings.note(warning)
    warned.set(warning.id, true)
  }

  const claim = batchRequests<QuotaRequest, QuotaResult>(
    async (group) => {
      const results = new Map<QuotaRequest, QuotaResult | Error>()
      const byKey = Map.groupBy(group, ({ quotaKey }) => quotaKey)
      await Promise.all(
        [...byKey].map(async ([quotaKey, asked]) => {
          const claimed = await claimAll(quotaKey, asked).catch((error: Error) => asked.map(() => error))
          for (const [n, each] of asked.entries()) results.set(each, claimed[n]!)
        }),
      )
      return group.map((each) => results.get(each)!)
    },
    groupMax,
    ({ quotaKey }) => quotaKey,
  )

  return {
    /** Claims a place for this version of a record. Repeating a claim returns the same result. */
    async claim(whose: Omit<QuotaRequest, 'claim'>, { id, version }: Claim): Promise<QuotaResult> {
      if (known.get(id) === version) return 'YES'
      const result = await claim({ ...whose, claim: { id, version } })
      if (result === 'YES') known.set(id, version)
      return result
    },

    /** Number of executions that carry the key. */
    async used(quotaKey: string): Promise<number> {
      const book = await books.load(quotaKey)
      if (!book || book.countedAt + recountMs <= now()) return executions.countQuota(quotaKey)
      return (await settled(ports, book)).used
    },
  }
}

async function bookOf(
  { executions, now }: Ports,
  id: string,
  most: number,
  found: QuotaBook | null,
): Promise<QuotaBook> {
  if (found && found.most === most && found.countedAt + recountMs > now()) return found
  const held = found?.held ?? []
  const ids = held.map((claim) => claim.id)
  const used = await executions.countQuota(id, ids)
  return { id, version: found?.version ?? 0, most, countedAt: now(), used, held }
}

const settled = async ({ executions }: Ports, book: QuotaBook): Promise<QuotaBook> =>
  book.held.length === 0 ? book : settledQuota(book, await executions.carriers(book.held.map(({ id }) => id)))
