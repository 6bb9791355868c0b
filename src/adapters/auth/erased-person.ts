import type { Connection } from 'mongoose'
import { authCollections } from './auth-indexes'

/** Removes a person with passwords, second step and sessions; the person last, so that it can be repeated. */
export async function eraseSignIn(connection: Connection, id: string, email: string | null): Promise<void> {
  const of = (name: keyof typeof authCollections) =>
    connection.db!.collection<{ _id: string; userId?: string; value?: string }>(authCollections[name])
  for (const name of ['session', 'account', 'twoFactor'] as const) await of(name).deleteMany({ userId: id })
  const isNamed = email === null ? [] : [{ value: email }, { identifier: email }]
  await of('verification').deleteMany({ $or: [{ value: id }, ...isNamed] } as never)
  await of('user').deleteOne({ _id: id })
}
