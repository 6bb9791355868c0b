/** A document of a collection. Stored documents are frozen, so a reader may keep them. */
export type Doc = Readonly<Record<string, unknown>> & { readonly _id: string }
type Fields = Record<string, unknown>

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Paths that were split before: there are few, and each is read for every document. */
const splitPaths = new Map<string, readonly string[]>()
function namesIn(path: string): readonly string[] {
  const known = splitPaths.get(path)
  if (known) return known
  const names = path.split('.')
  splitPaths.set(path, names)
  return names
}

/** The value at a dotted path. Undefined if a part of the path is missing. */
export const valueIn = (document: unknown, path: string): unknown => valueAt(document, namesIn(path))

function valueAt(document: unknown, names: readonly string[]): unknown {
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

/** A condition on a value holds for a list if it holds for an item. */
const anyIs = (holds: (one: unknown, wanted: never) => boolean) => (value: unknown, wanted: never) =>
  holds(value, wanted) || (Array.isArray(value) && value.some((one) => holds(one, wanted)))
const isIn = (value: unknown, wanted: unknown[]): boolean => wanted.some((each) => equals(value, each))

const [$eq, $in] = [anyIs(equals), anyIs(isIn)]
const operators: Record<string, (value: unknown, wanted: never) => boolean> = {
  $eq,
  $ne: (value, wanted) => !$eq(value, wanted),
  $in,
  $nin: (value, wanted) => !$in(value, wanted),
  $gt: anyIs(compares((a, b) => a > b)),
  $gte: anyIs(compares((a, b) => a >= b)),
  $lt: anyIs(compares((a, b) => a < b)),
  $lte: anyIs(compares((a, b) => a <= b)),
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
  const names = namesIn(path)
  if (!isOperation(condition)) return (document) => $eq(valueAt(document, names), condition as never)
  const tests = Object.entries(condition).map(([name, value]) => {
    const holds = operators[name]
    if (!holds) throw new Error(`${name} is not simulated`)
    return { holds, value: value as never }
  })
  return (document) => {
    const there = valueAt(document, names)
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

type Shown = { path: string; items: number | null; parents: readonly string[] }
/** Projections that were read before: the store makes most of them once. */
const shownIn = new WeakMap<object, readonly Shown[]>()

function shownBy(projection: object): readonly Shown[] {
  const known = shownIn.get(projection)
  if (known) return known
  const shown = Object.entries(projection)
    .filter(([path]) => path !== '_id')
    .map(([path, wanted]) => {
      const names = namesIn(path)
      return { path, items: sliced(wanted), parents: names.slice(1).map((_, n) => names.slice(0, n + 1).join('.')) }
    })
  shownIn.set(projection, shown)
  return shown
}

/** The named parts of a document, and its id. */
export function projected(document: Doc, projection: object | undefined): Doc {
  if (projection === undefined || Object.keys(projection).length === 0) return document
  const part: Fields = (projection as Fields)['_id'] === 0 ? {} : { _id: document._id }
  for (const { path, items, parents } of shownBy(projection)) {
    const whole = valueIn(document, path)
    const value = items === null || !Array.isArray(whole) ? whole : whole.slice(0, items)
    if (value !== undefined) put(part, path, value)
    else putParents(part, document, parents)
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
function putParents(part: Fields, document: Doc, parents: readonly string[]): void {
  for (const parent of parents)
    if (isFields(valueIn(document, parent)) && valueIn(part, parent) === undefined) put(part, parent, {})
}

/** The object of a name, which may be changed: a stored one is copied first. */
function within(place: Fields, name: string): Fields {
  const inner = place[name]
  if (isFields(inner) && Object.isExtensible(inner)) return inner
  const own = isFields(inner) ? { ...inner } : {}
  place[name] = own
  return own
}

function put(into: Fields, path: string, value: unknown): void {
  const names = namesIn(path)
  let place = into
  for (let n = 0; n < names.length - 1; n++) place = within(place, names[n]!)
  place[names.at(-1)!] = value
}

function drop(from: Fields, path: string): void {
  if (valueIn(from, path) === undefined) return
  const names = namesIn(path)
  let place = from
  for (let n = 0; n < names.length - 1; n++) place = within(place, names[n]!)
  delete place[names.at(-1)!]
}

/** Returns a document after an update. @throws If the update has an operator that is not simulated. */
export function updated(document: Doc, update: object): Doc {
  const next: Fields = { ...stored(document) }
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
  const paths = Object.entries(order).map(([path, direction]) => ({ names: namesIn(path), direction }))
  return (a, b) => {
    for (const { names, direction } of paths) {
      const one = valueAt(a, names) ?? null
      const other = valueAt(b, names) ?? null
      if (one === other) continue
      const isLess = one === null || (other !== null && (one as never) < (other as never))
      return isLess ? -direction : direction
    }
    return 0
  }
}
