import { literally } from '../plain-text'
import type { AuditEntry } from './audit'
import { type AuditName, isTrue, replacePseudonyms } from './audit-pseudonyms'
import { isApart, isNamedActor, isNamedTarget } from './audit-texts'

/**
 * A name to replace by a pseudonym. `whose` is the e-mail address that the name is removed with, or the name itself.
 */
export type NameToHide = { name: string; whose: string }

/** Matches an address in a sentence, without a preceding quotation mark or a final full stop. */
const address =
  /[^\s@"'<>()[\]{},;:/\\][^\s@"<>()[\]{},;:/\\]{0,63}@[^\s@"'<>()[\]{},;:/\\]{0,189}[^\s@"'<>()[\]{},;:/\\.!?]/g
/** Matches a text that is only an address, in any alphabet. */
const bare = /^[^\s@]{1,64}@[^\s@]{1,190}$/
const removed = 'a removed name'
const changed = 'a name that was changed'

/**
 * Returns the names in an entry: every text that must not stay in the chain, and every e-mail address in the other
 * texts.
 */
export function namesIn(entry: AuditEntry): readonly NameToHide[] {
  const { email } = entry.details as { email?: unknown }
  const names = new Map<string, string>()
  mapped(entry, (text, isWhole, field) => {
    // A person's network address is removed together with that person.
    const whose = field === 'address' && typeof email === 'string' ? email : null
    if (isWhole || bare.test(text)) names.set(text, whose ?? text)
    else for (const [each] of text.matchAll(address)) names.set(each, each)
    return text
  })
  names.delete('')
  return [...names].map(([name, whose]) => ({ name, whose }))
}

/** Returns the entry with a pseudonym in place of each name. */
export const withoutNames = (entry: AuditEntry, stands: ReadonlyMap<string, string>): AuditEntry =>
  mapped(entry, (text, isWhole) =>
    isWhole || bare.test(text) ? (stands.get(text) ?? text) : text.replace(address, (each) => stands.get(each) ?? each),
  )

/** Whether a text contains an address, and not as part of a longer one. Both arguments are case-folded. */
export const holdsAddress = (text: string, one: string): boolean =>
  new RegExp(`(?<![\\p{L}\\p{M}\\p{N}][._+%'-]*)${literally(one)}(?!\\.?[\\p{L}\\p{M}\\p{N}-])`, 'u').test(text)

/** Returns the pseudonyms in an entry. */
export function standsIn(entry: AuditEntry): ReadonlySet<string> {
  const pseudonyms = new Set<string>()
  mapped(entry, (text) =>
    replacePseudonyms(text, (stand) => {
      pseudonyms.add(stand)
      return stand
    }),
  )
  return pseudonyms
}

/**
 * Returns entries with their names restored. A pseudonym without a stored name reads "removed". A stored name that does
 * not match its pseudonym is not shown.
 */
export async function withNames<Entry extends AuditEntry>(
  entries: readonly Entry[],
  namesOf: (organizationIds: ReadonlySet<string>, stands: ReadonlySet<string>) => Promise<readonly AuditName[]>,
): Promise<Entry[]> {
  const stands = new Set(entries.flatMap((entry) => [...standsIn(entry)]))
  if (stands.size === 0) return [...entries]
  const key = (organizationId: string, stand: string) => JSON.stringify([organizationId, stand])
  const auditNames = await namesOf(new Set(entries.map(({ organizationId }) => organizationId)), stands)
  const names = new Map(
    auditNames.map((each) => [key(each.organizationId, each.stand), isTrue(each) ? each.name : changed]),
  )
  return entries.map((entry) =>
    mapped(entry, (text) => replacePseudonyms(text, (stand) => names.get(key(entry.organizationId, stand)) ?? removed)),
  )
}

/** Returns the entry as a store and JSON represent it. Reading it back then gives the same values. */
export const storable = <Entry extends AuditEntry>(entry: Entry): Entry =>
  mapped({ ...entry, details: JSON.parse(JSON.stringify(entry.details)) as object }, (text) => text.toWellFormed())

/** @param isWhole Whether the whole text is a name. @param field Field of the details that contains the text. */
type Change = (text: string, isWhole: boolean, field: string | null) => string

/** Returns the entry with `change` applied to the texts that people may have written. Ids stay unchanged. */
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
