import { expect, test } from 'bun:test'
import { testAll } from '../../support/test-all'
import { deliveryOfExample } from '../../support/webhooks'
import { followed } from '../openapi/conform'
import { fill } from '../routes/shown-executions'
import { peopledWorld, target } from '../world'

type Parameter = { name: string }
type Answer = {
  headers?: Record<string, unknown>
  content: Record<string, { schema: { type: string; items: object } }>
  'x-envelope'?: { properties: { data: object } }
}
type Operation = { parameters?: Parameter[]; responses: Record<number, Answer> }

const world = await peopledWorld()
const { ask, client, platform, store, clock } = world
const { json: document } = await ask('/docs/json')

const recipient = (n: number) => `0x${n.toString(16).padStart(40, '1')}`
await fill(world, 5)
const hook = { url: 'https://example.com/hooks', types: ['deposit.*'] }
const { json: endpoint } = await ask('/api/webhook-endpoints', { key: client, body: hook })
for (let n = 1; n <= 5; n++) {
  clock.now += 1_000
  await ask('/api/deposit-intents', { key: client, body: { userId: 'user-1', ...target, targetAddress: recipient(n) } })
  const entry = { kind: 'ADDRESS', chainId: null, address: recipient(n + 10), listedAs: 'SANCTIONED', reason: 'A test' }
  await ask('/api/operator/blacklist', { key: platform, body: entry })
  const delivery = deliveryOfExample(endpoint.id, 'org_a', clock.now)
  await store.webhookDeliveries.save({ ...delivery, id: `${delivery.id}:${n}`, eventId: `evt_${n}` })
}

/** Every operation of the document whose response has a `link`. */
const lists = Object.entries(document.paths as Record<string, Record<string, Operation>>).flatMap(([path, { get }]) => {
  const answer = followed(document, get?.responses[200])
  const { headers = {} } = answer ?? {}
  const names = get?.parameters?.map((each) => followed(document, each).name) ?? []
  const position = names.includes('cursor') ? 'cursor' : 'after'
  const at = path.replace('{userId}', 'user-1').replace('{id}', endpoint.id)
  return 'link' in headers ? [{ path: at, position, hasEtag: 'etag' in headers, answer: answer! }] : []
})
type List = (typeof lists)[number]

const keyFor = (path: string) => (path.startsWith('/api/operator/') ? platform : client)
const answerTo = (path: string, headers = {}) => ask(path, { key: keyFor(path), headers })
const linkIn = (headers: Headers) => /^<([^>]+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1] ?? null

/** All rows of a list, two at a time. `next` returns the path of the next page. */
async function walked(path: string, next: (answer: Awaited<ReturnType<typeof ask>>) => string | null) {
  const rows: unknown[] = []
  for (let at: string | null = path; at !== null; ) {
    const answer: Awaited<ReturnType<typeof ask>> = await answerTo(at)
    const page = Array.isArray(answer.json) ? answer.json : answer.json.data
    rows.push(...page)
    // The list of events always continues. It has ended when a page is empty.
    at = page.length === 0 ? null : next(answer)
  }
  return rows
}

test('the document has every list with pages', () => {
  expect(lists.length).toBeGreaterThanOrEqual(9)
  expect(lists.map(({ path }) => path)).toContain('/api/users/user-1/executions')
})

testAll(lists.map((list): [string, List] => [list.path, list]))(
  'every list has only its array as the documented content, and its envelope beside it',
  (_, { answer: { content, 'x-envelope': envelope } }) => {
    expect(Object.keys(content)).toEqual(['application/json'])
    const { schema } = content['application/json']!
    expect(schema).toEqual({ type: 'array', items: schema.items })
    expect(envelope!.properties.data).toEqual(schema)
  },
)

testAll(lists.map((list): [string, List] => [list.path, list]))(
  'every list is an array without a parameter, and an envelope of the same rows with it',
  async (_, { path, hasEtag }) => {
    const [plain, same, enveloped] = await Promise.all(
      ['', '&envelope=false', '&envelope=true'].map((form) => answerTo(`${path}?limit=2${form}`)),
    )
    expect([plain!.json.length, same!.text]).toEqual([2, plain!.text])
    expect(Object.keys(enveloped!.json)).toEqual(['data', 'next'])
    expect(enveloped!.json.data).toEqual(plain!.json)
    const types = [plain, same, enveloped].map((answer) => answer!.headers.get('content-type')?.replace('; ', ';'))
    const ofArray = 'application/json;charset=utf-8'
    expect(types).toEqual([ofArray, ofArray, 'application/vnd.switchyard.page+json;charset=utf-8'])
    const etags = [plain, enveloped].map((answer) => answer!.headers.get('etag'))
    expect(new Set(etags).size).toBe(hasEtag ? 2 : 1)
    if (!hasEtag) return
    const [changed, current] = await Promise.all(
      etags.map((etag) => answerTo(`${path}?limit=2&envelope=true`, { 'if-none-match': etag! })),
    )
    expect([changed!.status, current!.status, current!.headers.get('content-type')]).toEqual([200, 304, null])
  },
)

testAll(lists.map((list): [string, List] => [list.path, list]))(
  'every list has the same pages by its link, by `next`, and in both forms in turn',
  async (_, { path, position }) => {
    const [plain, enveloped] = [`${path}?limit=2`, `${path}?limit=2&envelope=true`]
    const byLink = await walked(plain, ({ headers }) => linkIn(headers))
    expect(byLink.length).toBeGreaterThanOrEqual(5)
    const byNext = await walked(enveloped, ({ json, headers }) => {
      const query = new URLSearchParams(linkIn(headers)?.split('?')[1])
      expect([query.get(position), query.get('envelope')]).toEqual([json.next, json.next && 'true'])
      return json.next && `${enveloped}&${position}=${json.next}`
    })
    let pages = 0
    const inTurn = await walked(plain, ({ headers }) => {
      const link = linkIn(headers)?.replace('&envelope=true', '') ?? null
      return link && pages++ % 2 === 0 ? `${link}&envelope=true` : link
    })
    expect([byNext, inTurn]).toEqual([byLink, byLink])
  },
)

testAll(lists.map((list): [string, List] => [list.path, list]))(
  'every list refuses an envelope that is neither true nor false',
  async (_, { path }) => {
    for (const query of ['envelope=1', 'envelope=', 'envelope=TRUE', 'envelope=true,true']) {
      const { status, json } = await answerTo(`${path}?${query}`)
      expect([query, status, json.message]).toEqual([query, 400, 'envelope must be true or false'])
    }
    expect((await answerTo(`${path}?envelope=true&envelope=true`)).json.message).toBe('envelope must be given once')
  },
)

test('the last page has a null `next`, and an empty list an empty envelope', async () => {
  expect((await answerTo('/api/users/nobody/executions?envelope=true')).json).toEqual({ data: [], next: null })
  const { ask, client } = await peopledWorld()
  expect((await ask('/api/events?envelope=true', { key: client })).json).toEqual({ data: [], next: null })
})
