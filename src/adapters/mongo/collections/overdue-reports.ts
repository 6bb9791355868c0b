import type { Connection } from 'mongoose'
import type { OverdueReport, OverdueReports } from '../../../ports/observing'
import { anyList, collection, documentsOf, versioned, whole } from '../engine/collection'
import { mongoRecords, type Stored } from '../engine/records'

const fields = { ...versioned, at: whole, said: anyList }

export const mongoOverdueReports = (connection: Connection, worker: string): OverdueReports =>
  mongoRecords(documentsOf<OverdueReport>(collection<Stored<OverdueReport>>(connection, 'tellings', fields)), worker)
