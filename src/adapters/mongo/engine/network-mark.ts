import type { Connection } from 'mongoose'
import type { Network } from '../../../domain/chain/chain'

/** The database belongs to the other network. Its accounts and keys are not for the chains of this process. */
export class OtherNetwork extends Error {
  override name = 'OtherNetwork'
}

const id = 'network'

/**
 * Checks that the database belongs to this network, and claims an empty database. A database that was filled before
 * databases were marked belongs to the mainnet, which was the only network then.
 *
 * @throws {OtherNetwork}
 */
export async function claimNetwork(connection: Connection, network: Network): Promise<void> {
  const marks = connection.db!.collection<{ _id: string; network: string }>('installation')
  const seen = await marks.findOne({ _id: id })
  if (!seen) {
    const isOlder = (await connection.db!.collection('organizations').findOne({}, { projection: { _id: 1 } })) !== null
    const mark = { $setOnInsert: { network: isOlder ? ('mainnet' as const) : network } }
    await marks.updateOne({ _id: id }, mark, { upsert: true }).catch(unlessThere)
  }
  const mark = seen ?? (await marks.findOne({ _id: id }))
  if (mark?.network !== network)
    throw new OtherNetwork(
      `The database belongs to the ${mark?.network}, and this process to the ${network}: set NETWORK, or ` +
        'name another database in MONGODB_DATABASE.',
    )
}

/** Another process marked the database at the same moment, and its mark is read next. */
function unlessThere(error: unknown): void {
  if ((error as { code?: unknown }).code !== 11_000) throw error
}
