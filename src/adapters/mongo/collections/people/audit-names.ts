import { createHash, randomBytes } from 'node:crypto'
import type { Collection } from 'mongodb'
import type { Connection } from 'mongoose'
import type { AuditEntry } from '../../../../domain/tenant/audit'
import { type NameToHide, namesIn, storable, withNames, withoutNames } from '../../../../domain/tenant/audit-names'
import { type AuditName, isCovered, isTrue, pseudonymOf, saltBytes } from '../../../../domain/tenant/audit-pseudonyms'
import { batchRequests } from '../../../batch-requests'
import { collection, text, textOrNull } from '../../engine/collection'
import { rememberingRefusal } from '../../engine/write-refusal'

type StoredName = Omit<AuditName, 'salt'> & { _id: string; folded: string; salt?: string | null }

/**
 * `folded` is the e-mail address, in lower case, whose removal also removes the name. Spellings in upper or lower case
 * belong to one person.
 */
const fields = { organizationId: text, name: text, folded: text, stand: text, salt: textOrNull }
const duplicateKey = 11_000
const groupMax = 100

const idOf = (organizationId: string, { name, whose }: NameToHide, turn: number): string =>
  createHash('sha256')
    .update(JSON.stringify(['salted', organizationId, name, whose, turn]))
    .digest('hex')

const fromStored = ({ organizationId, stand, name, salt = null }: StoredName): AuditName => ({
  organizationId,
  stand,
  name,
  salt,
})

/**
 * Names behind the pseudonyms of the audit log, stored apart from the chain: entries cannot be changed, and names must
 * be removable. A pseudonym is a hash of the name and of a random salt that is stored beside the name. While the name
 * is stored, it cannot be changed unnoticed. Once it is removed, it cannot be guessed.
 */
export function mongoAuditNames(connection: Connection) {
  const model = collection<StoredName>(connection, 'auditNames', fields, [
    [{ organizationId: 1 }, { name: 'organization' }],
    [{ stand: 1 }, { name: 'stand' }],
    [{ folded: 1 }, { name: 'folded' }],
  ])
  const rows = () => model.collection as unknown as Collection<StoredName>

  const load = batchRequests<string, StoredName | null>(async (ids) => {
    const matches = await rows()
      .find({ _id: { $in: [...new Set(ids)] } })
      .toArray()
    const byId = new Map(matches.map((row) => [row._id, row]))
    return ids.map((id) => byId.get(id) ?? null)
  }, groupMax)

  /**
   * Returns the pseudonym of a name. A row that does not hold this name was tampered with. It stays for `verify` to
   * find, and is not used.
   */
  async function standFor(organizationId: string, hidden: NameToHide, turn = 0): Promise<string> {
    const { name, whose } = hidden
    const folded = whose.toLowerCase()
    const _id = idOf(organizationId, hidden, turn)
    const storedName = await load(_id)
    if (storedName) {
      const isGood =
        storedName.organizationId === organizationId && storedName.name === name && storedName.folded === folded
      const isHeld = isGood && isCovered(storedName) && isTrue(fromStored(storedName))
      return isHeld ? storedName.stand : standFor(organizationId, hidden, turn + 1)
    }
    const salt = randomBytes(saltBytes).toString('hex')
    const stand = pseudonymOf({ organizationId, name, salt })
    try {
      await rememberingRefusal(connection, () => rows().insertOne({ _id, organizationId, name, folded, stand, salt }))
      return stand
    } catch (error) {
      if ((error as { code?: unknown }).code !== duplicateKey) throw error
      return standFor(organizationId, hidden, turn) // another process was first
    }
  }

  return {
    /** Returns the entry as it goes into the chain. The names behind its pseudonyms are stored first. */
    async hidden(auditEntry: AuditEntry): Promise<AuditEntry> {
      const entry = storable(auditEntry)
      const names = namesIn(entry)
      const stands = await Promise.all(names.map((name) => standFor(entry.organizationId, name)))
      return withoutNames(entry, new Map(names.map(({ name }, n) => [name, stands[n]!])))
    },
    /** Returns entries as people read them. A removed name cannot be shown. */
    shown: <Entry extends AuditEntry>(entries: readonly Entry[]): Promise<Entry[]> =>
      withNames(entries, async (organizationIds, stands) => {
        const among = { stand: { $in: [...stands] }, organizationId: { $in: [...organizationIds] } }
        return (await rows().find(among).toArray()).map(fromStored)
      }),
    async of(organizationId: string): Promise<AuditName[]> {
      return (await rows().find({ organizationId }).sort({ stand: 1 }).toArray()).map(fromStored)
    },
  }
}
