import type { AuditEntry } from './audit'
import { type AuditName, isTrue, replaceStands } from './audit-stands'

/** An address in a sentence: without the quotation mark before it or the full stop after it. */
const address =
  /[^\s@"'<>()[\]{},;:/\\][^\s@"<>()[\]{},;:/\\]{0,63}@[^\s@"'<>()[\]{},;:/\\]{0,189}[^\s@"'<>()[\]{},;:/\\.!?]/g
/** A text that is nothing but an address, whatever letters it has. */
const bare = /^[^\s@]{1,64}@[^\s@]{1,190}$/
const removed = 'a removed name'
const changed = 'a name that was changed'

/** The names in an entry: every e-mail address wherever it stands, and what the entry itself says is a name. */
export function namesIn(entry: AuditEntry): ReadonlySet<string> {
  const found = new Set<string>(entry.names)
  mapped(entry, (text) => {
    if (bare.test(text)) found.add(text)
    else for (const [each] of text.matchAll(address)) found.add(each)
    return text
  })
  return found
}

/** The entry with something else in the place of each name. */
export function withoutNames({ names = [], ...entry }: AuditEntry, stands: ReadonlyMap<string, string>): AuditEntry {
  if (stands.size === 0) return entry
  const whole = new Set(names)
  return mapped(entry, (text) =>
    whole.has(text) || bare.test(text)
      ? (stands.get(text) ?? text)
      : text.replace(address, (each) => stands.get(each) ?? each),
  )
}

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

/** The entry with its texts changed that somebody may have written. Ids stay as they are. */
export const mapped = <Entry extends AuditEntry>(entry: Entry, change: (text: string) => string): Entry => ({
  ...entry,
  actor: { ...entry.actor, label: change(entry.actor.label) },
  target: change(entry.target),
  reason: entry.reason === null ? null : change(entry.reason),
  details: mappedValue(entry.details, change) as object,
})

function mappedValue(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value)
  if (Array.isArray(value)) return value.map((each) => mappedValue(each, change))
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([field, each]) => [field, mappedValue(each, change)]))
}
