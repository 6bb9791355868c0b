import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { exampleOf } from '../../../src/http/openapi/openapi-example'
import { testAll } from '../../support/test-all'
import { followed } from '../openapi/conform'
import { peopledWorld } from '../world'

type Json = Record<string, unknown>
type Schema = Json & { $ref?: string; anyOf?: Schema[]; properties?: Record<string, Schema> }
type Parameter = { name: string; in: string; schema: Schema }
type Operation = { parameters?: Parameter[]; requestBody?: { content: Record<string, { schema: Schema }> } }

const { ask, client, platform } = await peopledWorld()
const { json: document } = await ask('/docs/json')

const kindOf = ({ $ref, anyOf }: Schema): string | undefined =>
  ['SentTime', 'CalendarDate'].find((kind) => ($ref ?? anyOf?.[0]?.$ref)?.endsWith(`/${kind}`))

/** Every date or time of a request in the document: a query parameter by name, a body field by path. */
const dates = Object.entries(document.paths as Record<string, Record<string, Operation>>).flatMap(([path, methods]) =>
  Object.entries(methods).flatMap(([method, { parameters = [], requestBody }]) => {
    const asked = parameters.map((each) => followed(document, each)).filter((each) => each.in === 'query')
    const schema = followed(document, requestBody?.content['application/json']?.schema)
    const fields = Object.entries(schema?.properties ?? {})
    return [
      ...asked.map(({ name, schema }) => ({ path, method, name, kind: kindOf(schema), body: undefined })),
      ...fields.map(([name, field]) => ({ path, method, name, kind: kindOf(field), body: exampleOf(schema!) as Json })),
    ].filter(({ kind }) => kind !== undefined)
  }),
)

test('the document has every date of a request', () => {
  const names = dates.map(({ path, name }) => `${path} ${name}`)
  expect(names).toEqual(expect.arrayContaining(['/api/deposits createdFrom', '/api/operator/audit createdTo']))
  expect(names).toEqual(expect.arrayContaining(['/api/operator/blacklist expiresAt']))
})

testAll(dates.map((date) => [`${date.method.toUpperCase()} ${date.path}: ${date.name}`, date] as const))(
  'every date of every route accepts exactly the days of the calendar',
  async (_, { path, method, name, kind, body }) => {
    const sent = async (year: number, month: number, day: number, time: string) => {
      const date = `${year}-${String(month).padStart(2, '0')}-${day}`
      const text = kind === 'SentTime' ? `${date}T${time}` : date
      const at = path.replace('{scope}', 'organization:org_b').replace(/\{\w+\}/g, 'x')
      const key = path.startsWith('/api/webhook-endpoints/') ? client : platform
      const { status, json } = body
        ? await ask(at, { key, method: method.toUpperCase(), body: { ...body, [name]: text } })
        : await ask(`${at}?${new URLSearchParams({ [name]: text })}`, { key })
      const isThere = day <= new Date(Date.UTC(year, month, 0)).getUTCDate()
      const isRefused = status === 400 && json.message.startsWith(`${name} must be`)
      expect([text, isRefused, status >= 500]).toEqual([text, !isThere, false])
    }
    await sent(2030, 2, 30, '00:00:00.000Z')
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 2030, max: 2399 }),
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 28, max: 31 }),
        fc.constantFrom('00:00Z', '23:59:59.999Z', '00:00+14:00', '23:59-12:00'),
        sent,
      ),
      { numRuns: 40 },
    )
  },
)
