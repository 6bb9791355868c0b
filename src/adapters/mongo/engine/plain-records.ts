import type { Connection } from 'mongoose'
import type { CollectionName } from '../../../domain/record-identity'
import type { Records } from '../../../ports/records'
import { collection, documentsOf, type FieldsOf, versioned } from './collection'
import { mongoRecords, type StoredRecord, type Versioned } from './records'

/** Records that are found only by their id. */
export const plainRecords =
  <R extends Versioned>(name: CollectionName, fields: FieldsOf<Omit<R, keyof Versioned>>) =>
  (connection: Connection, worker: string): Records<R> =>
    mongoRecords(documentsOf<R>(collection(connection, name, allFields(fields))), worker)

const allFields = <R extends Versioned>(fields: FieldsOf<Omit<R, keyof Versioned>>) =>
  ({ ...versioned, ...fields }) as FieldsOf<StoredRecord<R>>
