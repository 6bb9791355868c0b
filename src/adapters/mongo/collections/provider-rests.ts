import type { Connection } from 'mongoose'
import type { ProviderRest } from '../../../domain/execution/provider-rest'
import type { Records } from '../../../ports/records'
import { anyList, collection, documentsOf, textOrNull, versioned, whole } from '../engine/collection'
import { mongoRecords, type Stored } from '../engine/records'

const fields = { ...versioned, reason: textOrNull, since: whole, probeAt: whole, probes: whole, failed: anyList }

export const mongoProviderRests = (connection: Connection, worker: string): Records<ProviderRest> =>
  mongoRecords(documentsOf<ProviderRest>(collection<Stored<ProviderRest>>(connection, 'providerRests', fields)), worker)
