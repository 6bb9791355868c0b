import type { Connection } from 'mongoose'
import { BoundedMap } from '../../../domain/bounded-map'

type Unique = { collection: string; index: string; claims: string }
type Claim = { _id: string; owner: string }

const duplicateKey = 11000
const noCollection = 26
const claimedMax = 20_000

/**
 * Keeps a value unique if no index can, because a sharded collection has unique indexes on its shard key only. A second
 * collection has the value as its `_id`, and is written before the record. If the index itself is unique, one check is
 * the only cost.
 *
 * @returns Whether the owner has the value. The first owner to claim it keeps it permanently, and may claim it again.
 */
export function uniqueAcrossShards(connection: Connection, { collection, index, claims }: Unique) {
  const stored = () => connection.db!.collection<Claim>(claims)
  const claimed = new BoundedMap<string, string>(claimedMax)
  let isIndexed: Promise<boolean> | null = null

  async function hasIndex(): Promise<boolean> {
    const indexes = await connection.db!.collection(collection).indexes()
    return indexes.some(({ name, unique }) => name === index && unique === true)
  }

  async function isFirst(value: string, owner: string): Promise<boolean> {
    try {
      await stored().insertOne({ _id: value, owner })
      return true
    } catch (error) {
      if ((error as { code?: unknown }).code !== duplicateKey) throw error
      return (await stored().findOne({ _id: value }))?.owner === owner
    }
  }

  return async (value: string, owner: string): Promise<boolean> => {
    isIndexed ??= hasIndex().catch((error) => {
      isIndexed = null
      if ((error as { code?: unknown }).code === noCollection) return false
      throw error
    })
    if ((await isIndexed) || claimed.get(value) === owner) return true
    if (!(await isFirst(value, owner))) return false
    claimed.set(value, owner)
    return true
  }
}
