import type { Json } from './json'
import { exampleOf } from './openapi-example'
import { fieldsOfView, refTo } from './openapi-schema'

const idempotencyKey: Json = {
  name: 'idempotency-key',
  in: 'header',
  description: 'A repeated key with the same body returns the first response, for 24 hours',
  schema: { type: 'string', pattern: '^[!-~]{1,255}$' },
}
const ifNoneMatch: Json = {
  name: 'if-none-match',
  in: 'header',
  description: 'The `etag` of your cached response',
  schema: { type: 'string' },
}

export const parameterTo = (name: string): Json => ({ $ref: `#/components/parameters/${name}` })

/** The model of an `{id}` in a path, by the segment before it. */
const kinds: Record<string, string> = {
  deposits: 'DepositId',
  executions: 'ExecutionId',
  jobs: 'JobId',
  scans: 'ScanId',
  blacklist: 'BlacklistEntryId',
  'webhook-endpoints': 'WebhookEndpointId',
}

/** The models of the other ids in paths, by their names. */
const kindsByName: Record<string, string> = { deliveryId: 'WebhookDeliveryId' }

/** Whether only the service issues this id. It gets no example, because a request with an invented one returns 404. */
const isIssuedByService = (kind: string | undefined, path: string): boolean =>
  path.startsWith('/api/accounts/') || (kind !== undefined && kind !== 'BlacklistEntryId')

/**
 * Returns the parameters of a path or query. Optional ones have no example, because the page would send it when tried
 * out.
 */
export function parametersOf(place: 'path' | 'query', view: unknown, path = ''): Json[] {
  if (view === undefined) return []
  const { properties, required } = fieldsOfView(view)
  return Object.entries(properties).map(([name, property]) => {
    const isRequired = place === 'path' || required.includes(name)
    const kind = name === 'id' ? kinds[path.split('/').at(path.split('/').indexOf(':id') - 1) ?? ''] : kindsByName[name]
    const { description, examples, ...own } = property
    const schema = kind ? refTo(kind) : own
    const example = kind ? exampleOf(schema) : exampleOf(property)
    const isFilledIn = isRequired && !isIssuedByService(kind, path)
    const needed = { ...(isRequired && { required: true }) }
    const parameter = { name, in: place, ...needed, description, schema, ...(isFilledIn && { example }) }
    return sharedParameter(parameter, shared[kind ?? `${name} in ${place}`])
  })
}

/** The names of parameters that many operations share, by their location or by the model of their id. */
const shared: Record<string, string> = {
  'userId in path': 'userId',
  'userId in query': 'ofUserId',
  'limit in query': 'limit',
  'cursor in query': 'cursor',
  'envelope in query': 'envelope',
  'organizationId in query': 'ofOrganizationId',
  'types in query': 'types',
  'scope in path': 'scope',
  'reason in query': 'ofReason',
  'stage in query': 'stages',
  'executionId in query': 'ofExecutionId',
  'after in query': 'after',
  'fromChainId in query': 'ofFromChainId',
  'fromTokenAddress in query': 'ofFromTokenAddress',
  'depositAddress in query': 'ofDepositAddress',
  'createdFrom in query': 'ofCreatedFrom',
  'createdTo in query': 'ofCreatedTo',
  'order in query': 'order',
  ExecutionId: 'executionId',
  WebhookEndpointId: 'webhookEndpointId',
}

export const sharedParameters: Map<string, Json> = new Map([
  ['idempotencyKey', idempotencyKey],
  ['ifNoneMatch', ifNoneMatch],
])

/**
 * Replaces a shared parameter by a reference. The first use of a name defines it; a different definition stays inline.
 */
function sharedParameter(parameter: Json, name: string | undefined): Json {
  if (name === undefined) return parameter
  const registered = sharedParameters.get(name) ?? parameter
  sharedParameters.set(name, registered)
  return JSON.stringify(registered) === JSON.stringify(parameter) ? parameterTo(name) : parameter
}
