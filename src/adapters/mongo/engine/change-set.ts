type Fields = Record<string, unknown>
type ChangeSet = { $set: Fields; $unset?: Fields }

/** Documents of this many levels are told apart field by field; deeper ones, and lists, are told whole. */
const levels = 2

/**
 * What of a document is new: a write that says only this costs the database and the wire a fraction of the whole. The
 * very same object is taken for unchanged, so records must not be changed in place; nothing here changes one.
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

/** A name with a dot or a dollar would be read as a path. An object without names is told whole: it must be there. */
const isPlain = (value: Fields): boolean => {
  const names = Object.keys(value)
  return names.length > 0 && names.every((name) => !/[.$]/.test(name) && name !== '')
}
