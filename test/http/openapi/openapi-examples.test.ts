import { expect, test } from 'bun:test'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020'
import addFormats from 'ajv-formats'
import { eventId, timeOfEvent } from '../../../src/events/event-id'
import { exampleOf } from '../../../src/http/openapi/openapi-example'
import { testAll } from '../../support/test-all'
import { running } from '../events/streaming'
import { peopledWorld } from '../world'
import { closed, followed, joined } from './conform'

type Json = Record<string, unknown>
type Schema = Json
type Content = Record<string, { schema: Schema; example?: unknown; examples?: Record<string, Json> }>
type Parameter = { name: string; schema: Schema; example?: unknown }
type Operation = {
  operationId: string
  parameters?: Parameter[]
  requestBody?: { content: Content }
  responses: Record<string, { content?: Content }>
}

const { ask } = await peopledWorld()
const { json: document } = await ask('/docs/json')
const text = JSON.stringify(document)
const schemas = document.components.schemas as Record<string, Schema>
const operations = Object.values(document.paths as Record<string, Record<string, Operation>>).flatMap((methods) =>
  Object.values(methods),
)

const ajv = new Ajv2020({ strict: false })
;(addFormats as unknown as (to: Ajv2020) => void)(ajv)
ajv.addSchema({ $id: 'open', components: document.components } as object)
ajv.addSchema({ $id: 'openapi', components: closed(document, document.components) } as object)

/** The fault of a value by a schema with closed objects. */
function wrongWith(schema: Schema, value: unknown): string | null {
  const own = JSON.stringify(closed(document, schema)).replaceAll('"#/components', '"openapi#/components')
  const check = compiled.get(own) ?? ajv.compile(JSON.parse(own))
  compiled.set(own, check)
  return check(value) ? null : `${ajv.errorsText(check.errors)}: ${JSON.stringify(value)}`
}
const compiled = new Map<string, ValidateFunction>()

/** Every example in the document, and every example that a reader can build from its schemas. */
function* examplesOf({ operationId, parameters = [], requestBody, responses }: Operation) {
  for (const given of parameters) {
    const { name, schema, example } = followed(document, given)
    if (example !== undefined) yield [`${operationId} ${name}`, schema, example] as const
  }
  const contents = [requestBody, ...Object.values(responses).map((answer) => followed(document, answer))]
  for (const { content } of contents.filter((one) => one !== undefined))
    for (const [contentType, { schema, example, examples = {} }] of Object.entries(content ?? {})) {
      const name = `${operationId} ${contentType}`
      yield [name, schema, example ?? exampleOf(schema)] as const
      for (const [code, one] of Object.entries(examples))
        yield [`${name} ${code}`, schema, followed(document, one)['value']] as const
    }
}

test('every example matches its schema without additional fields', () => {
  const all = operations.flatMap((operation) => [...examplesOf(operation)])
  expect(all.length).toBeGreaterThan(200)
  const wrong = all.flatMap(([name, schema, value]) => {
    const said = wrongWith(schema, value)
    return said ? [`${name}: ${said}`] : []
  })
  expect(wrong).toEqual([])
})

testAll(Object.entries(schemas))('each example of a schema, and of its fields, matches it', (_, schema) => {
  const wrong: (string | null)[] = []
  const look = (part: Schema): void => {
    for (const value of (part['examples'] as unknown[] | undefined) ?? []) wrong.push(wrongWith(part, value))
    for (const extended of (part['allOf'] as Schema[] | undefined) ?? []) look(extended)
    for (const field of Object.values((part['properties'] as Record<string, Schema> | undefined) ?? {})) look(field)
    if (part['items']) look(part['items'] as Schema)
  }
  look(schema)
  expect(wrong.filter((said) => said !== null)).toEqual([])
})

test('the example of an event has the id, the time and the number of the same entry', () => {
  for (const name of ['ExecutionEvent', 'DepositEvent', 'MoveEvent']) {
    const event = exampleOf({ $ref: `#/components/schemas/${name}` }) as {
      id: string
      timestamp: string
      seq: number
      data: { id: string; seq?: number; updatedAt?: string }
    }
    const { id, timestamp, seq, data } = event
    expect([name, id]).toEqual([name, eventId(Date.parse(timestamp), data.id, seq)])
    expect(timeOfEvent(id)).toBe(Date.parse(timestamp))
    if (data.seq !== undefined) expect([name, data.seq, data.updatedAt]).toEqual([name, seq, timestamp])
  }
})

test('the example of an event matches the feed: all fields are of one moment', async () => {
  const { ask, client, store, clock } = await peopledWorld()
  await store.executions.save(running(1, clock.now - 60_000))
  const { json: feed } = await ask('/api/events?types=deposit.*,execution.*,execution.moved', { key: client })
  for (const model of ['ExecutionEvent', 'DepositEvent', 'MoveEvent']) {
    type Told = { type: string; transition: object; data: Json & { funds?: Json; next?: Json; executionId?: unknown } }
    const shown = exampleOf({ $ref: `#/components/schemas/${model}` }) as Told
    const told = (feed as Told[]).find(({ type }) => type === shown.type)!
    const momentOf = ({ transition, data: { stage, status, executionId, funds, next, event, from, to } }: Told) => ({
      transition: model === 'MoveEvent' ? { event, from, to } : transition,
      said: { stage, status, executionId: typeof executionId, holder: funds?.['holder'] },
      next: next && [next['actor'], next['action'], next['message']],
    })
    if (model === 'MoveEvent') expect(momentOf(shown).transition).toEqual(shown.transition)
    else expect([model, momentOf(shown)]).toEqual([model, momentOf(told)])
  }
})

const parts = function* (part: unknown): Generator<Json> {
  if (part === null || typeof part !== 'object') return
  if (!Array.isArray(part)) yield part as Json
  for (const deeper of Object.values(part)) yield* parts(deeper)
}

test('no pattern needs a flag, no enumeration has null, and every constant has a type', () => {
  const said = [...parts(document)]
  expect(said.filter(({ pattern }) => typeof pattern === 'string' && pattern.includes('\\p{'))).toEqual([])
  const enumerations = said.filter(({ enum: values }) => Array.isArray(values))
  expect(enumerations.filter(({ enum: values, type }) => (values as unknown[]).includes(null) || !type)).toEqual([])
  expect(said.filter((part) => 'const' in part && !('properties' in part))).toEqual([])
})

test('every id, status, chain and body has a named model', () => {
  const idOf = ({ $ref, anyOf }: Json): unknown => $ref ?? (anyOf as Json[] | undefined)?.[0]?.['$ref']
  for (const [model, schema] of Object.entries(schemas))
    for (const [field, property] of Object.entries((joined(document, schema)['properties'] ?? {}) as Schema)) {
      if (
        /^(id|\w+(?<!request)Id|status|\w+Key)$/.test(field) &&
        !(field === 'status' && ['Health', 'Transaction'].includes(model))
      )
        expect([model, field, typeof idOf(property as Json)]).toEqual([model, field, 'string'])
    }
  for (const { operationId, requestBody, responses } of operations) {
    const contents = [requestBody, ...Object.values(responses).map((answer) => followed(document, answer))]
    for (const { schema } of contents.flatMap((one) => one?.content?.['application/json'] ?? []))
      expect([operationId, typeof (schema['$ref'] ?? (schema['items'] as Json | undefined)?.['$ref'])]).toEqual([
        operationId,
        'string',
      ])
  }
})

/** The names of all models that a schema refers to, at any depth. */
function modelsIn(part: unknown, found = new Set<string>()): Set<string> {
  for (const { $ref } of parts(part)) {
    const name = typeof $ref === 'string' ? $ref.split('/').at(-1)! : ''
    if (name === '' || found.has(name)) continue
    found.add(name)
    modelsIn(followed(document, { $ref }), found)
  }
  return found
}

test('a shared parameter is named like a model only if it is that model, because generators create a type for each', () => {
  const models = new Map(Object.keys(schemas).map((name) => [name.toLowerCase(), `#/components/schemas/${name}`]))
  const shared = Object.entries(document.components.parameters as Record<string, Parameter>)
  const wrong = shared.filter(
    ([name, { schema }]) => (models.get(name.toLowerCase()) ?? schema['$ref']) !== schema['$ref'],
  )
  expect(wrong.map(([name]) => name)).toEqual([])
})

test('a response may name a future chain, and a request only an existing one', () => {
  for (const { operationId, parameters = [], requestBody, responses } of operations) {
    const [taken, answered] = [modelsIn([parameters, requestBody]), modelsIn(responses)]
    expect([operationId, ['ChainId', 'ChainKey'].filter((name) => taken.has(name))]).toEqual([operationId, []])
    expect([operationId, [...answered].filter((name) => name.startsWith('Supported'))]).toEqual([operationId, []])
  }
  expect(wrongWith({ $ref: '#/components/schemas/ChainId' }, 10)).toBeNull()
  expect(wrongWith({ $ref: '#/components/schemas/SupportedChainId' }, 10)).not.toBeNull()
})

test('an event of a future type is valid, and a known type allows only its own data', () => {
  const event = exampleOf({ $ref: '#/components/schemas/ExecutionEvent' }) as Json
  const { id, type } = event
  const schema = { oneOf: document.components.schemas.Event.oneOf }
  const open = ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"open#/components')))
  for (const [said, isOne] of [
    [event, true],
    [{ ...event, type: 'execution.later' }, true],
    [{ id, type: 'invoice.paid', data: { id: 'inv_1', amount: '1' } }, true],
    [{ id, type, data: { id: 'x' } }, false],
  ] as const)
    expect([said.type, open(said)]).toEqual([said.type, isOne])
})

test('a model that has all fields of another one extends it', () => {
  const fieldsOf = ({ properties = {} }: Schema) =>
    Object.entries(properties as Json).map((field) => JSON.stringify(field))
  const repeated = Object.entries(schemas).flatMap(([name, schema]) => {
    const own = new Set(fieldsOf(schema))
    return Object.entries(schemas)
      .filter(([other, base]) => other !== name && fieldsOf(base).length > 2 && new Set(fieldsOf(base)).isSubsetOf(own))
      .map(([other]) => `${name} repeats ${other}`)
  })
  expect(repeated).toEqual([])
})

test('every type of event has one shape in examples, tests and posts, which is that of its model', async () => {
  const posted: string[] = []
  const world = await peopledWorld({
    postWebhook: async (_url, { body }) => {
      posted.push(body)
      return { statusCode: 200, durationMs: 1, error: null, retryAfterMs: null }
    },
  })
  const body = { url: 'https://example.com/hooks', types: ['deposit.*'] }
  const { json: endpoint } = await world.ask('/api/webhook-endpoints', { key: world.client, body })
  const { mapping } = (document.components.schemas.Event as { discriminator: { mapping: Record<string, string> } })
    .discriminator
  for (const [type, $ref] of Object.entries(mapping)) {
    const { status } = await world.ask(`/api/webhook-endpoints/${endpoint.id}/test`, {
      key: world.client,
      body: { type },
    })
    const { seq, ...sample } = JSON.parse(posted.at(-1)!)
    const shown = exampleOf(followed(document, { $ref }) as Schema) as Json
    expect([type, status, seq, sample.type]).toEqual([type, 200, null, type])
    // A sample has no position in a record's life. Otherwise it is an event as the list and the stream send it.
    expect([type, wrongWith({ $ref }, { seq: shown['seq'], ...sample })]).toEqual([type, null])
    expect([type, wrongWith({ $ref }, shown)]).toEqual([type, null])
    expect([type, fieldsIn({ seq, ...sample })]).toEqual([type, fieldsIn(shown)])
    const said = type.startsWith('execution.') && !/moved|superseded/.test(type)
    if (said) expect([type, sample.data.status]).toEqual([type, type.slice('execution.'.length).toUpperCase()])
  }
})

/** The names of the fields of an event and of its object. Their values can be null in one and not in the other. */
const fieldsIn = (event: Json): string[] => [...Object.keys(event), ...Object.keys(event['data'] as Json)].toSorted()

test('the document is short enough for people and tools', () => {
  expect(text.length).toBeLessThan(256_500)
})
