import type { Json } from './json'
import { exampleOf } from './openapi-example'
import { fieldsOfView, refTo } from './openapi-schema'

const idempotencyKey: Json = {
  name: 'idempotency-key',
  in: 'header',
  required: false,
  description: 'Sent again with the same body it answers as the first time, for 24 hours',
  schema: { type: 'string', pattern: '^[!-~]{1,255}$' },
}
const ifNoneMatch: Json = {
  name: 'if-none-match',
  in: 'header',
  required: false,
  description: 'The `etag` of the answer you have',
  schema: { type: 'string' },
}

export const parameterTo = (name: string): Json => ({ $ref: `#/components/parameters/${name}` })

/** What an `{id}` of a path names, by the word before it. */
const kinds: Record<string, string> = {
  deposits: 'DepositId',
  executions: 'ExecutionId',
  jobs: 'JobId',
  scans: 'ScanId',
  blacklist: 'BlacklistEntryId',
}

/** What the service alone gives out: an example of it would be asked for and not be found. */
const isGivenLater = (kind: string | undefined, path: string): boolean =>
  path.startsWith('/api/accounts/') || (kind !== undefined && kind !== 'BlacklistEntryId')

/** What may be left out has no example: whoever tries it out would send it. */
export function parametersOf(place: 'path' | 'query', view: unknown, path = ''): Json[] {
  if (view === undefined) return []
  const { properties, required } = fieldsOfView(view)
  return Object.entries(properties).map(([name, property]) => {
    const isRequired = place === 'path' || required.includes(name)
    const kind = name === 'id' ? kinds[path.split('/').at(path.split('/').indexOf(':id') - 1) ?? ''] : undefined
    const { description, examples, ...own } = property
    const schema = kind ? refTo(kind) : own
    const example = kind ? exampleOf(schema) : exampleOf(property)
    const isFilledIn = isRequired && !isGivenLater(kind, path)
    const parameter = { name, in: place, required: isRequired, description, schema, ...(isFilledIn && { example }) }
    return sharedParameter(parameter, shared[kind ?? `${name} in ${place}`])
  })
}

/** What many operations have: the name of each, by its place or by the kind of id that it is. */
const shared: Record<string, string> = {
  'userId in path': 'userId',
  'userId in query': 'ofUserId',
  'limit in query': 'limit',
  'cursor in query': 'cursor',
  'organizationId in query': 'ofOrganizationId',
  ExecutionId: 'executionId',
}

export const sharedParameters: Map<string, Json> = new Map([
  ['idempotencyKey', idempotencyKey],
  ['ifNoneMatch', ifNoneMatch],
])

/** By its name in the document; the first that is met says what the name stands for. */
function sharedParameter(parameter: Json, name: string | undefined): Json {
  if (name === undefined) return parameter
  const known = sharedParameters.get(name) ?? parameter
  sharedParameters.set(name, known)
  return JSON.stringify(known) === JSON.stringify(parameter) ? parameterTo(name) : parameter
}
