import type { Connection } from 'mongoose'
import type { Relayer } from '../../../domain/chain/relayer'
import type { Records } from '../../../ports/records'
import { any, anyList, collection, documentsOf, versioned } from '../engine/collection'
import { mongoRecords, type Stored } from '../engine/records'

const fields = { ...versioned, slots: anyList, line: { ...any, required: false } }

export const mongoSenders = (connection: Connection, worker: string): Records<Relayer> =>
  mongoRecords(documentsOf<Relayer>(collection<Stored<Relayer>>(connection, 'senders', fields)), worker)
