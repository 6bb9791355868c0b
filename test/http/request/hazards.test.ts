import { afterAll, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { Elysia } from 'elysia'
import { StoreUnreachable } from '../../../src/domain/unavailable'
import { authenticate } from '../../../src/http/request/authenticate'
import { clientOnly } from '../../../src/http/request/caller'
import { failures, Refusal } from '../../../src/http/request/failure'
import { testAll } from '../../support/test-all'
import { peopledWorld, target } from '../world'

const world = await peopledWorld()
const { api, ask, client } = world
api.listen({ port: 0, hostname: '127.0.0.1' })
const { port } = api.server!
afterAll(() => api.stop(true))

/** Writes raw bytes to the socket and returns the response. */
const raw = (sent: string): Promise<string> =>
  new Promise((resolve, reject) => {
    let text = ''
    const socket = connect(port!, '127.0.0.1', () => socket.write(sent))
    socket.on('data', (bytes) => {
      text += bytes
    })
    socket.on('close', () => resolve(text))
    socket.on('error', reject)
  })

const missing = { statusCode: 401, message: 'Missing API key', error: 'Unauthorized' }
const routes = (api.routes as { method: string; path: string }[]).filter(
  ({ path }) => path.startsWith('/api/') && path !== '/api/health',
)
const filled = (path: string) => path.replace(/:\w+/g, 'x')

testAll(routes.map(({ method, path }) => [method, path]))(
  'every route without a key is 401 before any other check',
  async (method, path) => {
    const bodies = method === 'GET' ? [undefined] : ['{', '{"userId":1}', 'x'.repeat(500_000)]
    for (const body of bodies) {
      const response = await api.handle(
        new Request(`http://localhost${filled(path!)}`, {
          method: method!,
          ...(body && { body, headers: { 'content-type': 'text/plain' } }),
        }),
      )
      expect([response.status, await response.json()]).toEqual([401, missing])
      expect(response.headers.get('x-error-code')).toBe('MISSING_API_KEY')
      expect(response.headers.get('x-request-id')).toMatch(/^req_[0-9A-Za-z]{22}$/)
    }
  },
)

testAll([['a'], [''], ['xxxxxxxx/api/health?'], ['aaaaaaaa/api/health#'], ['a/docs']])(
  'H1: no Host header opens a route',
  async (host) => {
    for (const { path } of routes.filter(({ method }) => method === 'GET')) {
      const answer = await raw(`GET ${filled(path)} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)
      expect([path, answer.slice(9, 12)]).toEqual([path, host === 'a' ? '401' : '400'])
    }
  },
)

test('every route refuses a request that a proxy could read differently, with the common body', async () => {
  await ask('/api/deposit-intents', { key: client, body: { userId: 'a\\b', ...target } })
  const json = 'content-type: application/json\r\n'
  const cases: [target: string, headers: string, code: string | null][] = [
    ['GET /api/chains', '', null],
    ['GET /api/chains/', '', null],
    ['GET /api/chains?at=../..%5c', '', 'UNKNOWN_PARAMETER'],
    ['GET /api/users/a%5Cb/deposit-intent', '', null],
    ['GET /api/chains', 'Host: x\r\n', 'AMBIGUOUS_REQUEST'],
    ['GET /api/chains', 'Host: localhost\r\n', 'AMBIGUOUS_REQUEST'],
    ...['/../chains', '/x/../chains', '/%2e%2e/api/chains', '/users/.%2E/chains', '/./chains', '/chains/.'].flatMap(
      (path): typeof cases => [[`GET /api${path}`, '', 'AMBIGUOUS_REQUEST']],
    ),
    ['GET /api\\chains', '', 'AMBIGUOUS_REQUEST'],
    ['GET /api/users/..\\chains', '', 'AMBIGUOUS_REQUEST'],
    ['GET /api/users/x\\..\\a%5Cb/deposit-intent', '', 'AMBIGUOUS_REQUEST'],
    ['GET /api/users/../deposit-intent', '', 'AMBIGUOUS_REQUEST'],
    ['GET /api/users/x#/deposit-intent', '', 'AMBIGUOUS_REQUEST'],
    [`GET /${'x/'.repeat(40)}${'../'.repeat(40)}api/chains`, '', 'ROUTE_NOT_FOUND'],
    ['GET /api/x//../../chains', '', 'ROUTE_NOT_FOUND'],
    ['GET //api/chains', '', 'ROUTE_NOT_FOUND'],
    ['GET /api//../chains', '', 'ROUTE_NOT_FOUND'],
    ['GET /api/users//../chains', '', 'ROUTE_NOT_FOUND'],
    ['PROPFIND /api/chains', '', 'METHOD_NOT_ALLOWED'],
    ['POST /api/deposit-intents', `${json}content-encoding: gzip\r\n`, 'UNSUPPORTED_MEDIA_TYPE'],
    ['POST /webhooks/alchemy', `${json}content-encoding: gzip\r\n`, 'UNSUPPORTED_MEDIA_TYPE'],
    ['POST /api/deposit-intents', `${json}content-encoding: identity\r\n`, 'VALIDATION_FAILED'],
    ['POST /api/deposit-intents', 'content-type: application/json; charset=latin1\r\n', 'UNSUPPORTED_MEDIA_TYPE'],
  ]
  const wrong: unknown[] = []
  for (const [asked, headers, code] of cases) {
    const body = asked.startsWith('POST') ? 'Content-Length: 2\r\n\r\n{}' : '\r\n'
    const answer = await raw(
      `${asked} HTTP/1.1\r\nHost: x\r\nx-api-key: ${client}\r\nConnection: close\r\n${headers}${body}`,
    )
    const [head = '', text = ''] = answer.split('\r\n\r\n')
    const got = /^x-error-code: (\w+)/im.exec(head)?.[1] ?? null
    const isCommon = code === null || (text && Object.keys(JSON.parse(text)).join() === 'statusCode,message,error')
    if (got !== code || !isCommon || (code === null && !head.startsWith('HTTP/1.1 200')))
      wrong.push([asked, headers, head])
  }
  expect(wrong).toEqual([])
})

test('H1: an absolute target opens no route', async () => {
  const answer = await raw(
    'GET http://aaaaaaaa/api/users/user-1/account HTTP/1.1\r\nHost: aaaaaaaa\r\nConnection: close\r\n\r\n',
  )
  expect(answer.slice(9, 12)).toBe('401')
})

test('H2: a slow permission check is awaited', async () => {
  const late = () => new Promise<never>((_, reject) => setTimeout(() => reject(new Refusal('INVALID_API_KEY')), 20))
  const guarded = new Elysia()
    .use(failures(() => {}))
    .use(authenticate(late, clientOnly))
    .get('/secret', () => 'SECRET')
    .post('/secret', () => 'SECRET')
  for (const init of [{}, { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } }]) {
    const response = await guarded.handle(new Request('http://localhost/secret', init))
    expect([response.status, await response.text()]).not.toContain('SECRET')
    expect(response.status).toBe(401)
  }
})

test('H3: unknown fields are neither stored nor returned', async () => {
  const body = {
    userId: 'h3',
    ...target,
    depositAddress: target.targetAddress,
    createdAt: 'never',
    marker: 'h3-marker',
  }
  const { status, text } = await ask('/api/deposit-intents', { key: client, body })
  expect([status, text.includes('h3-marker'), text.includes('never')]).toEqual([201, false, false])
})

test('H4: an unexpected error leaks nothing and has our body', async () => {
  const leaky = new Error('mongodb://user:password@host/db')
  const noted: unknown[] = []
  const broken = await peopledWorld({
    noteBug: (error) => noted.push(error),
    intents: {
      load: async () => {
        throw leaky
      },
      save: async () => {
        throw leaky
      },
    },
  })
  await broken.ask('/api/accounts', { key: broken.client, body: { ownerAddress: 'u', chainKey: 'base' } })
  const { status, text } = await broken.ask('/api/users/u/deposit-intent', { key: broken.client })
  expect([status, JSON.parse(text)]).toEqual([
    500,
    { statusCode: 500, message: 'Internal server error', error: 'Internal Server Error' },
  ])
  expect(noted).toEqual([leaky])
})

test('H4: an unavailable database is 503 with a retry time', async () => {
  const away = new StoreUnreachable(new Error('connect ECONNREFUSED 10.0.0.1:27017'))
  const broken = await peopledWorld()
  broken.ports.accounts.findByUser = async () => {
    throw away
  }
  const { status, json, headers } = await broken.ask('/api/users/u/account', { key: broken.client })
  expect([status, json.message, headers.get('retry-after'), headers.get('x-error-code')]).toEqual([
    503,
    'Temporarily unavailable',
    '1',
    'STORE_UNAVAILABLE',
  ])
})

test('H5: a second process on the port does not start', async () => {
  const second = (await peopledWorld()).api
  expect(() => second.listen({ port: port!, hostname: '127.0.0.1' })).toThrow()
})

test('H6: no installed instrumentation creates request spans, which would contain the keys', async () => {
  const { dependencies } = (await Bun.file('package.json').json()) as { dependencies: Record<string, string> }
  expect(
    Object.keys(dependencies).filter((name) =>
      /opentelemetry\/(auto-)?instrumentation|elysia.*opentelemetry/.test(name),
    ),
  ).toEqual([])
})

test('H7: the server waits longer for a handler than any provider’s timeout', () => {
  expect((api.config.serve as { idleTimeout: number }).idleTimeout).toBeGreaterThanOrEqual(30)
})

test('64 KB of nesting are refused', async () => {
  for (const text of [
    '['.repeat(32_000) + ']'.repeat(32_000),
    '{"a":'.repeat(9_000),
    `{"userId":${'['.repeat(30_000)}`,
  ]) {
    const { status, json } = await ask('/api/deposit-intents', { key: client, raw: text })
    expect([status, json.message]).toEqual([400, 'Malformed JSON body'])
  }
})

testAll([
  ['text', 'text/plain'],
  ['a form', 'application/x-www-form-urlencoded'],
  ['parts', 'multipart/form-data; boundary=x'],
  ['nearly JSON', 'application/jsonp'],
  ['a body that Elysia accepts as JSON', 'application/joke'],
  ['nothing', ''],
])('a body that is not JSON is 415', async (_case, contentType) => {
  const { status, json } = await ask('/api/deposit-intents', {
    key: client,
    raw: '{}',
    headers: { 'content-type': contentType },
  })
  expect([status, json.error]).toEqual([415, 'Unsupported Media Type'])
})

test('a body that is too long is 413, declared or not', async () => {
  const declared = await ask('/api/deposit-intents', {
    key: client,
    raw: JSON.stringify({ userId: 'x'.repeat(70_000) }),
  })
  const stream = new ReadableStream({
    start(controller) {
      for (let n = 0; n < 100; n++) controller.enqueue(new TextEncoder().encode('x'.repeat(1_000)))
      controller.close()
    },
  })
  const headers = { 'x-api-key': client, 'content-type': 'application/json' }
  const chunked = await fetch(`http://127.0.0.1:${port}/api/deposit-intents`, { method: 'POST', headers, body: stream })
  expect([declared.status, chunked.status]).toEqual([413, 413])
  expect(await chunked.json()).toEqual(declared.json)
})

testAll(['{', '', 'nul', '{"userId":}', "{'userId':'a'}", '\u0000', '{"a":1}{'])(
  'a malformed body is reported as malformed',
  async (text) => {
    const { status, json } = await ask('/api/deposit-intents', { key: client, raw: text })
    expect([status, json.message]).toEqual([400, 'Malformed JSON body'])
  },
)

testAll(['null', '[]', '1', '"text"', 'true', '{"__proto__":{"userId":"a"}}', '{"constructor":{"prototype":{}}}'])(
  'valid JSON that is not a request is 400',
  async (text) => {
    expect((await ask('/api/deposit-intents', { key: client, raw: text })).status).toBe(400)
    expect(({} as { userId?: string }).userId).toBe(undefined)
  },
)

testAll([
  ['GET', '/api/deposit-intents', 'POST'],
  ['DELETE', '/api/accounts', 'POST'],
  ['PUT', '/api/health', 'GET'],
  ['POST', '/api/users/u/account', 'GET'],
  ['OPTIONS', '/api/health', 'GET'],
])('a method that a path does not support is refused with the supported ones', async (method, path, taken) => {
  const response = await api.handle(new Request(`http://localhost${path}`, { method }))
  expect([response.status, await response.json()]).toEqual([
    405,
    { statusCode: 405, message: 'This path does not accept this method', error: 'Method Not Allowed' },
  ])
  expect([response.headers.get('x-error-code'), response.headers.get('allow')]).toEqual(['METHOD_NOT_ALLOWED', taken])
})

testAll([
  ['GET', '/nope'],
  ['GET', '/api'],
])('an unknown route is reported as not found', async (method, path) => {
  const response = await api.handle(new Request(`http://localhost${path}`, { method }))
  expect([response.status, await response.json()]).toEqual([
    404,
    { statusCode: 404, message: 'Route not found', error: 'Not Found' },
  ])
  expect(response.headers.get('x-error-code')).toBe('ROUTE_NOT_FOUND')
})

test('no response repeats the request’s values', async () => {
  const marker = 'zq9-marker'
  const bodies = [
    { userId: [marker] },
    { userId: marker, targetChainId: marker },
    { userId: marker, ...target, targetAddress: marker },
    [marker],
    marker,
  ]
  for (const body of bodies)
    expect((await ask('/api/deposit-intents', { key: client, body })).text).not.toContain(marker)
  for (const query of [`limit=${marker}`, `status=${marker}`, `cursor=${marker}`, `createdFrom=${marker}`])
    expect((await ask(`/api/executions?${query}`, { key: client })).text).not.toContain(marker)
  expect((await ask(`/${marker}`)).text).not.toContain(marker)
})

test('a request keeps its own id if that has the right form', async () => {
  expect((await ask('/api/health', { headers: { 'x-request-id': 'my-request_01' } })).headers.get('x-request-id')).toBe(
    'my-request_01',
  )
  for (const odd of ['short', 'x'.repeat(65), 'with space', 'semi;colon'])
    expect((await ask('/api/health', { headers: { 'x-request-id': odd } })).headers.get('x-request-id')).toMatch(
      /^req_/,
    )
})

test('no header lets a browser on another origin read a response', async () => {
  const { headers } = await ask('/api/health', { headers: { origin: 'https://evil.example' } })
  expect([...headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([])
})

test('health returns only ok and the time', async () => {
  expect((await ask('/api/health')).json).toEqual({ status: 'ok', timestamp: '2026-11-21T10:00:00.000Z' })
})
