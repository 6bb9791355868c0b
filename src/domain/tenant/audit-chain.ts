import type { AuditEntry } from './audit'
import { storable } from './audit-names'

/** Position of an entry in its organization's chain. `hash` covers the entry and the previous hash. */
export type Link = { seq: number; previousHash: string; hash: string }
export type LinkedEntry = AuditEntry & Link
/** A listed entry. Entries of an earlier release belong to no chain until `migrate` has run. */
export type ListedEntry = AuditEntry & { [Field in keyof Link]: Link[Field] | null }
/** Last entry of a chain. A reader who keeps it can detect later that entries were changed or cut off. */
export type ChainHead = Pick<Link, 'seq' | 'hash'>

const seqDigits = 12

/** Returns the chain head before an organization's first entry. */
export const emptyChain = (organizationId: string): ChainHead => ({
  seq: 0,
  hash: sha256(`switchyard audit log/1\n${organizationId}`),
})

/**
 * Returns the entry linked to the head. Values that JSON or a store cannot hold are dropped or replaced first, so the
 * stored entry still matches its hash.
 */
export function linked(auditEntry: AuditEntry, head: ChainHead): LinkedEntry {
  const plain = storable(auditEntry)
  const place = { seq: head.seq + 1, previousHash: head.hash }
  return { ...plain, ...place, hash: hashOf({ ...plain, ...place }) }
}

/** Returns why an entry cannot follow the head, in words; null if it can. */
export function chainFault(entry: LinkedEntry, head: ChainHead): string | null {
  if (entry.seq !== head.seq + 1)
    return `entry ${entry.seq} follows entry ${head.seq}, so entries are missing or duplicated`
  if (entry.previousHash !== head.hash) return `entry ${entry.seq} does not follow from the entry before it`
  return entry.hash === hashOf(entry) ? null : `entry ${entry.seq} was changed`
}

/** Returns the sort key of an entry, in the store and among entries of one moment. */
export const placeOf = ({ id, organizationId, seq }: Pick<ListedEntry, 'id' | 'organizationId' | 'seq'>): string =>
  seq === null ? id : `${organizationId}:${String(seq).padStart(seqDigits, '0')}`

/** Returns the SHA-256 of a JSON array. The holder of an export can compute it without our code. */
function hashOf(entry: Omit<LinkedEntry, 'hash'>): string {
  const { organizationId, seq, previousHash, id, at, actor, verb, target, reason, details, requestId } = entry
  const who = [actor.kind, actor.id, actor.label]
  const what = [verb, target, reason, sorted(details), requestId]
  return sha256(JSON.stringify([organizationId, seq, previousHash, id, new Date(at).toISOString(), ...who, ...what]))
}

/** Returns the value with every object's fields sorted by name. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (value === null || typeof value !== 'object') return value
  const fields = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(fields.map(([name, each]) => [name, sorted(each)]))
}

const sha256 = (text: string): string => Bun.SHA256.hash(text, 'hex')
