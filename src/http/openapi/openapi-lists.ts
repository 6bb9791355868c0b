import type { Json } from './json'
import { fieldsOfView, schemaOf } from './openapi-schema'
import type { ListDocs } from './operation-docs'

type Rows = ListDocs['rows']

export const listSchema = (rows: Rows): Json => schemaOf(rows.array())

/**
 * Returns the schema of the body that `envelope=true` requests. It is beside the `content` of the 200, because a second
 * media type in it would make a union of the list's type in openapi-fetch, and nil of every list in oapi-codegen.
 */
export function envelopeSchema(rows: Rows, query: unknown): Json {
  const { properties } = fieldsOfView(query)
  // The parameter `envelope` says what `next` is in every other list.
  const description = 'The `after` of the next call; null before the first event'
  const next = { type: ['string', 'null'], ...('after' in properties && { description }) }
  return { type: 'object', properties: { data: listSchema(rows), next }, required: ['data', 'next'] }
}
