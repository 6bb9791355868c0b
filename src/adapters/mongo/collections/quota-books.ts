import type { Connection } from 'mongoose'
import type { QuotaBook } from '../../../domain/tenant/quota'
import type { Records } from '../../../ports/records'
import { anyList, collection, documentsOf, versioned, whole } from '../engine/collection'
import { mongoRecords, type Stored } from '../engine/records'

const fields = { ...versioned, most: whole, countedAt: whole, used: whole, held: anyList }

/** One document for each organization and month. */
export const mongoQuotaBooks = (connection: Connection, worker: string): Records<QuotaBook> =>
  mongoRecords(documentsOf<QuotaBook>(collection<Stored<QuotaBook>>(connection, 'quotaBooks', fields)), worker)
