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

/** What a model is by: a field says more of it, its description, and is the same model. */
function keyOf(schema: unknown): string {
  if (schema === null || typeof schema !== 'object' || Array.isArray(schema)) return JSON.stringify(schema)
  const { description, examples, ...shape } = schema as Json
  return JSON.stringify(shape)
}

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

/** Model by model, so that whoever converts them all can let others in between. */
export function* convertModels(): Generator<void> {
  for (const [model] of names) yield void raw(model)
}

function tidied(schema: unknown, own: string | null): unknown {
  if (Array.isArray(schema)) return schema.map((part) => tidied(part, null))
  if (schema === null || typeof schema !== 'object') return schema
  const name = converted.get(keyOf(schema))
  if (name !== undefined && name !== own) {
    const { description } = schema as Json
    return { $ref: `#/components/schemas/${name}`, ...(description !== undefined && { description }) }
  }
  const found: Json = {}
  for (const [key, value] of Object.entries(schema))
    if (key === 'properties') found[key] = fieldsOf(value as Json)
    // What is not named is ignored in a request, and may come in an answer one day.
    else if (key === 'additionalProperties' && value === false) continue
    else if (key !== '$schema') found[key] = key === 'examples' || key === 'default' ? value : tidied(value, null)
  return typed(found)
}

/** What is put together from other fields has their examples. */
const fieldsOf = (properties: Json): Json =>
  Object.fromEntries(
    Object.entries(properties).map(([name, property]) => {
      const field = tidied(property, null) as Json
      const isWhole = ['$ref', 'items', 'anyOf', 'properties'].some((key) => key in field)
      return [name, field['examples'] || !isWhole ? field : { ...field, examples: [exampleOf(field)] }]
    }),
  )

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

const exampleOfModel = (name: string): unknown => {
  if (!modelExamples.has(name)) modelExamples.set(name, exampleOf(schemaOf(models[name], name)))
  return modelExamples.get(name)
}
const modelExamples = new Map<string, unknown>()

/** An answer put together from the examples of its fields. */
export function exampleOf(schema: Json): unknown {
  const { $ref, examples, properties, items, anyOf, type, enum: values } = schema
  if (Array.isArray(examples)) return examples[0]
  if (typeof $ref === 'string') return exampleOfModel($ref.split('/').at(-1)!)
  if (properties !== undefined) {
    const fields = Object.entries(properties as Record<string, Json>)
    const required = (schema['required'] ?? []) as string[]
    return Object.fromEntries(
      fields.filter(([name]) => required.includes(name)).map(([name, field]) => [name, exampleOf(field)]),
    )
  }
  if (type === 'array') return [exampleOf(items as Json)]
  if (Array.isArray(anyOf)) return exampleOf((anyOf as Json[]).find((option) => option['type'] !== 'null')!)
  return Array.isArray(values) ? values[0] : null
}
