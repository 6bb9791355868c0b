import type { AuditEntry } from './audit'
import { storable } from './audit-names'

/** The place of an entry in the chain of its organization. `hash` covers the entry and the hash before it. */
export type Link = { seq: number; previousHash: string; hash: string }
export type LinkedEntry = AuditEntry & Link
/** An entry as it is listed: those of an earlier release stand in no chain until `migrate` has run. */
export type ListedEntry = AuditEntry & { [Field in keyof Link]: Link[Field] | null }
/** The end of a chain. Whoever keeps it notices later that entries were changed or cut off. */
export type ChainHead = Pick<Link, 'seq' | 'hash'>

const seqDigits = 12

/** What stands before the first entry of an organization. */
export const emptyChain = (organizationId: string): ChainHead => ({
  seq: 0,
  hash: sha256(`switchyard audit log/1\n${organizationId}`),
})

/**
 * The entry at its place behind the head. What JSON or a store cannot hold is left out or replaced, so that it is read
 * as it was hashed.
 */
export function linked(given: AuditEntry, head: ChainHead): LinkedEntry {
  const plain = storable(given)
  const place = { seq: head.seq + 1, previousHash: head.hash }
  return { ...plain, ...place, hash: hashOf({ ...plain, ...place }) }
}

/** Says in words why an entry cannot follow the head; null when it does. */
export function chainFault(entry: LinkedEntry, head: ChainHead): string | null {
  if (entry.seq !== head.seq + 1)
    return `entry ${entry.seq} follows entry ${head.seq}, so entries are missing or doubled`
  if (entry.previousHash !== head.hash)
    return `entry ${entry.seq} does not belong behind the entry that stands before it`
  return entry.hash === hashOf(entry) ? null : `entry ${entry.seq} was changed`
}

/** Where an entry stands in the store, and in lists of one moment. */
export const placeOf = ({ id, organizationId, seq }: Pick<ListedEntry, 'id' | 'organizationId' | 'seq'>): string =>
  seq === null ? id : `${organizationId}:${String(seq).padStart(seqDigits, '0')}`

/** The SHA-256 of a JSON array, so that whoever has an export can compute it without our code. */
function hashOf(entry: Omit<LinkedEntry, 'hash'>): string {
  const { organizationId, seq, previousHash, id, at, actor, verb, target, reason, details, requestId } = entry
  const who = [actor.kind, actor.id, actor.label]
  const what = [verb, target, reason, sorted(details), requestId]
  return sha256(JSON.stringify([organizationId, seq, previousHash, id, new Date(at).toISOString(), ...who, ...what]))
}

/** The value with the fields of every object in the order of their names. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (value === null || typeof value !== 'object') return value
  const fields = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(fields.map(([name, each]) => [name, sorted(each)]))
}

const sha256 = (text: string): string => Bun.SHA256.hash(text, 'hex')
