import type { Db } from 'mongodb'
import type { Identity, Person } from '../../ports/people'
import { authCollections } from './auth-indexes'

type User = { _id: string; email: string; name: string; emailVerified: boolean }
type Link = { _id: string; providerId: string; accountId: string; userId: string; createdAt: Date; updatedAt: Date }
const personOf = ({ _id, email, name }: User): Person => ({ id: _id, email, name })
/** Provider id of a connection's links. Erasing an organization removes its links by this id too. */
export const providerOf = (connectionId: string): string => `oidc:${connectionId}`
const duplicateKey = 11_000

/**
 * People whom identity providers sign in. A link belongs to one connection, and a person has at most one link per
 * connection.
 */
export function linkedPeople(
  db: Db,
  makeId: () => string,
  now: () => number,
): Pick<Identity, 'linkedWith' | 'personAt' | 'link' | 'endVia'> {
  const users = db.collection<User & { createdAt: Date; updatedAt: Date }>(authCollections.user)
  const links = db.collection<Link>(authCollections.account)
  const unlessThere = (error: { code?: number }) => {
    if (error.code !== duplicateKey) throw error
  }
  return {
    async linkedWith(connectionId, sub) {
      const link = await links.findOne({ providerId: providerOf(connectionId), accountId: sub })
      const user = link && (await users.findOne({ _id: link.userId }))
      return user && personOf(user)
    },
    async personAt(connectionId, { email, name }) {
      const at = new Date(now())
      const made = { name, email, emailVerified: true, image: null, twoFactorEnabled: false }
      // Of two simultaneous calls, the unique index on addresses lets one create the person.
      if (!(await users.findOne({ email })))
        await users.insertOne({ _id: makeId(), ...made, createdAt: at, updatedAt: at } as never).catch(unlessThere)
      const user = (await users.findOne({ email }))!
      const isTaken = (await links.findOne({ _id: `${providerOf(connectionId)}:${user._id}` })) !== null
      const hasPassword = (await links.findOne({ userId: user._id, providerId: 'credential' })) !== null
      return { person: personOf(user), isConfirmed: user.emailVerified, isTaken, hasPassword }
    },
    async link(connectionId, sub, personId) {
      const providerId = providerOf(connectionId)
      const at = new Date(now())
      const link = { _id: `${providerId}:${personId}`, providerId, accountId: sub, userId: personId }
      await links.insertOne({ ...link, createdAt: at, updatedAt: at }).catch(unlessThere)
      return (await links.findOne({ providerId, accountId: sub }))?.userId === personId
    },
    async endVia(connectionId) {
      await db.collection(authCollections.session).deleteMany({ viaConnection: connectionId })
      await links.deleteMany({ providerId: providerOf(connectionId) })
    },
  }
}
