import { cursorExample } from '../request/page'
import { example } from '../views/examples'
import type { Json } from './json'
import { fieldsOfView, refTo, schemaOf } from './openapi-schema'

/** The envelopes of all lists, by their names in the document. */
export const envelopes: Map<string, Json> = new Map()

/** The parameter that takes `next`, and the meaning of null. */
const positions = {
  cursor: ['The `cursor` of the next page; null on the last', cursorExample],
  after: ['The `after` of the next call; null before the first event', example.eventId],
} as const

/** Returns the schema of a list, which is an array or, with `envelope=true`, an object with the array in it. */
export function listSchema(rows: unknown, query: unknown): Json {
  const array: Json = { type: 'array', items: schemaOf(rows) }
  const { properties } = fieldsOfView(query)
  const [description, position] = positions['cursor' in properties ? 'cursor' : 'after']
  const name = `${String((array['items'] as Json)['$ref'])
    .split('/')
    .at(-1)}Page`
  envelopes.set(name, {
    type: 'object',
    description: 'With `envelope=true`',
    properties: {
      data: { ...array, description: 'The rows' },
      next: { type: ['string', 'null'], description, examples: [position] },
    },
    required: ['data', 'next'],
  })
  return { oneOf: [array, refTo(name)] }
}
