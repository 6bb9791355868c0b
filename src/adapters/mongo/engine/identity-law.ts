import { type Identity, valueAt } from '../../../domain/record-identity'

/** The identity rules as a filter, for a record whose stored version is not known here. */
export function identityFilter({ fixed = [], once = [], sooner = [] }: Identity, record: object): object {
  const filter: Record<string, unknown> = {}
  for (const path of fixed) filter[path] = valueAt(record, path)
  for (const path of once) {
    const value = valueAt(record, path)
    filter[path] = value === null ? null : { $in: [null, value] }
  }
  const either: object[] = []
  for (const path of sooner) {
    const value = valueAt(record, path)
    if (value === null) filter[path] = null
    else either.push({ $or: [{ [path]: null }, { [path]: { $gte: value } }] })
  }
  return either.length > 0 ? { ...filter, $and: either } : filter
}

/** The fields to read in order to name the one that a refused change would have broken. */
export const identityFields = ({ fixed = [], once = [], sooner = [] }: Identity): Record<string, 1> =>
  Object.fromEntries([...fixed, ...once, ...sooner].map((path) => [path, 1]))
