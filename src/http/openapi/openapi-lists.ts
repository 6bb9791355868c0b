import { cursorExample } from '../request/page'
import { example } from '../views/examples'
import type { Json } from './json'
import { fieldsOfView, schemaOf } from './openapi-schema'
import type { ListDocs } from './operation-docs'

type Rows = ListDocs['rows']

/** The parameter that takes `next`, and the meaning of null. */
const positions = {
  cursor: ['The `cursor` of the next page; null on the last', cursorExample],
  after: ['The `after` of the next call; null before the first event', example.eventId],
} as const

export const listSchema = (rows: Rows): Json => schemaOf(rows.array())

/**
 * Returns the schema of the body that `envelope=true` requests. It is beside the `content` of the 200, because a second
 * media type in it would make a union of the list's type in openapi-fetch, and nil of every list in oapi-codegen.
 */
export function envelopeSchema(rows: Rows, query: unknown): Json {
  const { properties } = fieldsOfView(query)
  const [description, position] = positions['cursor' in properties ? 'cursor' : 'after']
  const next = { type: ['string', 'null'], description, examples: [position] }
  return { type: 'object', properties: { data: listSchema(rows), next }, required: ['data', 'next'] }
}
