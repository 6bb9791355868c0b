type Fields = Record<string, unknown>
type ChangeSet = { $set: Fields; $unset?: Fields }

/** Depth of the comparison field by field. Deeper documents, and lists, are written whole. */
const levels = 2

/**
 * Returns the difference between two versions of a document. Writing only this costs the database and the network a
 * fraction of the whole. The very same object counts as unchanged, so records must never be mutated.
 */
export function changeSetOf(before: Fields, after: Fields): ChangeSet {
  const set: Fields = {}
  const unset: Fields = {}
  collect(before, after, '', levels, set, unset)
  return Object.keys(unset).length > 0 ? { $set: set, $unset: unset } : { $set: set }
}

function collect(before: Fields, after: Fields, path: string, depth: number, set: Fields, unset: Fields): void {
  for (const [name, value] of Object.entries(after)) {
    const was = before[name]
    if (value === was) continue
    if (value === undefined) unset[path + name] = ''
    else if (depth > 1 && isFields(value) && isFields(was) && isPlain(value) && isPlain(was))
      collect(was, value, `${path}${name}.`, depth - 1, set, unset)
    else set[path + name] = value
  }
  for (const name of Object.keys(before)) if (before[name] !== undefined && !(name in after)) unset[path + name] = ''
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype

/** A name with a dot or a dollar would be read as a path. An empty object is written whole, because it must exist. */
const isPlain = (value: Fields): boolean => {
  const names = Object.keys(value)
  return names.length > 0 && names.every((name) => !/[.$]/.test(name) && name !== '')
}
