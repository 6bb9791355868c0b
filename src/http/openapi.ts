import type { AnyElysia } from 'elysia'
import { chainIds, chainKeys } from '../domain/chain'
import { type Introduced, introduction } from './introduction'
import { models } from './models'
import { headersOf } from './openapi-headers'
import { refusalsOf } from './openapi-refusals'
import { exampleOf, type Json, schemaOf } from './openapi-schema'
import { webhooksOf } from './openapi-webhooks'
import type { Operation } from './operation'
import { tags } from './operation'

export type DocsOptions = { version: string; serverUrl: string | null } & Introduced

type Route = {
  method: string
  path: string
  hooks: { detail?: { operation?: Operation }; body?: unknown; params?: unknown }
}

const authenticated = ['request', 'limit', 'remaining', 'reset', 'cache'] as const

const described = new WeakMap<object, Json>()

/** What is said of each route, one after the other: all at once they keep an event loop busy for 0.1 s. */
export function* describeRoutes(api: AnyElysia): Generator<void> {
  for (const route of api.routes as unknown as Route[]) {
    const operation = route.hooks.detail?.operation
    if (!operation) continue
    described.set(operation, operationOf(route, operation))
    yield
  }
}

/** The OpenAPI document, from the routes and the very schemas that validate them. */
export function openApiDocument(api: AnyElysia, { version, serverUrl, ...introduced }: DocsOptions): Json {
  const paths: Record<string, Json> = {}
  for (const route of api.routes as unknown as Route[]) {
    const operation = route.hooks.detail?.operation
    if (!operation) continue
    const path = route.path.replace(/:(\w+)/g, '{$1}')
    const said = described.get(operation) ?? operationOf(route, operation)
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: said }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Switchyard',
      version,
      summary: 'Routes cross-chain deposits: one address per user, on five chains, to where you said.',
      description: introduction(introduced),
      license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
    },
    servers: [{ url: serverUrl ?? '/', description: 'This service' }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    security: [{ apiKey: [] }],
    paths,
    webhooks: webhooksOf(),
    components: {
      schemas: Object.fromEntries(Object.entries(models).map(([name, view]) => [name, schemaOf(view, name)])),
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

function operationOf({ hooks }: Route, described: Operation): Json {
  const { operationId, tag, summary, description, roles, rateClass, answers, bodyExample, isMutation } = described
  const parameters = [
    ...parametersOf('path', hooks.params),
    ...parametersOf('query', described.query),
    ...(isMutation ? [idempotencyKey] : []),
    ...(Object.values(answers).some(({ headers }) => headers?.includes('etag')) ? [ifNoneMatch] : []),
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

const idempotencyKey: Json = {
  name: 'idempotency-key',
  in: 'header',
  required: false,
  description: 'Sent again with the same body it answers as the first time, for 24 hours',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
  example: '5b0f0a52-9f3e-4c1c-9d53-8a1a0f3f6f0e',
}
const ifNoneMatch: Json = {
  name: 'if-none-match',
  in: 'header',
  required: false,
  description: 'The `etag` of the answer you have',
  schema: { type: 'string' },
  example: 'W/"3f1c9b0a5d7e2f48"',
}

function parametersOf(place: 'path' | 'query', view: unknown): Json[] {
  if (view === undefined) return []
  const { properties = {}, required = [] } = schemaOf(view) as {
    properties?: Record<string, Json>
    required?: string[]
  }
  return Object.entries(properties).map(([name, property]) => {
    const { description, examples, ...schema } = property as { description?: string; examples?: unknown[] }
    const example = Array.isArray(examples) ? { example: examples[0] } : {}
    return { name, in: place, required: place === 'path' || required.includes(name), description, schema, ...example }
  })
}

const streamExample = 'retry: 3000\n\nid: evt_01M7YRSJYYP0W8HDKHM0R9KQER\nevent: execution.running\ndata: {}\n\n'

function answersOf({ answers, roles, isMutation, isStream }: Operation): Json {
  const found: Json = {}
  for (const [status, { view, description, example, headers = [] }] of Object.entries(answers)) {
    const extra = isMutation ? [...headers, 'idempotent-replayed' as const] : headers
    found[status] = {
      description,
      headers: headersOf([...(roles.length > 0 ? authenticated : (['request', 'cache'] as const)), ...extra]),
      ...(view !== null && {
        content: {
          'application/json': { schema: schemaOf(view), example: example ?? exampleOf(schemaOf(view)) },
          ...(isStream && { 'text/event-stream': { schema: { type: 'string' }, example: streamExample } }),
        },
      }),
    }
    if (headers.includes('etag'))
      found['304'] = { description: 'What you have is what it is.', headers: headersOf(['request', 'etag']) }
  }
  return found
}
