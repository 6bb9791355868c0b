import type { IndexDescription } from 'mongodb'
import type { Connection } from 'mongoose'
import { makeIndexes } from '../mongo/engine/make-indexes'

/**
 * Indexes of better-auth's collections, with its own field names. The library creates none, not even unique ones: five
 * simultaneous sign-ups with one address made five users.
 */
const indexes = {
  auth_user: [{ key: { email: 1 }, unique: true }],
  auth_session: [
    { key: { token: 1 }, unique: true },
    { key: { userId: 1 } },
    { key: { expiresAt: 1 }, expireAfterSeconds: 0 },
  ],
  auth_account: [{ key: { providerId: 1, accountId: 1 }, unique: true }, { key: { userId: 1 } }],
  auth_verification: [{ key: { identifier: 1 } }, { key: { expiresAt: 1 }, expireAfterSeconds: 0 }],
  auth_twoFactor: [{ key: { userId: 1 } }],
} satisfies Record<string, IndexDescription[]>

export const authCollections = {
  user: 'auth_user',
  session: 'auth_session',
  account: 'auth_account',
  verification: 'auth_verification',
  twoFactor: 'auth_twoFactor',
} as const

export async function ensureAuthIndexes(connection: Connection): Promise<void> {
  for (const [name, wanted] of Object.entries(indexes)) await makeIndexes(connection.db!.collection(name), wanted)
}
