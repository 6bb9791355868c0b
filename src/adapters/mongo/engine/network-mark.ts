import type { Connection } from 'mongoose'
import type { Network } from '../../../domain/chain/chain'

/** A database of the other network: its accounts and keys are not of the chains that this process would work on. */
export class OtherNetwork extends Error {
  override name = 'OtherNetwork'
}

const id = 'network'

/**
 * Assures that the database belongs to this network, and claims one that is empty. One that was filled before databases
 * were marked is of the network that was the only one then.
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

/** Another process has marked it at the same moment, and what it wrote is read next. */
function unlessThere(error: unknown): void {
  if ((error as { code?: unknown }).code !== 11_000) throw error
}
