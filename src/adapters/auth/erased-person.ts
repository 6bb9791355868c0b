import type { Connection } from 'mongoose'
import { authCollections } from './auth-indexes'
import { providerOf } from './linked-people'

/** Removes a person's passwords, second step and sessions. The person goes last, so the call can be repeated. */
export async function eraseSignIn(connection: Connection, id: string, email: string | null): Promise<void> {
  const of = (name: keyof typeof authCollections) =>
    connection.db!.collection<{ _id: string; userId?: string; value?: string }>(authCollections[name])
  for (const name of ['session', 'account', 'twoFactor'] as const) await of(name).deleteMany({ userId: id })
  const isNamed = email === null ? [] : [{ value: email }, { identifier: email }]
  await of('verification').deleteMany({ $or: [{ value: id }, ...isNamed] } as never)
  await of('user').deleteOne({ _id: id })
}

/** Whether a different person has this address. */
export const isAddressReused = async (connection: Connection, id: string, email: string): Promise<boolean> => {
  const users = connection.db!.collection<{ _id: string; email: string }>(authCollections.user)
  return (await users.findOne({ email: email.toLowerCase(), _id: { $ne: id } })) !== null
}

/**
 * Removes the sessions that began at an organization's identity provider, and the links between people and
 * `connectionId`.
 */
export async function eraseProvider(
  connection: Connection,
  organizationId: string,
  connectionId: string | null,
): Promise<void> {
  await connection.db!.collection(authCollections.session).deleteMany({ viaOrganization: organizationId })
  if (connectionId === null) return
  await connection.db!.collection(authCollections.account).deleteMany({ providerId: providerOf(connectionId) })
}
