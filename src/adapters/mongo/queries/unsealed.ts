import type { Connection } from 'mongoose'
import type { DepositIntent } from '../../../domain/deposit/deposit-intent'
import type { Execution } from '../../../domain/execution/execution'
import { executionModel } from '../collections/execution-model'
import { intentModel } from '../collections/intents/intents'
import { fromStored, type StoredRecord } from '../engine/records'

/**
 * Records that an operator seals once after an upgrade to a version with seals, or again under a new key. It reads
 * whole collections.
 */
export const mongoUnsealed = (connection: Connection) => ({
  async *intents(): AsyncGenerator<DepositIntent> {
    const cursor = intentModel(connection).find({}).lean<StoredRecord<DepositIntent>>().cursor()
    for await (const stored of cursor) yield fromStored<DepositIntent>(stored as StoredRecord<DepositIntent>)
  },
  /** Executions whose money may still be routed and that have no seal. */
  executions: () => routable(connection, { 'facts.intent.seal': { $exists: false } }),
  /** All executions whose money may still be routed, now or by a re-drive with their original intent. */
  routable: () => routable(connection, {}),
})

async function* routable(connection: Connection, filter: object): AsyncGenerator<Execution> {
  const open = { 'facts.intent': { $exists: true }, 'facts.spent': { $exists: false } }
  const cursor = executionModel(connection)
    .find({ ...open, ...filter })
    .lean<StoredRecord<Execution>>()
    .cursor()
  for await (const stored of cursor) yield fromStored<Execution>(stored as StoredRecord<Execution>)
}
