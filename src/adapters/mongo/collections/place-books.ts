import type { Connection } from 'mongoose'
import type { PlaceBook } from '../../../domain/chain/relayer'
import type { Records } from '../../../ports/records'
import { anyList, collection, documentsOf, versioned, whole } from '../engine/collection'
import { mongoRecords, type Stored } from '../engine/records'

const fields = { ...versioned, held: anyList, forgetAt: whole }

/** One document for each thing that has places: relayer keys, organizations and people. */
export const mongoPlaceBooks = (connection: Connection, worker: string): Records<PlaceBook> =>
  mongoRecords(documentsOf<PlaceBook>(collection<Stored<PlaceBook>>(connection, 'placeBooks', fields)), worker)
