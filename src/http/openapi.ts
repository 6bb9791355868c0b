import type { AnyElysia } from 'elysia'
import { chainIds, chainKeys } from '../domain/chain'
import { failureBody, type RefusalCode, refusals, saidCode } from './failure'
import { introduction } from './introduction'
import { models } from './models'
import { exampleOf, type Json, schemaOf } from './openapi-schema'
import type { AnswerHeader, Operation } from './operation'
import { tags } from './operation'

export type DocsOptions = { version: string; serverUrl: string | null }

type Route = {
  method: string
  path: string
  hooks: { detail?: { operation?: Operation }; body?: unknown; params?: unknown }
}

const headerTexts: Record<
  AnswerHeader | 'request' | 'limit' | 'remaining' | 'reset' | 'cache',
  [string, string, unknown]
> = {
  request: ['x-request-id', 'Names this exchange in our logs', 'req_3nK8vQ0cYxW2tB7mZs1LpA'],
  limit: ['ratelimit-limit', 'The burst of the class that this request counted in', 100],
  remaining: ['ratelimit-remaining', 'What is left of it', 99],
  reset: ['ratelimit-reset', 'Seconds until it is full again', 1],
  cache: ['cache-control', 'How long the answer may be kept', 'private, no-cache'],
  etag: ['etag', 'Send it back as `if-none-match`: what has not changed is 304', 'W/"3f1c9b0a5d7e2f48"'],
  link: ['link', 'The next page; absent on the last one', '</api/executions?limit=20&cursor=W10>; rel="next"'],
  'idempotent-replayed': ['idempotent-replayed', '`true` when this is the kept first answer', 'true'],
}

const headersOf = (names: readonly (keyof typeof headerTexts)[]): Json =>
  Object.fromEntries(
    names.map((key) => {
      const [name, description, example] = headerTexts[key]
      return [name, { description, schema: { type: typeof example === 'number' ? 'integer' : 'string' }, example }]
    }),
  )

const authenticated = ['request', 'limit', 'remaining', 'reset', 'cache'] as const

/** The OpenAPI document, from the routes and the very schemas that validate them. */
export function openApiDocument(api: AnyElysia, { version, serverUrl }: DocsOptions): Json {
  const paths: Record<string, Json> = {}
  for (const route of api.routes as unknown as Route[]) {
    const described = route.hooks.detail?.operation
    if (!described) continue
    const path = route.path.replace(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route, described) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Switchyard',
      version,
      summary: 'Routes cross-chain deposits: one address per user, on five chains, to where you said.',
      description: introduction(),
      license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
    },
    servers: [{ url: serverUrl ?? '/', description: 'This service' }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    security: [{ apiKey: [] }],
    paths,
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

const always: RefusalCode[] = ['INTERNAL_ERROR', 'STORE_UNAVAILABLE']
const ofKeys: RefusalCode[] = ['MISSING_API_KEY', 'INVALID_API_KEY', 'INSUFFICIENT_PERMISSIONS', 'RATE_LIMITED']
const ofBodies: RefusalCode[] = ['VALIDATION_FAILED', 'MALFORMED_BODY', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE']
const ofMutations: RefusalCode[] = ['INVALID_IDEMPOTENCY_KEY', 'IDEMPOTENCY_KEY_REUSED', 'IDEMPOTENCY_KEY_IN_FLIGHT']

function refusalsOf({ roles, query, isMutation, refusals: own }: Operation, { body, params }: Route['hooks']): Json {
  const codes = new Set<RefusalCode>([
    ...(body !== undefined
      ? ofBodies
      : query !== undefined || params !== undefined
        ? ['VALIDATION_FAILED' as const]
        : []),
    ...(isMutation ? ofMutations : []),
    ...(roles.length > 0 ? ofKeys : []),
    ...own,
    ...(roles.length > 0 ? always : ['INTERNAL_ERROR' as const]),
  ])
  const byStatus = Map.groupBy(codes, (code) => refusals[code][0])
  return Object.fromEntries(
    [...byStatus].toSorted(([a], [b]) => a - b).map(([status, found]) => [status, refusalOf(status, found)]),
  )
}

function refusalOf(status: (typeof refusals)[RefusalCode][0], codes: RefusalCode[]): Json {
  const examples = Object.fromEntries(
    codes.map((code) => {
      const body = failureBody(status, code === 'VALIDATION_FAILED' ? 'userId is required' : refusals[code][1])
      return [saidCode(code), { summary: refusals[code][1], value: status === 422 ? { ...body, code } : body }]
    }),
  )
  const schema = { $ref: `#/components/schemas/${status === 422 ? 'SimulationRefused' : 'Error'}` }
  return {
    description: codes.map((code) => `\`${saidCode(code)}\``).join(', '),
    headers: {
      ...headersOf(['request']),
      'x-error-code': {
        description: 'The reason, for programs',
        schema: { type: 'string', enum: codes.map(saidCode) },
        example: saidCode(codes[0]!),
      },
      ...([409, 429, 503].includes(status) && {
        'retry-after': { description: 'Seconds to wait at least', schema: { type: 'integer' }, example: 1 },
      }),
    },
    content: { 'application/json': { schema, examples } },
  }
}
