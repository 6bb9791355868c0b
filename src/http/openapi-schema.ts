import { models } from './models'

export type Json = Record<string, unknown>

type Convertible = { toJsonSchema(options: object): unknown; expression?: string }
type FallbackCase = { base: unknown; out?: unknown }

/** A parsed query string is documented as what it is parsed to. */
const options = {
  dialect: null,
  fallback: {
    morph: ({ base, out }: FallbackCase) => out ?? base,
    default: ({ base }: FallbackCase) => base,
  },
}

const names = new Map<unknown, string>(Object.entries(models).map(([name, view]) => [view, name]))
const converted = new Map<string, string>()

const keyOf = (schema: unknown): string => JSON.stringify(schema)

/** The JSON Schema of an ArkType view; a model inside it is named, never repeated. */
export function schemaOf(view: unknown, own: string | null = null): Json {
  const name = names.get(view)
  if (name !== undefined && name !== own) return { $ref: `#/components/schemas/${name}` }
  if (converted.size === 0) for (const [model, modelName] of names) converted.set(keyOf(raw(model)), modelName)
  return tidied(raw(view), own) as Json
}

const known = new WeakMap<object, unknown>()

function raw(view: unknown): unknown {
  const schema = known.get(view as object) ?? (view as Convertible).toJsonSchema(options)
  known.set(view as object, schema)
  return schema
}

function tidied(schema: unknown, own: string | null): unknown {
  if (Array.isArray(schema)) return schema.map((part) => tidied(part, null))
  if (schema === null || typeof schema !== 'object') return schema
  const name = converted.get(keyOf(schema))
  if (name !== undefined && name !== own) return { $ref: `#/components/schemas/${name}` }
  const found: Json = {}
  for (const [key, value] of Object.entries(schema))
    if (key !== '$schema') found[key] = key === 'examples' || key === 'default' ? value : tidied(value, null)
  return typed(found)
}

/** Enumerations get their type, defaults of parsed digits are numbers. */
function typed(schema: Json): Json {
  const { enum: values, anyOf, default: usual, type, examples } = schema
  const options = Array.isArray(anyOf) ? (anyOf as Json[]) : []
  if (options.length > 0 && options.every((option) => 'const' in option || option['type'] === 'null')) {
    const { anyOf: _, ...rest } = schema
    const constants = options.map((option) => ('const' in option ? option['const'] : null))
    return typed({ ...rest, enum: constants })
  }
  if (Array.isArray(values) && type === undefined) {
    const kinds = new Set(
      values.map((value) => (value === null ? 'null' : typeof value === 'number' ? 'integer' : 'string')),
    )
    const known = Array.isArray(examples) && typeof examples[0] === 'number' ? values : values
    return { type: kinds.size === 1 ? [...kinds][0] : [...kinds], ...schema, enum: known }
  }
  if (typeof usual === 'string' && (type === 'integer' || type === 'number'))
    return { ...schema, default: Number(usual) }
  return schema
}

/** An answer put together from the examples of its fields. */
export function exampleOf(schema: Json): unknown {
  const { $ref, examples, properties, items, anyOf, type, enum: values } = schema
  if (typeof $ref === 'string') return exampleOf(schemaOf(models[$ref.split('/').at(-1)!], $ref.split('/').at(-1)!))
  if (Array.isArray(examples)) return examples[0]
  if (properties !== undefined) {
    const fields = Object.entries(properties as Record<string, Json>)
    const required = (schema['required'] ?? []) as string[]
    return Object.fromEntries(
      fields.filter(([name]) => required.includes(name)).map(([name, field]) => [name, exampleOf(field)]),
    )
  }
  if (type === 'array') return [exampleOf(items as Json)]
  if (Array.isArray(anyOf)) return exampleOf(anyOf[0] as Json)
  return Array.isArray(values) ? values[0] : null
}
