import type { Connection } from 'mongoose'
import type { BlacklistList } from '../../../ports/operators'
import type { Records } from '../../../ports/records'
import { collection, documentsOf, text, versioned, whole } from '../engine/collection'
import { mongoRecords, type Stored } from '../engine/records'

const fields = { ...versioned, digest: text, format: text, entries: whole, updatedAt: whole }

export const mongoBlacklistLists = (connection: Connection, worker: string): Records<BlacklistList> =>
  mongoRecords(
    documentsOf<BlacklistList>(collection<Stored<BlacklistList>>(connection, 'blacklistLists', fields)),
    worker,
  )
