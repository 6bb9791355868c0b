import type { Connection } from 'mongoose'
import { authCollections } from './auth-indexes'

type User = { _id: string; email: string; twoFactorEnabled?: boolean }

/** Second steps of people, for operators who help a person that lost theirs. */
export const authSecondSteps = (connection: Connection) => {
  const of = <Row extends object>(name: keyof typeof authCollections) =>
    connection.db!.collection<Row & { _id: string }>(authCollections[name])
  return {
    /** Returns the person with an e-mail address, and whether they have a second step. */
    async find(email: string): Promise<{ id: string; hasSecondStep: boolean } | null> {
      const user = await of<User>('user').findOne({ email: email.toLowerCase() })
      return user && { id: user._id, hasSecondStep: user.twoFactorEnabled === true }
    },
    /** Ends every session and trusted device of a person, and removes their second step. */
    async remove(id: string): Promise<void> {
      await of<{ userId: string }>('session').deleteMany({ userId: id })
      await of<{ value: string; identifier: string }>('verification').deleteMany({
        value: id,
        identifier: /^(trust-device-|2fa-)/,
      })
      await of<User>('user').updateOne({ _id: id }, { $set: { twoFactorEnabled: false } })
      await of<{ userId: string }>('twoFactor').deleteMany({ userId: id })
    },
  }
}
