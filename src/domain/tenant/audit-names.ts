import { literally } from '../plain-text'
import type { AuditEntry } from './audit'
import { type AuditName, isTrue, replaceStands } from './audit-stands'
import { isApart, isNamedActor, isNamedTarget } from './audit-texts'

/** `whose`: the e-mail address with which the name is removed, or the name itself. */
export type NameToHide = { name: string; whose: string }

/** An address in a sentence: without the quotation mark before it or the full stop after it. */
const address =
  /[^\s@"'<>()[\]{},;:/\\][^\s@"<>()[\]{},;:/\\]{0,63}@[^\s@"'<>()[\]{},;:/\\]{0,189}[^\s@"'<>()[\]{},;:/\\.!?]/g
/** A text that is nothing but an address, whatever letters it has. */
const bare = /^[^\s@]{1,64}@[^\s@]{1,190}$/
const removed = 'a removed name'
const changed = 'a name that was changed'

/** The names in an entry: every text that is not to stay in the chain, and every e-mail address in those that are. */
export function namesIn(entry: AuditEntry): readonly NameToHide[] {
  const { email } = entry.details as { email?: unknown }
  const found = new Map<string, string>()
  mapped(entry, (text, isWhole, field) => {
    // Where somebody came from is theirs, and is removed with them.
    const whose = field === 'address' && typeof email === 'string' ? email : null
    if (isWhole || bare.test(text)) found.set(text, whose ?? text)
    else for (const [each] of text.matchAll(address)) found.set(each, each)
    return text
  })
  found.delete('')
  return [...found].map(([name, whose]) => ({ name, whose }))
}

/** The entry with something else in the place of each name. */
export const withoutNames = (entry: AuditEntry, stands: ReadonlyMap<string, string>): AuditEntry =>
  mapped(entry, (text, isWhole) =>
    isWhole || bare.test(text) ? (stands.get(text) ?? text) : text.replace(address, (each) => stands.get(each) ?? each),
  )

/** Whether an address stands in a text, and not as the end or the beginning of somebody else's. Both are folded. */
export const holdsAddress = (text: string, one: string): boolean =>
  new RegExp(`(?<![\\p{L}\\p{M}\\p{N}][._+%'-]*)${literally(one)}(?!\\.?[\\p{L}\\p{M}\\p{N}-])`, 'u').test(text)

/** Whatever stands for a name in an entry. */
export function standsIn(entry: AuditEntry): ReadonlySet<string> {
  const found = new Set<string>()
  mapped(entry, (text) =>
    replaceStands(text, (stand) => {
      found.add(stand)
      return stand
    }),
  )
  return found
}

/**
 * Entries with their names again. What nothing is known of any more is said to be removed, and a name that is not the
 * one for which something stands is not shown.
 */
export async function withNames<Entry extends AuditEntry>(
  entries: readonly Entry[],
  namesOf: (organizationIds: ReadonlySet<string>, stands: ReadonlySet<string>) => Promise<readonly AuditName[]>,
): Promise<Entry[]> {
  const stands = new Set(entries.flatMap((entry) => [...standsIn(entry)]))
  if (stands.size === 0) return [...entries]
  const key = (organizationId: string, stand: string) => JSON.stringify([organizationId, stand])
  const known = await namesOf(new Set(entries.map(({ organizationId }) => organizationId)), stands)
  const names = new Map(known.map((each) => [key(each.organizationId, each.stand), isTrue(each) ? each.name : changed]))
  return entries.map((entry) =>
    mapped(entry, (text) => replaceStands(text, (stand) => names.get(key(entry.organizationId, stand)) ?? removed)),
  )
}

/** The entry as a store keeps it and JSON says it, so that it is read as it was written. */
export const storable = <Entry extends AuditEntry>(entry: Entry): Entry =>
  mapped({ ...entry, details: JSON.parse(JSON.stringify(entry.details)) as object }, (text) => text.toWellFormed())

/** @param isWhole Whether all of the text is a name. @param field The field of the details that it is in. */
type Change = (text: string, isWhole: boolean, field: string | null) => string

/** The entry with its texts changed that somebody may have written. Ids stay as they are. */
const mapped = <Entry extends AuditEntry>(entry: Entry, change: Change): Entry => ({
  ...entry,
  actor: { ...entry.actor, label: change(entry.actor.label, isNamedActor(entry), null) },
  target: change(entry.target, isNamedTarget(entry), null),
  reason: entry.reason === null ? null : change(entry.reason, false, null),
  details: Object.fromEntries(
    Object.entries(entry.details).map(([field, value]) => {
      const isWhole = isApart(entry, field)
      return [field, mappedValue(value, (text) => change(text, isWhole, field))]
    }),
  ),
})

function mappedValue(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value)
  if (Array.isArray(value)) return value.map((each) => mappedValue(each, change))
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([field, each]) => [field, mappedValue(each, change)]))
}
