import type { Connection } from 'mongoose'
import type { Deliveries, DeliveryClaim } from '../../../ports/executions'
import { collection, documentsOf, text, versioned } from '../engine/collection'
import { mongoRecords, type Stored } from '../engine/records'

const fields = { ...versioned, executionId: text }

export const mongoDeliveries = (connection: Connection, worker: string): Deliveries =>
  mongoRecords(documentsOf<DeliveryClaim>(collection<Stored<DeliveryClaim>>(connection, 'deliveries', fields)), worker)
