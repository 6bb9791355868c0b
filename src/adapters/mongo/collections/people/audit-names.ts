import { createHash, randomBytes } from 'node:crypto'
import type { Collection } from 'mongodb'
import type { Connection } from 'mongoose'
import type { AuditEntry } from '../../../../domain/tenant/audit'
import { type AuditName, namesIn, withNames, withoutNames } from '../../../../domain/tenant/audit-names'
import { collection, text } from '../../engine/collection'
import { tellingRefusal } from '../../engine/write-refusal'

type StoredName = { _id: string; organizationId: string; name: string; folded: string; stand: string }

/** An address is written in any case, and is one person's all the same. */
const fields = { organizationId: text, name: text, folded: text, stand: text }
const duplicateKey = 11_000

/**
 * The names that entries of the audit log stand for, apart from the chain: entries cannot be changed, and names must be
 * able to go. What stands in an entry is random and not computed from the name, so that nobody can try out names.
 */
export function mongoAuditNames(connection: Connection) {
  const model = collection<StoredName>(connection, 'auditNames', fields, [
    [{ organizationId: 1 }, { name: 'organization' }],
    [{ stand: 1 }, { name: 'stand' }],
    [{ folded: 1 }, { name: 'folded' }],
  ])
  const rows = () => model.collection as unknown as Collection<StoredName>

  async function standFor(organizationId: string, name: string): Promise<string> {
    const _id = createHash('sha256')
      .update(JSON.stringify([organizationId, name]))
      .digest('hex')
    const known = await rows().findOne({ _id })
    if (known) return known.stand
    const stand = `name_${randomBytes(12).toString('hex')}`
    try {
      await tellingRefusal(connection, () =>
        rows().insertOne({ _id, organizationId, name, folded: name.toLowerCase(), stand }),
      )
      return stand
    } catch (error) {
      if ((error as { code?: unknown }).code !== duplicateKey) throw error
      return standFor(organizationId, name) // another process was first
    }
  }

  return {
    /** The entry as it goes into the chain. What it stands for is stored before it is. */
    async hidden(entry: AuditEntry): Promise<AuditEntry> {
      const stands = new Map<string, string>()
      for (const name of namesIn(entry)) stands.set(name, await standFor(entry.organizationId, name))
      return withoutNames(entry, stands)
    },
    /** Entries as people read them. A name that was removed is not known any more. */
    async shown<Entry extends AuditEntry>(entries: readonly Entry[]): Promise<Entry[]> {
      return withNames(entries, async (stands) => {
        const found = await rows()
          .find({ stand: { $in: [...stands] } })
          .toArray()
        return new Map(found.map(({ stand, name }) => [stand, name]))
      })
    },
    async of(organizationId: string): Promise<AuditName[]> {
      const found = await rows().find({ organizationId }).sort({ stand: 1 }).toArray()
      return found.map(({ stand, name }) => ({ stand, name }))
    },
  }
}
