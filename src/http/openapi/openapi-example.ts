import type { Json } from './json'
import { models } from './models'
import { schemaOf } from './openapi-schema'

const ofModels = new Map<string, unknown>()

export function exampleOfModel(name: string): unknown {
  if (!ofModels.has(name)) ofModels.set(name, exampleOf(schemaOf(models[name], name)))
  return ofModels.get(name)
}

/** Builds an example of a schema from the examples of its fields. */
export function exampleOf(schema: Json): unknown {
  const { $ref, examples, properties, items, allOf, anyOf, oneOf, type, enum: values } = schema
  if (Array.isArray(examples)) return examples[0]
  if (typeof $ref === 'string') return exampleOfModel($ref.split('/').at(-1)!)
  if (Array.isArray(allOf)) return Object.assign({}, ...allOf.map(exampleOf))
  if (properties !== undefined) {
    const fields = Object.entries(properties as Record<string, Json>)
    const required = (schema['required'] ?? []) as string[]
    return Object.fromEntries(
      fields.filter(([name]) => required.includes(name)).map(([name, field]) => [name, exampleOf(field)]),
    )
  }
  if (type === 'array') return [exampleOf(items as Json)]
  const options = (anyOf ?? oneOf) as Json[] | undefined
  if (options) return exampleOf(options.find((option) => option['type'] !== 'null')!)
  return Array.isArray(values) ? values[0] : null
}
