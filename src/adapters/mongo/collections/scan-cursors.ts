import type { Connection } from 'mongoose'
import type { ScanCursor, ScanCursors } from '../../../ports/detection'
import { collection, documentsOf, text, versioned, whole } from '../engine/collection'
import { mongoRecords, type Stored } from '../engine/records'

const fields = { ...versioned, scannedBlock: whole, scannedBlockHash: text, updatedAt: whole }

export const mongoScanCursors = (connection: Connection, worker: string): ScanCursors =>
  mongoRecords(documentsOf<ScanCursor>(collection<Stored<ScanCursor>>(connection, 'scanCursors', fields)), worker)
