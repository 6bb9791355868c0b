import type { Connection } from 'mongoose'
import type { Lane } from '../../../domain/execution/lane'
import type { Records } from '../../../ports/records'
import { collection, documentsOf, textOrNull, versioned, whole } from '../engine/collection'
import { mongoRecords, type Stored } from '../engine/records'

const fields = { ...versioned, holder: textOrNull, clearFrom: whole }

export const mongoLanes = (connection: Connection, worker: string): Records<Lane> =>
  mongoRecords(documentsOf<Lane>(collection<Stored<Lane>>(connection, 'lanes', fields)), worker)
