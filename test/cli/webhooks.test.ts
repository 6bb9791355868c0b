import { afterAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { resend } from '../../src/cli/verbs/webhooks'
import { testAll } from '../support/test-all'

const main = join(import.meta.dir, '..', '..', 'src', 'cli', 'main.ts')

let answers: Record<string, { status?: number; body?: unknown; code?: string; link?: string }> = {}
let asked: string[] = []
const api = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  async fetch(request) {
    const { pathname, search } = new URL(request.url)
    asked.push(`${request.method} ${pathname}${search} ${await request.text()}`.trim())
    const { status = 200, body = null, code, link } = answers[`${request.method} ${pathname}`] ?? { status: 404 }
    const headers = { ...(code && { 'x-error-code': code }), ...(link && { link }) }
    return status === 204 ? new Response(null, { status }) : Response.json(body, { status, headers })
  },
})
afterAll(() => api.stop(true))

async function webhooks(...args: string[]) {
  asked = []
  const env = { ...process.env, SWITCHYARD_API_URL: api.url.href, SWITCHYARD_API_KEY: 'sy_live_key' }
  const run = Bun.spawn([process.execPath, main, 'webhooks', ...args], { env, stdout: 'pipe', stderr: 'pipe' })
  const [out, err] = await Promise.all([new Response(run.stdout).text(), new Response(run.stderr).text()])
  return { code: await run.exited, out, err }
}

const lastAttempt = { at: '', statusCode: 503, durationMs: 7, error: null }
const delivery = {
  id: 'dlv_1',
  eventId: 'evt_1',
  type: 'webhook.test',
  status: 'FAILED',
  attempts: 1,
  lastAttempt,
  nextAttemptAt: null,
  createdAt: '2026-11-21T10:00:25.402Z',
}

test('a test shows the endpoint’s response, and fails if the event was not accepted', async () => {
  answers = { 'POST /api/webhook-endpoints/whe_1/test': { body: delivery } }
  const refused = await webhooks('test', 'whe_1', '--type', 'deposit.detected')
  expect([refused.code, refused.out]).toEqual([1, 'webhook.test FAILED: answered 503 in 7 ms\n'])
  expect(asked).toEqual(['POST /api/webhook-endpoints/whe_1/test {"type":"deposit.detected"}'])
  answers = { 'POST /api/webhook-endpoints/whe_1/test': { body: { ...delivery, status: 'DELIVERED' } } }
  expect((await webhooks('test', 'whe_1')).code).toBe(0)
})

test('a secret is shown when its endpoint is created, and deliveries and endpoints are listed', async () => {
  const endpoint = { id: 'whe_1', url: 'https://example.com/hooks', types: ['deposit.*'], disabledReason: null }
  answers = {
    'POST /api/webhook-endpoints': { status: 201, body: { ...endpoint, secret: 'whsec_AAAA' } },
    'GET /api/webhook-endpoints': { body: [endpoint] },
    'GET /api/webhook-endpoints/whe_1/deliveries': { body: [delivery] },
  }
  expect((await webhooks('create', endpoint.url, '--types', 'deposit.*')).out).toContain('\nwhsec_AAAA\n')
  expect(asked).toEqual(['POST /api/webhook-endpoints {"url":"https://example.com/hooks","types":["deposit.*"]}'])
  expect((await webhooks('list')).out).toContain(' enabled')
  expect((await webhooks('deliveries', 'whe_1', '--status', 'FAILED')).out).toContain('answered 503')
  expect(asked).toEqual(['GET /api/webhook-endpoints/whe_1/deliveries?limit=20&status=FAILED'])
})

test('a disabled endpoint is shown with its reason, and an empty result names its filter', async () => {
  answers = {
    'GET /api/webhook-endpoints': {
      body: [{ id: 'whe_1', url: 'https://example.com', types: ['deposit.*'], disabledReason: 'FAILING' }],
    },
    'GET /api/webhook-endpoints/whe_1/deliveries': { body: [] },
  }
  const [list, deliveries] = [await webhooks('list'), await webhooks('deliveries', 'whe_1', '--status', 'FAILED')]
  expect(list.out).toContain('disabled (FAILING)')
  expect(deliveries.out).toBe('No delivery matches.\n')
})

test('an endpoint is edited, disabled, enabled and deleted by the matching API request', async () => {
  const endpoint = { id: 'whe_1', url: 'https://example.com/new', types: ['intent.*'], disabledReason: null }
  const path = '/api/webhook-endpoints/whe_1'
  answers = { [`PATCH ${path}`]: { body: endpoint }, [`DELETE ${path}`]: { status: 204 } }
  const edited = await webhooks('edit', 'whe_1', '--url', endpoint.url, '--types', 'intent.*', '--description', '')
  expect([edited.out, asked]).toEqual([
    'whe_1 gets intent.* at https://example.com/new.\n',
    [`PATCH ${path} {"url":"${endpoint.url}","types":["intent.*"],"description":null}`],
  ])
  for (const [verb, enabled] of [
    ['disable', false],
    ['enable', true],
  ] as const) {
    const { out } = await webhooks(verb, 'whe_1')
    expect([out, asked]).toEqual([expect.stringContaining(`${verb}d`), [`PATCH ${path} {"enabled":${enabled}}`]])
  }
  const { code, out } = await webhooks('delete', 'whe_1')
  expect([code, out, asked]).toEqual([0, expect.stringContaining('whe_1 is deleted'), [`DELETE ${path}`]])
  const nothing = await webhooks('edit', 'whe_1')
  expect([nothing.code, nothing.err, asked]).toEqual([1, 'Give --url, --types or --description.\n', []])
})

test('a rotated secret is alone on its line, and the old one signs for the requested time', async () => {
  const body = { secret: 'whsec_BBBB', previousExpiresAt: '2026-11-22T10:00:00.000Z' }
  answers = { 'POST /api/webhook-endpoints/whe_1/rotate-secret': { body } }
  const { out } = await webhooks('rotate-secret', 'whe_1', '--overlap', '60')
  expect(out).toMatch(/2026-11-22T10:00:00\.000Z.*\nwhsec_BBBB\n$/)
  expect(asked).toEqual(['POST /api/webhook-endpoints/whe_1/rotate-secret {"overlapSeconds":60}'])
})

test('a list of deliveries shows how to continue, and continues there', async () => {
  const path = '/api/webhook-endpoints/whe_1/deliveries'
  answers = { [`GET ${path}`]: { body: [delivery], link: `<${path}?limit=1&cursor=eyJjIjox>; rel="next"` } }
  const first = await webhooks('deliveries', 'whe_1', '--limit', '1', '--event', 'evt_1')
  expect([first.err, asked]).toEqual([
    'There are older deliveries: --cursor eyJjIjox\n',
    [`GET ${path}?limit=1&eventId=evt_1`],
  ])
  answers = { [`GET ${path}`]: { body: [delivery] } }
  const next = await webhooks('deliveries', 'whe_1', '--limit', '1', '--cursor', 'eyJjIjox')
  expect([next.err, asked]).toEqual(['', [`GET ${path}?limit=1&cursor=eyJjIjox`]])
})

test('a delivery is shown with every stored attempt, and its body is alone on the last line', async () => {
  const allAttempts = [503, null].map((statusCode) => ({
    ...lastAttempt,
    statusCode,
    error: statusCode ? null : 'TIMEOUT',
  }))
  const body = { ...delivery, attempts: 3, body: '{"id":"evt_1"}', allAttempts }
  answers = { 'GET /api/webhook-endpoints/whe_1/deliveries/dlv_1': { body } }
  const { out } = await webhooks('delivery', 'whe_1', 'dlv_1')
  expect(out).toMatch(/^webhook\.test evt_1 FAILED, created at 2026-11-21T10:00:25\.402Z\n/)
  expect(out).toMatch(/\n *2 .*answered 503.*\n *3 .*TIMEOUT.*\n\{"id":"evt_1"\}\n$/)
})

testAll([
  [{ onlyFailed: true }, 'Give --event or --since.'],
  [{ event: 'evt_1', since: '2026-11-21T10:00Z', onlyFailed: false }, '--event is one event: leave out --since'],
  [{ event: 'evt_1', until: '2026-11-21T10:00Z', onlyFailed: false }, '--event is one event: leave out --since'],
  [{ event: 'evt_1', onlyFailed: true }, '--event is one event: leave out --since'],
  [{ event: 'evt_1', notAccepted: true }, '--event is one event: leave out --since'],
  [{ since: '2026-11-21T10:00Z', onlyFailed: true, notAccepted: true }, 'Give --only-failed or --not-accepted.'],
])('a resend takes one event or a time range, and refuses anything else', (given, says) =>
  expect(resend('whe_1', given)).rejects.toThrow(says),
)

test('one event or a time range is resent, and a refusal is shown unchanged', async () => {
  answers = { 'POST /api/webhook-endpoints/whe_1/resend': { status: 202, body: { scheduled: 2 } } }
  expect((await webhooks('resend', 'whe_1', '--event', 'evt_1')).out).toBe('2 events are scheduled to be sent again.\n')
  expect(asked).toEqual(['POST /api/webhook-endpoints/whe_1/resend {"eventId":"evt_1"}'])
  const [since, until] = ['2026-11-21T10:00Z', '2026-11-21T11:00Z']
  await webhooks('resend', 'whe_1', '--since', since, '--until', until, '--only-failed')
  expect(asked).toEqual([
    `POST /api/webhook-endpoints/whe_1/resend {"since":"${since}","until":"${until}","onlyFailed":true}`,
  ])
  await webhooks('resend', 'whe_1', '--since', since, '--not-accepted')
  expect(asked).toEqual([
    `POST /api/webhook-endpoints/whe_1/resend {"since":"${since}","statuses":["RETRYING","FAILED"]}`,
  ])
  const more = { scheduled: 10_000, nextSince: '2026-11-21T10:30:00.000Z' }
  answers = { 'POST /api/webhook-endpoints/whe_1/resend': { status: 202, body: more } }
  const { err } = await webhooks('resend', 'whe_1', '--since', since)
  expect(err).toBe(`More events remain. Run this again with --since ${more.nextSince}\n`)
  const body = { message: 'No webhook endpoint with this id' }
  answers = { 'POST /api/webhook-endpoints/whe_1/resend': { status: 404, body, code: 'ENDPOINT_NOT_FOUND' } }
  const refused = await webhooks('resend', 'whe_1', '--event', 'evt_1')
  expect([refused.code, refused.err]).toEqual([1, expect.stringContaining(`${body.message} (404 ENDPOINT_NOT_FOUND)`)])
})
