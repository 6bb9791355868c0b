import type { AnyElysia } from 'elysia'
import { chainIds, chainKeys } from '../../domain/chain/chain'
import { type IntroductionFacts, introduction } from './introduction'
import type { Json } from './json'
import { models } from './models'
import { exampleOf, exampleOfModel } from './openapi-example'
import { headerComponents, headersOf } from './openapi-headers'
import { parametersOf, parameterTo, sharedParameters } from './openapi-parameters'
import { errorExamples, refusalComponents, refusalsOf } from './openapi-refusals'
import { fieldsOfView, schemaOf } from './openapi-schema'
import { eventBodies, webhooksOf, webhookTag } from './openapi-webhooks'
import { type ListDocs, type OperationDocs, tags } from './operation-docs'

export type DocsOptions = { version: string; serverUrl: string | null } & IntroductionFacts

type Route = {
  method: string
  path: string
  hooks: { detail?: { operation?: OperationDocs }; body?: unknown; params?: unknown }
}

const described = new WeakMap<object, Json>()

/** Describes the routes one by one: together, they would block the event loop for 0.1 s. */
export function* describeRoutes(api: AnyElysia): Generator<void> {
  for (const route of api.routes as unknown as Route[]) {
    const operation = route.hooks.detail?.operation
    if (!operation) continue
    described.set(operation, operationOf(route, operation))
    yield
  }
}

/** Returns the OpenAPI document, made from the routes and from the schemas that validate their requests. */
export function openApiDocument(api: AnyElysia, { version, serverUrl, ...introduced }: DocsOptions): Json {
  const paths: Parameters<typeof sharedAnswers>[0] = {}
  for (const route of api.routes as unknown as Route[]) {
    const operation = route.hooks.detail?.operation
    if (!operation) continue
    const path = route.path.replace(/:(\w+)/g, '{$1}')
    const operationJson = described.get(operation) ?? operationOf(route, operation)
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationJson as never }
  }
  const shared = sharedAnswers(paths)
  return {
    openapi: '3.1.0',
    info: {
      title: 'Switchyard',
      version,
      summary: 'Routes cross-chain deposits: one address per user on five chains, forwarded to the target you named.',
      description: introduction(introduced),
      contact: { name: 'The operator of this service' },
      license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
    },
    servers: [{ url: serverUrl ?? '/', description: 'This service' }],
    tags: [...Object.entries(tags).map(([name, description]) => ({ name, description })), webhookTag],
    security: [{ apiKey: [] }],
    paths: shared.paths,
    webhooks: webhooksOf(),
    components: {
      schemas: Object.fromEntries(Object.entries(models).map(([name, view]) => [name, schemaOf(view, name)])),
      headers: headerComponents(),
      examples: Object.fromEntries(errorExamples),
      parameters: Object.fromEntries(sharedParameters),
      responses: { NotModified: notModified, ...shared.answers, ...Object.fromEntries(refusalComponents) },
      requestBodies: eventBodies(),
      securitySchemes: {
        apiKey: {
          type: 'apiKey',
          in: 'header',
          name: 'x-api-key',
          description: 'A key of your organization, from the dashboard.',
        },
      },
    },
    'x-chains': chainIds.map((id, n) => ({ chainId: id, chainKey: chainKeys[n] })),
  }
}

function operationOf({ path, hooks }: Route, described: OperationDocs): Json {
  const { operationId, tag, summary, description, roles, rateClass, answers, bodyExample, isMutation } = described
  const parameters = [
    ...parametersOf('path', hooks.params, path),
    ...parametersOf('query', described.query),
    ...(isMutation ? [parameterTo('idempotencyKey')] : []),
    ...(Object.values(answers).some(({ headers }) => headers?.includes('etag')) ? [parameterTo('ifNoneMatch')] : []),
  ]
  const note = roles.length > 0 ? `\n\nRoles: ${roles.map((role) => `\`${role}\``).join(', ')}.` : ''
  return {
    operationId,
    tags: [tag],
    summary,
    description: description + note + (rateClass ? ` Rate class \`${rateClass}\`.` : ''),
    ...(roles.length === 0 && { security: [] }),
    ...(parameters.length > 0 && { parameters }),
    ...(hooks.body !== undefined && {
      requestBody: {
        required: true,
        content: {
          'application/json': { schema: schemaOf(hooks.body), example: bodyExample ?? exampleOf(schemaOf(hooks.body)) },
        },
      },
    }),
    responses: { ...answersOf(described), ...refusalsOf(described, hooks) },
  }
}

const notModified: Json = {
  description: 'Your cached response is still current.',
  headers: headersOf(['etag']),
}

/** Returns an example stream. Its `data` is shortened, because the model has the whole event. */
function streamExample(): string {
  const { data, ...event } = exampleOfModel('Event') as { id: string; type: string; data: Json }
  const { id, userId, status, seq } = data
  const said = JSON.stringify({ ...event, data: { id, userId, status, seq } })
  return `retry: 3000\n\n: data is shortened here\nid: ${event.id}\nevent: ${event.type}\ndata: ${said}\n\n`
}

const file = { schema: { type: 'string' }, example: '' } as const

function answersOf({ answers, query, isMutation, isStream, fileTypes = [] }: OperationDocs): Json {
  const responses: Json = {}
  for (const [status, { view, rows, description, example, headers = [] }] of Object.entries(answers)) {
    const isList = rows !== undefined
    const extra = [
      ...headers,
      ...(isList ? ['link' as const] : []),
      ...(isMutation ? ['idempotent-replayed' as const] : []),
    ]
    const schema = isList ? listSchema(rows) : view === null ? null : schemaOf(view)
    responses[status] = {
      description,
      ...(extra.length > 0 && { headers: headersOf(extra) }),
      ...((schema !== null || fileTypes.length > 0) && {
        content: {
          ...Object.fromEntries(fileTypes.map((each) => [each, file])),
          ...(schema === null
            ? {}
            : isStream
              ? { 'text/event-stream': { schema: { type: 'string' }, example: streamExample() } }
              : { 'application/json': { schema, ...(example !== undefined && { example }) } }),
        },
      }),
      ...(isList && { 'x-envelope': envelopeSchema(rows, query) }),
    }
    if (headers.includes('etag')) responses['304'] = { $ref: '#/components/responses/NotModified' }
  }
  return responses
}

type Rows = ListDocs['rows']

const listSchema = (rows: Rows): Json => schemaOf(rows.array())

/**
 * Returns the schema of the body that `envelope=true` requests. It is beside the `content` of the 200, because a second
 * media type in it would make a union of the list's type in openapi-fetch, and nil of every list in oapi-codegen.
 */
function envelopeSchema(rows: Rows, query: unknown): Json {
  const { properties } = fieldsOfView(query)
  // The parameter `envelope` says what `next` is in every other list.
  const description = 'The `after` of the next call; null before the first event'
  const next = { type: ['string', 'null'], ...('after' in properties && { description }) }
  return { type: 'object', properties: { data: listSchema(rows), next }, required: ['data', 'next'] }
}

type Operations = Record<string, { responses: Record<string, Json> }>
type Paths = Record<string, Operations>

/**
 * Moves responses that several operations share into components.
 * @returns the paths with references to them, and those responses by name.
 */
function sharedAnswers(paths: Paths): { paths: Paths; answers: Record<string, Json> } {
  const times = new Map<string, number>()
  for (const answer of answersIn(paths)) times.set(JSON.stringify(answer), (times.get(JSON.stringify(answer)) ?? 0) + 1)
  const answers: Record<string, Json> = {}
  const named = (answer: Json): Json => {
    if (answer['$ref'] !== undefined || times.get(JSON.stringify(answer)) === 1) return answer
    const name = nameOf(String(answer['description']))
    if (answers[name] && JSON.stringify(answers[name]) !== JSON.stringify(answer)) return answer
    answers[name] = answer
    return { $ref: `#/components/responses/${name}` }
  }
  const within = <A, B>(from: Record<string, A>, to: (value: A) => B): Record<string, B> =>
    Object.fromEntries(Object.entries(from).map(([key, value]) => [key, to(value)]))
  const shared = within(paths, (methods) =>
    within(methods, (operation) => ({ ...operation, responses: within(operation.responses, named) })),
  )
  return { paths: shared, answers }
}

const answersIn = (paths: Paths): Json[] =>
  Object.values(paths).flatMap((methods) =>
    Object.values(methods).flatMap((operation) => Object.values(operation.responses)),
  )

const nameOf = (description: string): string =>
  description.replace(/[^A-Za-z ]/g, '').replace(/(?:^| )(\w)/g, (_, letter: string) => letter.toUpperCase())
