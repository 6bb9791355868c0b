import { type BlacklistEntry, blacklistId, entryAt } from '../domain/blacklist-entry'
import { inParallel, rewrite } from '../domain/concurrency'
import { type AuditEntry, audit } from '../domain/tenant/audit'
import type { BlacklistEntries, BlacklistList } from '../ports/operators'
import type { Records } from '../ports/records'
import type { AuditLog } from '../ports/tenants'
import { type ListEntry, ListRefused, type ParsedList } from './read-list'

type ImportPorts = {
  blacklist: BlacklistEntries
  blacklistLists: Records<BlacklistList>
  auditLog: AuditLog
  time: () => Promise<number>
  newId: () => string
}

type ListImport = ParsedList & {
  /** The name of the list. An import replaces the earlier version of the list with this name. */
  name: string
  /** The SHA-256 of the text that was read. */
  digest: string
  actor: AuditEntry['actor']
  organizationId: string
  /** Imports the list even if most of its earlier entries are gone. */
  isForced: boolean
}

type Imported = { version: number; added: number; removed: number; unchanged: number; overruled: number }

/** A list that loses more than this share was cut off or is another list, so the import is refused. */
const shrinkMax = 0.5
const writesAtOnce = 32

/**
 * Replaces the earlier version of a list. New entries are added before missing ones are removed, so an address on both
 * versions is listed at every moment. An operator's own decision about an entry stays.
 *
 * @throws {ListRefused} if too many entries are gone.
 */
export async function importList(ports: ImportPorts, listImport: ListImport): Promise<Imported> {
  const { blacklist, blacklistLists, auditLog, time, newId } = ports
  const { name, digest, format, listed, ignored, actor, organizationId, isForced } = listImport
  const at = await time()
  const wanted = new Map(listed.map((one) => [blacklistId(one.kind, one.chainId, one.address), one]))
  const before = (await blacklist.changedSince(0)).filter((entry) => entryAt(entry, at) && entry.lists?.includes(name))
  const gone = before.filter(({ id }) => !wanted.has(id))
  if (wanted.size === 0) throw new ListRefused('The list has no entries.')
  if (!isForced && gone.length > before.length * shrinkMax)
    throw new ListRefused(
      `${gone.length} of ${before.length} entries would be removed. Use --force to import the list anyway.`,
    )

  const blacklistList = await blacklistLists.load(name)
  const version = (blacklistList?.version ?? 0) + 1
  const details = { format, digest, version, entries: wanted.size, ignored, gone: gone.length, isForced }
  await audit(auditLog, { id: newId(), at, actor, organizationId, verb: 'blacklist.import', target: name, details })

  const tally = { added: 0, removed: 0, unchanged: 0, overruled: 0 }
  const put = (id: string, next: (entry: BlacklistEntry | null) => BlacklistEntry | null) =>
    change(blacklist, id, next, time)
  await inParallel([...wanted], writesAtOnce, async ([id, one]) => {
    let what: keyof typeof tally = 'unchanged'
    const isOf = ({ listedAs, reason }: Pick<BlacklistEntry, 'listedAs' | 'reason'>) =>
      listedAs === one.listedAs && reason === one.reason
    await put(id, (entry) => {
      const current = entry && entryAt(entry, at)
      const isOn = current?.lists?.includes(name) ?? false
      const lists = [...new Set([...(current?.lists ?? []), name])]
      if (current?.source === 'OPERATOR') {
        what = 'overruled'
        const { listedAs, reason } = one
        const isSame = isOn && current.imported && isOf(current.imported)
        return isSame ? null : { ...current, lists, imported: { listedAs, reason } }
      }
      what = isOn ? 'unchanged' : 'added'
      return isOn && isOf(current!) ? null : { ...imported(one, id, entry, at), lists }
    })
    tally[what]++
  })
  await inParallel(gone, writesAtOnce, async ({ id }) => {
    await put(id, (entry) => {
      if (!entry?.lists?.includes(name)) return null
      const lists = entry.lists.filter((other) => other !== name)
      const isOver = lists.length === 0 && entry.source === 'IMPORT'
      return { ...entry, lists, removedAt: isOver ? at : entry.removedAt }
    })
    tally.removed++
  })
  await change(
    blacklistLists,
    name,
    (list) => ({
      id: name,
      version: list?.version ?? 0,
      digest,
      format,
      entries: wanted.size,
      updatedAt: at,
    }),
    time,
  )
  return { version, ...tally }
}

const imported = (one: ListEntry, id: string, entry: BlacklistEntry | null, at: number): BlacklistEntry => ({
  ...one,
  id,
  version: entry?.version ?? 0,
  source: 'IMPORT',
  expiresAt: null,
  createdAt: (entry && entryAt(entry, at))?.createdAt ?? at,
  updatedAt: at,
  removedAt: null,
})

/** Writes with the current time, so readers of recent changes receive it. */
async function change<R extends { id: string; version: number; updatedAt: number }>(
  records: Records<R>,
  id: string,
  next: (record: R | null) => R | null,
  time: () => Promise<number>,
): Promise<void> {
  await rewrite(records, id, async (record) => {
    const changed = next(record)
    return changed && { ...changed, updatedAt: await time() }
  })
}
