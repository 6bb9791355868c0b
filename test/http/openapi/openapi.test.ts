import { expect, test } from 'bun:test'
import { createConfig, lintDocument, makeDocumentFromString } from '@redocly/openapi-core'
import { perChain } from '../../../src/domain/chain/chain'
import { eventTypes } from '../../../src/domain/event-types'
import { statuses } from '../../../src/domain/execution/status'
import type { Json } from '../../../src/http/openapi/json'
import { exampleOf } from '../../../src/http/openapi/openapi-example'
import { membersWorld } from '../../dashboard/sign-in/members-world'
import { testAll } from '../../support/test-all'
import { peopledWorld, target, uniqueUser } from '../world'
import { followed } from './conform'

const { ask, api } = await peopledWorld()
const { json: document } = await ask('/docs/json')

type Operation = {
  operationId: string
  tags: string[]
  parameters?: { name: string; required?: boolean; description?: string; example?: unknown; schema: Schema }[]
  responses: Record<
    string,
    { description: string; content?: Record<string, { example?: unknown; examples?: unknown }> }
  >
}
const operations = Object.entries(document.paths as Record<string, Record<string, Operation>>).flatMap(
  ([path, methods]) => Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
)

test('the linter finds no fault in the document', async () => {
  const config = await createConfig({ extends: ['recommended'] })
  const linted = makeDocumentFromString(JSON.stringify(document, null, 1), '/openapi.json')
  const problems = await lintDocument({ document: linted, config, externalRefResolver: {} as never })
  // Health never refuses, so it has no 4xx to document.
  const refusing = problems.filter(({ location }) => !location[0]?.pointer?.includes('~1api~1health/'))
  const said = refusing.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`)
  expect(said).toEqual([])
})

test('the introduction shows the configured values, as the chains do', async () => {
  const { ask, client } = await peopledWorld({
    hasCode: async () => true,
    payable: async () => null,
    unspendable: () => null,
    chains: perChain(() => ({ confirmations: 2, isDeployed: async () => false })),
  })
  const { json: chains } = await ask('/api/chains', { key: client })
  const { json: document } = await ask('/docs/json')
  for (const { name, chainId, chainKey, confirmationsRequired } of chains) {
    expect(confirmationsRequired).toBe(2)
    expect(document.info.description).toContain(`| ${name} | ${chainId} | \`${chainKey}\` | 2 |`)
  }
})

test('the address that a demo prints leads to the documentation', async () => {
  const { ask: askWithPages } = await membersWorld()
  for (const each of [ask, askWithPages]) {
    const { status, headers } = await each('/')
    expect([status, headers.get('location')]).toEqual([302, '/docs'])
  }
  const { headers } = await askWithPages('/', { headers: { accept: 'text/html' } })
  expect(headers.get('location')).toBe('/app')
})

test('the document and the service both reject times that do not exist', async () => {
  const { ask, client } = await peopledWorld()
  const { parameters } = document.paths['/api/deposits'].get
  const { schema } = (parameters as Json[])
    .map((each) => followed(document, each))
    .find(({ name }) => name === 'createdFrom') as { schema: { pattern: string } }
  const sent = ['2026-11-22T20:59:10.123Z', '2026-11-22T20:59+05:30', '0000-00-00T00:00Z', '2026-11-22T24:00Z']
  for (const [n, time] of [...sent, '2026-13-01T00:00Z', '2026-11-22T20:60Z', '2026-11-22T20:59+24:00'].entries()) {
    const { status } = await ask(`/api/deposits?createdFrom=${encodeURIComponent(time)}`, { key: client })
    expect([time, new RegExp(followed(document, schema).pattern).test(time), status]).toEqual([
      time,
      n < 2,
      n < 2 ? 200 : 400,
    ])
  }
})

test('the document has health and every endpoint with a key', () => {
  const documented = new Set(operations.map(({ path, method }) => `${method.toUpperCase()} ${path}`))
  const served = (api.routes as { method: string; path: string }[])
    .filter(({ path }) => path.startsWith('/api/'))
    .map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`)
  expect([...documented].toSorted()).toEqual([...new Set(served)].toSorted())
})

const resolved = <Part>(part: Part): Part => followed(document, part)

testAll(operations.map(({ path, method, operation }) => [`${method.toUpperCase()} ${path}`, operation] as const))(
  'every parameter and response is described, and only required parameters are filled in',
  (_name, { parameters = [], responses }) => {
    for (const parameter of parameters) {
      const { name, description, example, required, schema } = resolved(parameter)
      const isGivenLater =
        /(Deposit|Execution|Job|Scan|WebhookEndpoint|WebhookDelivery)Id$/.test(schema.$ref ?? '') || name === 'address'
      const isFilledIn = required === true && !isGivenLater
      expect([name, typeof description, example !== undefined]).toEqual([name, 'string', isFilledIn])
    }
    for (const { description } of Object.values(responses).map(resolved)) expect(description.length).toBeGreaterThan(0)
  },
)

testAll([
  ['once', 200],
  ['!~', 200],
  ['k'.repeat(255), 200],
  ['two words', 400],
  ['k'.repeat(256), 400],
])('the document and the service accept the same idempotency keys', async (sent, status) => {
  const { ask, client } = await peopledWorld()
  const body = { userId: uniqueUser(), ...target }
  const answer = await ask('/api/deposit-intents', { key: client, body, headers: { 'idempotency-key': sent } })
  const { schema } = document.components.parameters.idempotencyKey
  expect([answer.status < 400 ? 200 : answer.status, new RegExp(schema.pattern).test(sent)]).toEqual([
    status,
    status === 200,
  ])
})

type Schema = {
  $ref?: string
  description?: string
  examples?: unknown[]
  enum?: unknown[]
  properties?: Record<string, Schema>
  items?: Schema
  anyOf?: Schema[]
  allOf?: Schema[]
}

/** Every field of a schema by path, at any depth. */
const fieldsOf = ({ properties = {}, items, anyOf = [], allOf = [] }: Schema): [path: string, field: Schema][] => [
  ...Object.entries(properties).flatMap(([name, field]): [string, Schema][] => [
    [name, field],
    ...fieldsOf(field).map(([path, deeper]): [string, Schema] => [`${name}.${path}`, deeper]),
  ]),
  ...[...(items ? [items] : []), ...anyOf, ...allOf].flatMap(fieldsOf),
]

type Content = Record<string, { schema: Schema }>
type Carrying = { requestBody?: { content: Content }; responses: Record<string, { content?: Content }> }

const bodiesOf = (name: string, { requestBody, responses }: Carrying): [string, Schema][] =>
  [resolved(requestBody)?.content, ...Object.values(responses).map((answer) => resolved(answer).content)]
    .flatMap((content) => Object.values(content ?? {}))
    .map(({ schema }): [string, Schema] => [name, schema])

const webhooks = Object.entries(document.webhooks as Record<string, { post: Carrying }>)
const schemas: [string, Schema][] = [
  ...Object.entries(document.components.schemas as Record<string, Schema>),
  ...operations.flatMap(({ operation }) => bodiesOf(operation.operationId, operation as unknown as Carrying)),
  ...webhooks.flatMap(([type, { post }]) => bodiesOf(type, post)),
]

/** The description of a field, or of the model that it refers to. */
const descriptionOf = ({ $ref, description }: Schema): string | undefined =>
  description ?? (document.components.schemas as Record<string, Schema>)[$ref?.split('/').at(-1) ?? '']?.description

/** Whether a field has an example, or consists of fields with examples. */
const isTold = ({ $ref, examples, items, anyOf, properties }: Schema): boolean =>
  examples?.[0] !== undefined || !!($ref ?? properties) || (items ? isTold(items) : !!anyOf?.some(isTold))

testAll(schemas)('every field is described and has a real example, at any depth', (_name, schema) => {
  const mute = fieldsOf(schema).filter(
    ([, field]) => !(descriptionOf(field) && exampleOf(field as Json) !== undefined && isTold(field)),
  )
  expect(mute.map(([path]) => path)).toEqual([])
})

test('every status field links to its meaning, and the link resolves', () => {
  const { description: meant, enum: names } = document.components.schemas.ExecutionStatus as Schema
  expect([meant, names?.toSorted()]).toEqual([
    expect.stringContaining('(#/Service/getLifecycle)'),
    Object.keys(statuses).toSorted(),
  ])
  const unnamed = schemas.filter(([name]) => name !== 'ExecutionStatus').flatMap(([, schema]) => fieldsOf(schema))
  expect(unnamed.filter(([, field]) => field.enum?.includes('FAILED_UNROUTABLE_MAIN'))).toEqual([])
  const { operation } = operations.find(({ operation: { operationId } }) => operationId === 'getLifecycle')!
  const { description } = operation as unknown as { description: string }
  for (const [status, meant] of Object.entries(statuses)) {
    expect(description).toContain(`| \`${status}\` |`)
    expect(description).toContain(meant.description)
  }
})

test('every type of event is listed under webhooks with its model', () => {
  expect(webhooks.map(([type]) => type)).toEqual([...eventTypes])
  const { mapping } = document.components.schemas.Event.discriminator
  expect(Object.keys(mapping).toSorted()).toEqual([...eventTypes].toSorted())
  for (const [type, { post }] of webhooks)
    expect([type, resolved(post.requestBody)!.content['application/json']!.schema]).toEqual([
      type,
      { $ref: mapping[type] },
    ])
})

test('every posted event may be accepted with any 2xx', () => {
  for (const [type, { post }] of webhooks) expect([type, Object.keys(post.responses)]).toEqual([type, ['2XX']])
})

testAll([
  ['/swagger', '/docs'],
  ['/swagger/json', '/docs/json'],
])('the page and the document have different names', async (name, known) => {
  const [asked, other] = await Promise.all([ask(name), ask(known)])
  expect([asked.status, asked.text]).toEqual([200, other.text])
  for (const header of ['content-type', 'content-security-policy'])
    expect(asked.headers.get(header)).toBe(other.headers.get(header))
})

test('the page loads all its parts from this server', async () => {
  const { text, status, headers } = await ask('/docs')
  expect(status).toBe(200)
  expect(headers.get('content-security-policy')).toContain("default-src 'self'")
  const parts = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, part]) => part!)
  expect(parts.length).toBeGreaterThan(2)
  for (const part of parts) {
    expect(part.startsWith('/docs/assets/')).toBe(true)
    expect((await ask(part)).status).toBe(200)
  }
})

test('every text of the page and the document are sent compressed to those who accept it', async () => {
  const { text } = await ask('/docs')
  const parts = [...text.matchAll(/(?:src|href)="([^"]+\.(?:js|css))"/g)].map(([, part]) => part!)
  const encodings = [
    ['gzip, deflate, br', 'br'],
    ['gzip', 'gzip'],
    ['identity', null],
  ] as const
  for (const part of [...parts, '/docs/json', '/openapi.json'])
    for (const [accepted, encoding] of encodings) {
      const request = new Request(`http://localhost${part}`, { headers: { 'accept-encoding': accepted } })
      const { headers } = await api.handle(request)
      const sent = [part, headers.get('content-encoding'), headers.get('vary')]
      expect(sent).toEqual([part, encoding, 'accept-encoding'])
    }
})
