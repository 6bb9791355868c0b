import type { Connection } from 'mongoose'
import type { Tellings, Told } from '../../../ports/overdue'
import { anyList, collection, documentsOf, versioned, whole } from '../engine/collection'
import { mongoRecords, type Stored } from '../engine/records'

const fields = { ...versioned, at: whole, said: anyList }

export const mongoTellings = (connection: Connection, worker: string): Tellings =>
  mongoRecords(documentsOf<Told>(collection<Stored<Told>>(connection, 'tellings', fields)), worker)
