import { setTimeout as sleep } from 'node:timers/promises'
import { bulkhead } from 'cockatiel'
import type { Connection } from 'mongoose'
import { BoundedMap } from '../../../domain/bounded-map'
import type { AuditEntry } from '../../../domain/tenant/audit'
import {
  type ChainHead,
  emptyChain,
  type Link,
  type LinkedEntry,
  type ListedEntry,
  linked,
  placeOf,
} from '../../../domain/tenant/audit-chain'
import { StoreUnavailable } from '../../../domain/unavailable'
import type { AuditQueries } from '../../../ports/queries'
import type { AuditLog } from '../../../ports/tenants'
import { batchesOfKeys } from '../../batch-requests'
import { any, collection, text, textOrNull, whole, wholeOrNull } from '../engine/collection'
import { type Filter, oneIndex, pagedBy } from '../engine/page'
import { rememberingRefusal } from '../engine/write-refusal'
import { mongoAuditNames } from './people/audit-names'

/** `_id` is the position in the chain. If two processes write at one position, only one succeeds. */
type StoredEntry = Omit<AuditEntry, 'id'> & { _id: string; id?: string } & Partial<Link>

const fields = {
  id: textOrNull,
  at: whole,
  actor: any,
  organizationId: text,
  verb: text,
  target: text,
  reason: textOrNull,
  details: any,
  requestId: textOrNull,
  seq: wholeOrNull,
  previousHash: textOrNull,
  hash: textOrNull,
}

const duplicateKey = 11000
/** MongoDB's error code for a hinted index that does not exist. */
const badValue = 2
const groupMax = 100
const headsMax = 10_000
/** Each lost attempt means that another process has written. */
const attemptsMax = 200
const patientAttempts = 3
/** Concurrent attempts of all organizations. A caller that waits for a different attempt holds no slot. */
const writesMax = 8

function auditIndex({ target, organizationId }: Filter): string {
  if (target !== undefined) return 'target'
  return organizationId === undefined ? 'newestAnywhere' : 'newest'
}

const fromStored = ({ _id, id, seq, previousHash, hash, ...entry }: StoredEntry): ListedEntry => ({
  ...entry,
  ...{ id: id ?? _id, seq: seq ?? null, previousHash: previousHash ?? null, hash: hash ?? null },
})

/**
 * Append-only: no code here changes or removes an entry. The entries of an organization form a chain. Its next position
 * follows from the last entry, and the insertion itself takes that position.
 */
export function mongoAuditLog(connection: Connection): AuditLog & AuditQueries {
  const model = collection<StoredEntry>(connection, 'auditLog', fields as never, [
    [{ organizationId: 1, at: -1, _id: -1 }, { name: 'newest' }],
    [{ at: -1, _id: -1 }, { name: 'newestAnywhere' }],
    [{ target: 1 }, { name: 'target' }],
    [{ organizationId: 1, seq: -1 }, { name: 'chain' }],
    [{ id: 1 }, { name: 'id' }],
  ])
  const names = mongoAuditNames(connection)
  const rows = pagedBy(model, oneIndex(auditIndex))
  const heads = new BoundedMap<string, ChainHead>(headsMax)
  const writes = bulkhead(writesMax, Number.POSITIVE_INFINITY)

  async function inChain(filter: object, order: Record<string, 1 | -1>, limit: number): Promise<StoredEntry[]> {
    const query = () =>
      model
        .find(filter as never)
        .sort(order)
        .limit(limit)
    return query()
      .hint('chain')
      .lean<StoredEntry[]>()
      .catch((error: { code?: unknown }) => {
        if (error.code !== badValue) throw error
        return query().lean<StoredEntry[]>() // a database of a previous release, whose index does not exist yet
      })
  }

  async function headOf(organizationId: string): Promise<ChainHead> {
    const [last] = await inChain({ organizationId, seq: { $gt: 0 } }, { seq: -1 }, 1)
    return last ? { seq: last.seq!, hash: last.hash! } : emptyChain(organizationId)
  }

  /** Returns the entries that no earlier attempt has stored. Call it after reading the head. */
  async function missingOf(entries: readonly AuditEntry[]): Promise<AuditEntry[]> {
    const ids = entries.map(({ id }) => id)
    const stored = await model.find({ id: { $in: ids } } as never, { id: 1 }).lean<StoredEntry[]>()
    const existingIds = new Set(stored.map(({ id }) => id))
    return entries.filter(({ id }, n) => !existingIds.has(id) && ids.indexOf(id) === n)
  }

  /** Returns false if another process has written at the same position. */
  async function isAppended(organizationId: string, entries: readonly AuditEntry[]): Promise<boolean> {
    let head = heads.get(organizationId) ?? (await headOf(organizationId))
    const fresh: LinkedEntry[] = []
    for (const entry of await missingOf(entries)) {
      fresh.push(linked(entry, head))
      head = fresh.at(-1)!
    }
    if (fresh.length === 0) return true
    const documents = fresh.map((entry) => ({ _id: placeOf(entry), ...entry }))
    try {
      await rememberingRefusal(connection, () => model.collection.insertMany(documents as never, { ordered: true }))
      heads.set(organizationId, { seq: head.seq, hash: head.hash })
      return true
    } catch (error) {
      heads.delete(organizationId)
      if ((error as { code?: unknown }).code !== duplicateKey) throw error
      return false
    }
  }

  async function appendOf(organizationId: string, entries: readonly AuditEntry[]): Promise<void> {
    for (let attempt = 1; attempt <= attemptsMax; attempt++) {
      if (await writes.execute(() => isAppended(organizationId, entries))) return
      if (attempt > patientAttempts) await sleep(attempt)
    }
    throw new StoreUnavailable(`The audit log of ${organizationId} was written by other processes at every attempt`)
  }

  /** In this process, an organization has at most one batch in progress. */
  const append = batchesOfKeys(appendOf, groupMax, ({ organizationId }: AuditEntry) => organizationId)

  return {
    append: async (entry) => append(await names.hidden(entry)),
    names: names.of,
    async list({ organizationId, verb, target, actorId, createdFrom, createdTo }, page) {
      const equal = { organizationId: organizationId ?? undefined, verb, target, 'actor.id': actorId }
      const entries = await rows.page(equal, { field: 'at', from: createdFrom, to: createdTo }, page)
      return names.shown(entries.map(fromStored))
    },
    head: headOf,
    async chain(organizationId, after, limit) {
      const entries = await inChain({ organizationId, seq: { $gt: after } }, { seq: 1 }, limit)
      return entries.map(fromStored) as LinkedEntry[]
    },
    async isWhole(organizationId) {
      // Entries of a previous release have an `_id` but no `id`. The index of `id` finds them immediately.
      const unlinked = organizationId === null ? { id: null, seq: null } : { organizationId, seq: null }
      return (await model.findOne(unlinked as never, { _id: 1 }).lean()) === null
    },
    async nextChain(after) {
      const [next] = await inChain({ organizationId: { $gt: after }, seq: { $gt: 0 } }, { organizationId: 1 }, 1)
      return next?.organizationId ?? null
    },
  }
}
