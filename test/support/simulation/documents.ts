/** A document of a collection. Stored documents are frozen, so a reader may keep them. */
export type Doc = Readonly<Record<string, unknown>> & { readonly _id: string }
type Fields = Record<string, unknown>

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Paths that were split before: there are few, and each is read for every document. */
const splitPaths = new Map<string, readonly string[]>()
function namesIn(path: string): readonly string[] {
  const names = splitPaths.get(path) ?? path.split('.')
  splitPaths.set(path, names)
  return names
}

/** The value at a dotted path. Undefined if a part of the path is missing. */
export function valueIn(document: unknown, path: string): unknown {
  const names = namesIn(path)
  let value = document
  for (let n = 0; n < names.length; n++) {
    if (!isFields(value)) return undefined
    value = value[names[n]!]
  }
  return value
}

const isSame = (a: unknown, b: unknown): boolean =>
  a === b || (typeof a === 'object' && typeof b === 'object' && JSON.stringify(a) === JSON.stringify(b))
const equals = (value: unknown, wanted: unknown): boolean =>
  wanted === null ? value === null || value === undefined : isSame(value, wanted)
/** A comparison finds only values of the same type. */
const compares = (holds: (a: never, b: never) => boolean) => (value: unknown, wanted: unknown) =>
  typeof value === typeof wanted && value !== null && holds(value as never, wanted as never)

const anyOf = (value: unknown, holds: (one: unknown) => boolean): boolean =>
  holds(value) || (Array.isArray(value) && value.some(holds))

const operators: Record<string, (value: unknown, wanted: never) => boolean> = {
  $eq: (value, wanted: unknown) => anyOf(value, (one) => equals(one, wanted)),
  $ne: (value, wanted: unknown) => !anyOf(value, (one) => equals(one, wanted)),
  $in: (value, wanted: unknown[]) => anyOf(value, (one) => wanted.some((each) => equals(one, each))),
  $nin: (value, wanted: unknown[]) => !anyOf(value, (one) => wanted.some((each) => equals(one, each))),
  $gt: (value, wanted) => anyOf(value, (one) => compares((a, b) => a > b)(one, wanted)),
  $gte: (value, wanted) => anyOf(value, (one) => compares((a, b) => a >= b)(one, wanted)),
  $lt: (value, wanted) => anyOf(value, (one) => compares((a, b) => a < b)(one, wanted)),
  $lte: (value, wanted) => anyOf(value, (one) => compares((a, b) => a <= b)(one, wanted)),
  $exists: (value, wanted: boolean) => (value !== undefined) === wanted,
}

const isOperation = (condition: unknown): condition is Fields => {
  if (!isFields(condition)) return false
  for (const name in condition) if (name.startsWith('$')) return true
  return false
}

type Holds = (document: Doc) => boolean

/** The test of one path or operator of a filter. */
function testOf(path: string, condition: unknown): Holds {
  if (path === '$and' || path === '$or') {
    const tests = (condition as object[]).map(matcher)
    return path === '$and'
      ? (document) => tests.every((holds) => holds(document))
      : (document) => tests.some((holds) => holds(document))
  }
  const wanted = isOperation(condition) ? condition : { $eq: condition }
  const tests = Object.entries(wanted).map(([name, value]) => {
    const holds = operators[name]
    if (!holds) throw new Error(`${name} is not simulated`)
    return { holds, value: value as never }
  })
  const [first] = tests
  if (tests.length === 1) return (document) => first!.holds(valueIn(document, path), first!.value)
  return (document) => {
    const there = valueIn(document, path)
    return tests.every(({ holds, value }) => holds(there, value))
  }
}

/**
 * Returns the test of a filter, with MongoDB's rules: null also finds a missing field, and a condition on a list holds
 * if it holds for an item.
 *
 * @throws If the filter has an operator that is not simulated.
 */
export function matcher(filter: object): Holds {
  const tests = Object.entries(filter).map(([path, condition]) => testOf(path, condition))
  return (document) => {
    for (const holds of tests) if (!holds(document)) return false
    return true
  }
}

/** Whether a filter finds a document. */
export const matches = (document: Doc, filter: object): boolean => matcher(filter)(document)

/** The named parts of a document, and its id. */
export function projected(document: Doc, projection: object | undefined): Doc {
  if (projection === undefined || Object.keys(projection).length === 0) return document
  const part: Fields = (projection as Fields)['_id'] === 0 ? {} : { _id: document._id }
  for (const [path, wanted] of Object.entries(projection)) {
    if (path === '_id') continue
    const items = sliced(wanted)
    const whole = valueIn(document, path)
    const value = items === null || !Array.isArray(whole) ? whole : whole.slice(0, items)
    if (value !== undefined) put(part, path, value)
    else putParents(part, document, path)
  }
  return part as Doc
}

/** How many first items of a list a projection shows; null for all. */
function sliced(wanted: unknown): number | null {
  if (wanted === 1) return null
  const items = isFields(wanted) && Object.keys(wanted).length === 1 ? wanted['$slice'] : null
  if (typeof items === 'number' && items > 0) return items
  throw new Error('A projection that leaves fields out is not simulated')
}

/** A projection of a missing field shows the objects around it that exist. */
function putParents(part: Fields, document: Doc, path: string): void {
  const names = path.split('.').slice(0, -1)
  for (let depth = 1; depth <= names.length; depth++) {
    const parent = names.slice(0, depth).join('.')
    if (isFields(valueIn(document, parent)) && valueIn(part, parent) === undefined) put(part, parent, {})
  }
}

function put(into: Fields, path: string, value: unknown): void {
  const names = path.split('.')
  const last = names.pop()!
  let place = into
  for (const name of names) {
    const inner = place[name]
    place[name] = isFields(inner) ? { ...inner } : {}
    place = place[name] as Fields
  }
  place[last] = value
}

function drop(from: Fields, path: string): void {
  if (valueIn(from, path) === undefined) return
  const names = path.split('.')
  const last = names.pop()!
  let place = from
  for (const name of names) {
    place[name] = { ...(place[name] as Fields) }
    place = place[name] as Fields
  }
  delete place[last]
}

/** Returns a document after an update. @throws If the update has an operator that is not simulated. */
export function updated(document: Doc, update: object): Doc {
  const next: Fields = { ...document }
  for (const [name, changes] of Object.entries(update as Record<string, Fields>))
    for (const [path, value] of Object.entries(changes)) {
      if (value === undefined) continue // the driver leaves it out
      if (name === '$set') put(next, path, copied(value))
      else if (name === '$unset') drop(next, path)
      else if (name === '$inc') put(next, path, ((valueIn(next, path) as number | undefined) ?? 0) + (value as number))
      else if (name === '$addToSet') put(next, path, added(valueIn(next, path), value))
      else throw new Error(`${name} is not simulated`)
    }
  return copied(next) as Doc
}

function added(list: unknown, value: unknown): unknown[] {
  const all = [...((list as unknown[] | undefined) ?? [])]
  const more = isFields(value) && '$each' in value ? (value['$each'] as unknown[]) : [value]
  for (const one of more) if (!all.some((each) => isSame(each, one))) all.push(one)
  return all
}

/** Values in stored documents. They never change, so they are stored again without a copy. */
const storedParts = new WeakSet<object>()

function kept<Part extends object>(part: Part): Part {
  storedParts.add(part)
  return Object.freeze(part)
}

/** Copies a value as the database would: without undefined fields. */
function copied(value: unknown): unknown {
  if (typeof value === 'bigint' || typeof value === 'function') throw new Error(`A ${typeof value} cannot be stored`)
  if (typeof value !== 'object' || value === null || storedParts.has(value)) return value
  if (Array.isArray(value)) return kept(value.map((one) => copied(one ?? null)))
  const copy: Fields = {}
  for (const [name, inner] of Object.entries(value)) if (inner !== undefined) copy[name] = copied(inner)
  return kept(copy)
}

/** A new stored document. */
export const stored = (document: object): Doc => copied(document) as Doc

/** Orders documents by their values, as a sort of the database. A missing value comes first. */
export function byOrder(order: Record<string, 1 | -1>): (a: Doc, b: Doc) => number {
  const paths = Object.entries(order)
  return (a, b) => {
    for (const [path, direction] of paths) {
      const [one, other] = [valueIn(a, path) ?? null, valueIn(b, path) ?? null]
      if (one === other) continue
      const isLess = one === null || (other !== null && (one as never) < (other as never))
      return isLess ? -direction : direction
    }
    return 0
  }
}
