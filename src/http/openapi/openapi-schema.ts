import { idFields, ids, idsOfModels } from './ids'
import type { Json } from './json'
import { models, openModels, requestModels } from './models'

type Convertible = { toJsonSchema(options: object): unknown; expression?: string }
type FallbackCase = { base: unknown; out?: unknown }

/** The document shows the parsed type of a query parameter. */
const options = {
  dialect: null,
  fallback: {
    morph: ({ base, out }: FallbackCase) => out ?? base,
    default: ({ base }: FallbackCase) => base,
  },
}

const names = new Map<unknown, string>(Object.entries(models).map(([name, view]) => [view, name]))
const converted = new Map<string, string>()

/** Identifies a model by its shape. A field with its own description or examples still holds the same model. */
function keyOf(schema: unknown): string {
  if (schema === null || typeof schema !== 'object' || Array.isArray(schema)) return JSON.stringify(schema)
  const { description, examples, ...shape } = schema as Json
  if (Array.isArray(shape['enum'])) return JSON.stringify(shape['enum'].map(String).toSorted())
  return JSON.stringify(shape)
}

/** Whether a model is an id. Every id can be any text, so its shape identifies no model. */
const isPlain = (schema: unknown): boolean => Object.keys(ids).some((kind) => models[kind] === schema)

const isRequested = (name: string): boolean => Object.values(requestModels).includes(name)

function nameOf(schema: unknown): string | undefined {
  if (converted.size === 0)
    for (const [model, name] of names) if (!isPlain(model) && !isRequested(name)) converted.set(keyOf(raw(model)), name)
  return converted.get(keyOf(schema))
}

export const refTo = (name: string): Json => ({ $ref: `#/components/schemas/${name}` })

/** Returns the JSON Schema of an ArkType view, with references to the models inside it. */
export function schemaOf(view: unknown, own: string | null = null): Json {
  const name = names.get(view)
  if (name !== undefined && name !== own) return refTo(name)
  const schema = tidied(raw(view), own) as Json
  const base = own === null ? undefined : bases[own]
  if (base === undefined) return schema
  return extending(refTo(base), (raw(models[base]) as { properties: Json }).properties, schema)
}

/** Returns the fields of a query or of a path, each of which is a parameter. */
export function fieldsOfView(view: unknown): { properties: Record<string, Json>; required: string[] } {
  const { properties = {}, required = [] } = raw(view) as { properties?: Json; required?: string[] }
  const fields = Object.entries(properties).map(([name, property]) => [name, closedOf(tidied(property, null) as Json)])
  return { properties: Object.fromEntries(fields), required }
}

const rawSchemas = new WeakMap<object, unknown>()

function raw(view: unknown): unknown {
  const schema = rawSchemas.get(view as object) ?? (view as Convertible).toJsonSchema(options)
  rawSchemas.set(view as object, schema)
  return schema
}

/** Converts the models one by one, so the caller can yield to the event loop in between. */
export function* convertModels(): Generator<void> {
  for (const [model] of names) yield void raw(model)
}

function tidied(schema: unknown, own: string | null): unknown {
  if (Array.isArray(schema)) return schema.map((part) => tidied(part, null))
  if (schema === null || typeof schema !== 'object') return schema
  const name = nameOf(schema)
  if (name !== undefined && name !== own && requestModels[name] !== own) return named(name, schema as Json)
  const result: Json = {}
  for (const [key, value] of Object.entries(unionOf(schema as Json)))
    if (key === 'properties') result[key] = fieldsOf(value as Json, own)
    // A request can have further fields, which are ignored, and a response can gain fields later.
    else if (key === 'additionalProperties' && value === false) continue
    else if (key !== '$schema') result[key] = key === 'examples' || key === 'default' ? value : tidied(value, null)
  return typed(result, own)
}

/** Returns a reference to a model, with the description and the examples of the field that holds it. */
function named(name: string, { description, examples }: Json): Json {
  return { ...refTo(name), ...(description !== undefined && { description }), ...ownExamples(name, examples) }
}

/** Returns the field without its description, if its model's description begins with it. */
function withoutModelDescription({ description, ...field }: Json): Json {
  const model = models[String(field['$ref']).split('/').at(-1)!]
  const ofModel = model === undefined ? '' : String((raw(model) as Json)['description'])
  return description === undefined || ofModel.startsWith(String(description)) ? field : { ...field, description }
}

/** Returns the examples of a field, unless they are those of its model. */
function ownExamples(name: string, examples: unknown): Json {
  const [ofModel] = ((raw(models[name]) as Json)['examples'] as unknown[] | undefined) ?? []
  const [first, ...more] = (examples as unknown[] | undefined) ?? []
  return first === undefined || (more.length === 0 && first === ofModel) ? {} : { examples }
}

const fieldsOf = (properties: Json, own: string | null): Json =>
  Object.fromEntries(
    Object.entries(properties).map(([name, property]) => {
      const kind = name === 'id' ? idsOfModels[own ?? ''] : idFields[name]
      const field = (kind ? idOf(kind, property as Json) : tidied(property, null)) as Json
      return [name, withoutModelDescription(own?.endsWith('Request') ? closedOf(field) : field)]
    }),
  )

/** Returns a reference to the model of an id, or a choice between that and null. */
function idOf(kind: string, property: Json): Json {
  const { description, examples, anyOf } = property
  const options = Array.isArray(anyOf) ? (anyOf as Json[]) : []
  if (!options.some((option) => option['type'] === 'null' || option['const'] === null)) return named(kind, property)
  return { anyOf: [refTo(kind), { type: 'null' }], description, ...ownExamples(kind, examples) }
}

/** Turns alternatives that are constants into an enumeration. Null becomes an alternative to it, never a value. */
function unionOf(schema: Json): Json {
  const { enum: values, anyOf, const: only, ...rest } = schema
  const constants = only !== undefined ? [only] : Array.isArray(values) ? values : constantsOf(anyOf)
  if (!constants) return schema
  const others = constants.filter((value) => value !== null)
  if (others.length === constants.length) return { ...rest, enum: others }
  if (others.every((value) => typeof value === 'boolean')) return { ...rest, type: ['boolean', 'null'] }
  return { ...rest, anyOf: [{ enum: others }, { type: 'null' }] }
}

function constantsOf(anyOf: unknown): unknown[] | null {
  const options = Array.isArray(anyOf) ? (anyOf as Json[]) : []
  if (options.length === 0 || !options.every((option) => 'const' in option || option['type'] === 'null')) return null
  return options.map((option) => ('const' in option ? option['const'] : null))
}

/** Adds types to enumerations, turns defaults of parsed texts into their values, and makes patterns portable. */
function typed(schema: Json, own: string | null): Json {
  const { enum: values, anyOf, default: fallback, type, pattern } = schema
  if (Array.isArray(values)) return enumeration(schema, own)
  if (Array.isArray(anyOf)) return alternatives(schema, own)
  if (typeof fallback === 'string' && (type === 'integer' || type === 'number'))
    return { ...schema, default: Number(fallback) }
  if (typeof fallback === 'string' && type === 'boolean') return { ...schema, default: fallback === 'true' }
  if (typeof pattern === 'string') return portable(schema, pattern)
  return schema
}

const moreMayCome = 'More values may be added'

function enumeration({ enum: constants, type: _, ...rest }: Json, own: string | null): Json {
  const { type, enum: values } = valuesOf(constants as unknown[])
  if (own === null || !(own in openModels)) return { type, ...rest, enum: values }
  return { type, ...rest, description: `${rest['description']}. ${moreMayCome}`, 'x-extensible-enum': values }
}

function valuesOf(constants: readonly unknown[]): { type: string; enum: unknown[] } {
  const type = typeof constants[0] === 'number' ? 'integer' : typeof constants[0]
  return { type, enum: constants.toSorted((a, b) => (typeof a === 'number' ? a - Number(b) : 0)) }
}

/** Closes an open enumeration: a response may gain values later, a request may not. */
const closedOf = ({ $ref, ...rest }: Json): Json => {
  if (Array.isArray(rest['anyOf'])) return { ...rest, anyOf: (rest['anyOf'] as Json[]).map(closedOf) }
  const name = typeof $ref === 'string' ? $ref.split('/').at(-1)! : ''
  const closed = requestModels[name]
  if (closed !== undefined) return { ...refTo(closed), ...rest }
  if (!(name in openModels)) return $ref === undefined ? rest : { $ref, ...rest }
  return { ...rest, ...valuesOf((raw(models[name]) as { enum: unknown[] }).enum) }
}

/** Writes a nullable type as two types, and adds the discriminator to the alternatives of an event. */
function alternatives({ anyOf, ...rest }: Json, own: string | null): Json {
  const options = anyOf as Json[]
  const [only, ...more] = options.filter(({ type }) => type !== 'null')
  if (only && more.length === 0 && typeof only['type'] === 'string' && !('properties' in only)) {
    const { description, ...shape } = only
    return { ...shape, type: [only['type'], 'null'], ...rest }
  }
  const plain = options.map(({ $ref, ...option }) => ($ref === undefined ? option : { $ref }))
  if (own !== 'Event') return { anyOf: plain, ...withoutModelExamples(plain, rest) }
  const mapping = Object.fromEntries(plain.flatMap(({ $ref }) => typesOf(String($ref)).map((type) => [type, $ref])))
  return { oneOf: [...plain, refTo('OtherEvent')], discriminator: { propertyName: 'type', mapping }, ...rest }
}

/** Drops the examples of a nullable model that repeat those of the model. */
function withoutModelExamples([model]: Json[], { examples, ...rest }: Json): Json {
  const name = String(model?.['$ref']).split('/').at(-1)!
  return { ...rest, ...(name in models ? ownExamples(name, examples) : examples !== undefined && { examples }) }
}

function typesOf($ref: string): string[] {
  const name = $ref.split('/').at(-1)!
  const { type } = schemaOf(models[name], name)['properties'] as { type: { enum?: string[] } }
  return type.enum ?? []
}

/**
 * Replaces a `\p{…}` pattern by its length, because JSON Schema cannot express the flag that it needs. The service
 * checks the rest.
 */
function portable({ pattern: _, ...schema }: Json, pattern: string): Json {
  if (!pattern.includes('\\p{')) return { ...schema, pattern }
  const [, least, most] = /^\^\[[^\]]+\]\{(\d+),(\d+)\}\$$/.exec(pattern) ?? []
  if (least === undefined) throw new Error(`The document cannot express ${pattern}`)
  return { ...schema, minLength: Number(least), maxLength: Number(most) }
}

/** Models that extend another model, each with its base. */
const bases: Record<string, string> = {
  AccountCreated: 'Account',
  CurrentIntent: 'IntentSnapshot',
  DepositDetail: 'Deposit',
  FullExecution: 'Execution',
  UserExecution: 'Execution',
  IntentChange: 'DepositIntent',
  HeldIntent: 'IntentChange',
  ExecutionDetail: 'FullExecution',
  SimulationRefused: 'Error',
  StatementRow: 'StatementTotals',
  WebhookEndpointCreated: 'WebhookEndpoint',
  WebhookAttemptDetail: 'WebhookAttempt',
  WebhookDeliveryDetail: 'WebhookDelivery',
}

/** Describes a model by a reference to its base and the fields that it adds. */
function extending(base: Json, inherited: Json, { properties, required, ...rest }: Json): Json {
  const isOwn = (field: string) => !(field in inherited)
  const own = Object.entries(properties as Json).filter(([field]) => isOwn(field))
  const more = { ...rest, properties: Object.fromEntries(own), required: (required as string[]).filter(isOwn) }
  return { allOf: [base, more] }
}
