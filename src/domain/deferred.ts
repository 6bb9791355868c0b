type Build = () => object
type Methods = Record<PropertyKey, (...values: unknown[]) => object>

/** Methods that derive a schema from a schema. The derived one is built on first use too. */
const deriving = new Set([
  'or',
  'and',
  'array',
  'atLeastLength',
  'configure',
  'default',
  'describe',
  'narrow',
  'optional',
  'pipe',
  'to',
])

const builds = new WeakMap<object, Build>()

const isPlain = (value: unknown): value is object =>
  typeof value === 'object' &&
  value !== null &&
  [Object.prototype, Array.prototype].includes(Object.getPrototypeOf(value))

/** Replaces every deferred schema in a definition, at every depth, by the schema that it stands for. */
export function built(definition: unknown): unknown {
  const isObject = (typeof definition === 'object' && definition !== null) || typeof definition === 'function'
  const build = isObject ? builds.get(definition) : undefined
  if (build) return build()
  if (!isPlain(definition)) return definition
  if (Array.isArray(definition)) return definition.map(built)
  return Object.fromEntries(Object.entries(definition).map(([key, value]) => [key, built(value)]))
}

function once(make: Build): Build {
  let value: object | undefined
  return () => (value ??= make())
}

/**
 * Stands for a schema that is built on its first use. A process uses few of the schemas that it imports, and building
 * all of them would take half of its start. A mistake in a definition therefore appears on the first use.
 */
export function deferred(make: Build): object {
  const build = once(make)
  // Elysia reads this while it registers a route, and calls `validate` for the first request.
  const standard = {
    version: 1,
    vendor: 'arktype',
    validate: (value: unknown) => (build() as { '~standard': Methods })['~standard']['validate']!(value),
  }
  const schema = new Proxy(function schema() {}, {
    apply: (_target, _self, [value]) => (build() as unknown as (value: unknown) => object)(value),
    has: (_target, key) => key === '~standard' || (typeof key === 'string' && key in build()),
    get(_target, key) {
      if (key === '~standard') return standard
      if (typeof key === 'symbol') return undefined
      if (deriving.has(key))
        return (...values: unknown[]) => deferred(() => (build() as Methods)[key]!(...values.map(built)))
      const value: unknown = Reflect.get(build(), key)
      return value instanceof Function ? value.bind(build()) : value
    },
  })
  builds.set(schema, build)
  return schema
}

/** Makes `build`, a function that builds a schema from definitions, return a deferred schema. */
export const deferring =
  <Make extends (...definitions: never[]) => object>(build: Make) =>
  (...definitions: Parameters<Make>): object =>
    deferred(() => build(...(definitions.map(built) as Parameters<Make>)))
