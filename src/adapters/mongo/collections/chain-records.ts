import type { Connection } from 'mongoose'
import type { ChainLease, ChainLeases, ScanCursor, ScanCursors } from '../../../ports/detection'
import { collection, documentsOf, text, textOrNull, versioned, whole, wholeOrNull } from '../engine/collection'
import { mongoRecords, type Stored } from '../engine/records'

const cursorFields = { ...versioned, scannedBlock: whole, scannedBlockHash: text, updatedAt: whole }
const leaseFields = {
  ...versioned,
  holder: textOrNull,
  until: whole,
  wantedBlock: whole,
  pointedAt: wholeOrNull,
  missedAt: wholeOrNull,
}

/** Progress of the scan on each chain. */
export const mongoScanCursors = (connection: Connection, worker: string): ScanCursors =>
  mongoRecords(documentsOf<ScanCursor>(collection<Stored<ScanCursor>>(connection, 'scanCursors', cursorFields)), worker)

/** The process that watches each chain. */
export const mongoChainLeases = (connection: Connection, worker: string): ChainLeases =>
  mongoRecords(documentsOf<ChainLease>(collection<Stored<ChainLease>>(connection, 'chainLeases', leaseFields)), worker)
