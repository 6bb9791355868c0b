import type { Connection } from 'mongoose'

/**
 * better-auth makes none, not even unique ones: five sign-ups at once with one address made five users. Names are its
 * own, of its collections in this database.
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
} as const

type Index = { key: Record<string, 1>; unique?: boolean; expireAfterSeconds?: number }

export const authCollections = {
  user: 'auth_user',
  session: 'auth_session',
  account: 'auth_account',
  verification: 'auth_verification',
  twoFactor: 'auth_twoFactor',
} as const

/** Two processes that start together may refuse each other: DocumentDB answers one of them with a deadlock. */
const attempts = 4

export async function ensureAuthIndexes(connection: Connection): Promise<void> {
  for (const [name, wanted] of Object.entries(indexes))
    for (const { key, ...options } of wanted as readonly Index[])
      await again(() => connection.db!.collection(name).createIndex(key, options), attempts)
}

async function again(work: () => Promise<unknown>, left: number): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (left === 1) throw error
    await new Promise((resolve) => setTimeout(resolve, 250 * (0.5 + Math.random())))
    await again(work, left - 1)
  }
}
