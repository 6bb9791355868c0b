import type { Connection, Model } from 'mongoose'
import type { Sighting } from '../../../domain/deposit/sighting'
import type { Sightings } from '../../../ports/detection'
import {
  anyList,
  anyListOrNone,
  collection,
  documentsOf,
  rowsOf,
  text,
  textOrNull,
  versioned,
  whole,
} from '../engine/collection'
import type { Filter } from '../engine/page'
import { fromStored, mongoRecords, type StoredRecord } from '../engine/records'

const fields = {
  ...versioned,
  organizationId: text,
  userId: text,
  account: text,
  chainId: whole,
  token: text,
  amountRaw: text,
  fromAddress: textOrNull,
  txHash: text,
  logIndex: whole,
  block: whole,
  blockHash: text,
  detectedBy: anyList,
  detectedAt: whole,
  stage: { ...text, enum: ['CONFIRMING', 'CONFIRMED', 'ORPHANED'] },
  orphanedAt: anyListOrNone,
  updatedAt: whole,
}

export const sightingModel = (connection: Connection): Model<StoredRecord<Sighting>> =>
  collection<StoredRecord<Sighting>>(connection, 'sightings', fields, [
    [{ chainId: 1, stage: 1, block: 1 }, { name: 'confirming' }],
    [{ userId: 1, organizationId: 1 }, { name: 'userAnywhere' }],
    [{ account: 1 }, { name: 'account' }],
    [{ stage: 1, organizationId: 1, detectedAt: -1, _id: -1 }, { name: 'stage' }],
    [{ stage: 1, detectedAt: -1, _id: -1 }, { name: 'stageAnywhere' }],
    [{ txHash: 1 }, { name: 'txHash' }],
    [{ fromAddress: 1, organizationId: 1, detectedAt: -1, _id: -1 }, { name: 'sender' }],
  ])

const narrow = { txHash: 'txHash', account: 'account', userId: 'userAnywhere', fromAddress: 'sender' }

/** Returns the name of the index that finds unconfirmed transfers of a stage. */
export function sightingIndex(filter: Filter): string {
  for (const [name, index] of Object.entries(narrow)) if (filter[name] !== undefined) return index
  return filter['organizationId'] === undefined ? 'stageAnywhere' : 'stage'
}

export function mongoSightings(connection: Connection, worker: string): Sightings {
  const model = sightingModel(connection)
  const rows = rowsOf<Sighting>(model)
  return {
    ...mongoRecords(documentsOf<Sighting>(model), worker),
    async confirming(chainId, block) {
      const filter = { chainId, stage: 'CONFIRMING' as const, block: { $lte: block } }
      return (await rows.find(filter).sort({ block: 1 }).toArray()).map(fromStored<Sighting>)
    },
  }
}
