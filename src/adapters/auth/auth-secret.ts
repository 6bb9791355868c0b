import { randomBytes } from 'node:crypto'
import type { Connection } from 'mongoose'
import { withStoreErrors } from '../mongo/engine/store-errors'

const id = 'auth secret'

/**
 * Returns the secret that signs cookies if none is configured. It is created once, and is the same in every process and
 * after every restart.
 */
export const { authSecret } = withStoreErrors({ authSecret: storedSecret })

async function storedSecret(connection: Connection): Promise<string> {
  const settings = connection.db!.collection<{ _id: string; value: string }>('settings')
  const stored = await settings.findOne({ _id: id })
  if (stored) return stored.value
  await settings.insertOne({ _id: id, value: randomBytes(32).toString('base64url') }).catch((error) => {
    if ((error as { code?: number }).code !== 11_000) throw error
  })
  return (await settings.findOne({ _id: id }))!.value
}
