import { createRequire } from 'node:module'
import type { type as arkType } from 'arktype'

type Ark = typeof arkType
type Made = ((...given: unknown[]) => unknown) & Record<PropertyKey, unknown>
type Method = (...given: unknown[]) => unknown

const load = createRequire(import.meta.url)
/** What a schema does not name is taken away at every depth, so that no handler ever sees it (decision 15). */
const shared = { onUndeclaredKey: 'delete' }
let loaded: Ark | undefined

/** ArkType takes a quarter of a second to load: who needs it first waits for it, and the start needs not. */
export function arktype(): Ark {
  if (!loaded) {
    // Compiling every schema costs 0.25 s and 30 MiB. What is asked of every request is compiled by itself.
    load('arktype/config').configure({ jitless: true, ...shared })
    loaded = load('arktype').type as Ark
  }
  return loaded
}

/** What answers another schema: as little needed as the first, until it is used. */
const furthering = new Set<PropertyKey>(
  (
    'and or array as configure default describe enumerated get merge narrow omit partial pick pipe required to ' +
    'atLeast atMost atLeastLength atMostLength exactlyLength'
  ).split(' '),
)
const makers = new WeakMap<object, () => unknown>()

/** The definition with the schemas in it made, as ArkType wants it. */
function made(given: unknown): unknown {
  if (given === null || (typeof given !== 'object' && typeof given !== 'function')) return given
  const make = makers.get(given)
  if (make) return make()
  if (Array.isArray(given)) return given.map(made)
  if (Object.getPrototypeOf(given) !== Object.prototype) return given
  return Object.fromEntries(Object.entries(given).map(([key, value]) => [key, made(value)]))
}

const call = (on: object, key: PropertyKey, given: unknown[]): unknown =>
  (Reflect.get(on, key) as Method).apply(on, given.map(made))

let compiling: { type: (schema: unknown) => unknown } | undefined

/** As a validator of requests, by the standard that Elysia knows: 3 ms once, and half the time for each. */
function standardOf(schema: Made): unknown {
  compiling ??= load('arktype').scope({}, { jitless: false, ...shared }) as NonNullable<typeof compiling>
  return (compiling.type(schema['internal']) as Made)['~standard']
}

/** Looks like the schema in every way, and makes it when it is looked at. */
function later(make: () => unknown): object {
  let schema: Made | undefined
  let standard: unknown
  const now = (): Made => {
    schema ??= make() as Made
    return schema
  }
  const schemaLater = new Proxy(() => {}, {
    get(_, key) {
      if (furthering.has(key)) return (...given: unknown[]) => later(() => call(now(), key, given))
      if (key === '~standard') {
        standard ??= standardOf(now())
        return standard
      }
      const found = now()[key]
      return typeof found === 'function' && Object.getPrototypeOf(found) === Function.prototype
        ? found.bind(now())
        : found
    },
    has: (_, key) => key in now(),
    apply: (_, _this, given) => now()(...given),
  })
  makers.set(schemaLater, now)
  return schemaLater
}

/** ArkType's `type`, each schema made at its first use: most are for the OpenAPI document alone. */
export const type = new Proxy(() => {}, {
  get(_, key) {
    if (furthering.has(key)) return (...given: unknown[]) => later(() => call(arktype(), key, given))
    return key === 'number' ? later(() => arktype().number) : Reflect.get(arktype(), key)
  },
  apply: (_, _this, given) => later(() => (arktype() as unknown as Made)(...given.map(made))),
}) as unknown as Ark
