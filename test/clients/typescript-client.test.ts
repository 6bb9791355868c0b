import { afterAll, expect, test } from 'bun:test'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import fc from 'fast-check'
import {
  ApiError,
  ConnectionError,
  EventsLostError,
  formatUnits,
  parseAmount,
  parseUnits,
  type RetryOptions,
  Switchyard,
} from '../../clients/typescript/src/index'
import { defaultRetry, waitAfter } from '../../clients/typescript/src/retry'
import { messagesOf } from '../../clients/typescript/src/server-sent'
import { apiWorld } from '../http/world'

type Answering = (request: IncomingMessage, response: ServerResponse, n: number) => void
const servers: { close(): unknown; closeAllConnections(): void }[] = []
afterAll(() => {
  for (const server of servers) {
    server.closeAllConnections()
    server.close()
  }
})

const quickly: RetryOptions = { attempts: 4, firstMs: 1, mostMs: 2 }

/** A scripted service and a client of it. */
async function served(answer: Answering, retry: RetryOptions = quickly) {
  const seen: { method: string; url: string; key: unknown; headers: IncomingMessage['headers'] }[] = []
  const server = createServer((request, response) => {
    const { method = '', url = '', headers } = request
    seen.push({ method, url, key: headers['idempotency-key'], headers })
    request.resume().on('end', () => answer(request, response, seen.length))
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { client: new Switchyard({ baseUrl, apiKey: 'sk_test', retry }), seen, baseUrl }
}
const respond = (response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}) =>
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
const thrown = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => null,
    (error: unknown) => error,
  )
const intent = {
  userId: 'yara',
  targetChainId: 42161,
  targetTokenAddress: '0xaf88d065e77c8cC2239327C5EDb3A432268e5831',
  targetAddress: '0x1dE3D712f5D3103AD50e22dc1f4d3Ff1559D5115',
} as const

test('a mutation keeps its Idempotency-Key through cut connections and temporary refusals', async () => {
  const { client, seen } = await served((request, response, n) => {
    if (n === 1) request.socket.destroy()
    else if (n === 2) respond(response, 503, {}, { 'x-error-code': 'STORE_UNAVAILABLE', 'retry-after': '0' })
    else if (n === 3) respond(response, 409, {}, { 'x-error-code': 'IDEMPOTENCY_KEY_IN_FLIGHT' })
    else respond(response, 201, { depositAddress: '0x1' })
  })
  expect(await client.putDepositIntent(intent)).toMatchObject({ depositAddress: '0x1' })
  expect(seen).toHaveLength(4)
  expect(new Set(seen.map(({ key }) => key)).size).toBe(1)
  expect(seen[0]!.key).toMatch(/^[!-~]{1,255}$/)
  await client.putDepositIntent(intent, { idempotencyKey: 'mine' })
  await client.putDepositIntent(intent)
  expect(seen.slice(4).map(({ key }) => key)).toEqual(['mine', expect.not.stringMatching(`mine|${seen[0]!.key}`)])
})

test('a read has no key, and a permanent refusal is sent once', async () => {
  const { client, seen } = await served((_, response) =>
    respond(
      response,
      404,
      { statusCode: 404, message: 'No execution with this id', error: 'Not Found' },
      { 'x-error-code': 'EXECUTION_NOT_FOUND', 'x-request-id': 'req_1' },
    ),
  )
  const error = await thrown(client.getExecution('a/../b'))
  expect(error).toBeInstanceOf(ApiError)
  expect(error).toMatchObject({
    statusCode: 404,
    code: 'EXECUTION_NOT_FOUND',
    message: 'No execution with this id',
    requestId: 'req_1',
    isTransient: false,
  })
  expect(seen).toMatchObject([{ method: 'GET', url: '/api/executions/a%2F..%2Fb', key: undefined }])
  await expect(client.getExecution('..')).rejects.toThrow('id must not be ..')
})

test('a proxy’s response has its own code, and the final error names it', async () => {
  const { client, seen } = await served((_, response) => response.writeHead(502).end('<html>'))
  expect(await thrown(client.listChains())).toMatchObject({ statusCode: 502, code: 'HTTP_502', isTransient: true })
  expect(seen).toHaveLength(4)
  const { client: cut } = await served((request) => request.socket.destroy(), { ...quickly, attempts: 2 })
  const error = await thrown(cut.putDepositIntent(intent, { idempotencyKey: 'again' }))
  expect(error).toBeInstanceOf(ConnectionError)
  expect(error).toMatchObject({ idempotencyKey: 'again', isTransient: true })
})

test('a request follows no redirect, which could carry the key elsewhere', async () => {
  const { seen: elsewhere, baseUrl } = await served((_, response) => respond(response, 200, []))
  const { client } = await served((_, response) => response.writeHead(307, { location: baseUrl }).end())
  expect(await thrown(client.listChains())).toBeInstanceOf(ConnectionError)
  expect(elsewhere).toEqual([])
})

test('an aborted call throws the reason of its own signal', async () => {
  const leaving = new AbortController()
  const { client, seen } = await served(() => leaving.abort(new Error('enough')))
  expect(await thrown(client.listChains({ signal: leaving.signal }))).toMatchObject({ message: 'enough' })
  expect(seen).toHaveLength(1)
})

const refusal = (status: number, headers: Record<string, string>) =>
  new ApiError(new Response(null, { status, headers }), null)

test('a wait doubles, is random and capped, and is never shorter than retry-after', () => {
  const cut = new ConnectionError('cut')
  expect([1, 2, 3, 4].map((attempt) => waitAfter(defaultRetry, attempt, cut, 0))).toEqual([125, 250, 500, 1_000])
  const limited = refusal(429, { 'retry-after': '7', 'x-error-code': 'RATE_LIMITED' })
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 60 }), fc.double({ min: 0, max: 1, noNaN: true }), (attempt, random) => {
      const rules = { ...defaultRetry, attempts: 100 }
      expect(waitAfter(rules, attempt, cut, random)).toBeLessThanOrEqual(rules.mostMs)
      expect(waitAfter(rules, attempt, limited, random)).toBeGreaterThanOrEqual(7_000)
    }),
  )
  expect(waitAfter(defaultRetry, 5, cut, 0)).toBeNull()
  expect(waitAfter(defaultRetry, 1, refusal(503, { 'retry-after': '61' }), 0)).toBeNull()
  expect(waitAfter(defaultRetry, 1, refusal(429, { 'x-error-code': 'QUOTA_EXCEEDED' }), 0)).toBeNull()
  for (const status of [400, 401, 403, 404, 409, 410, 422, 500])
    expect([status, waitAfter(defaultRetry, 1, refusal(status, {}), 0)]).toEqual([status, null])
})

test('a list fetches its pages only when needed, and keeps its filters', async () => {
  const { client, seen } = await served((_, response, n) => {
    const link = { link: '<https://elsewhere.test/api/executions?limit=2&cursor=c%2B1>; rel="next"' }
    respond(response, 200, n === 1 ? [{ id: 'a' }, { id: 'b' }] : [{ id: 'c' }], n === 1 ? link : {})
  })
  const list = client.listExecutions({ status: 'SUCCESS', limit: 2 })
  expect(seen).toEqual([])
  expect((await list.all()).map(({ id }) => id)).toEqual(['a', 'b', 'c'])
  expect(seen.map(({ url }) => url)).toEqual([
    '/api/executions?status=SUCCESS&limit=2',
    '/api/executions?status=SUCCESS&limit=2&cursor=c%2B1',
  ])
  for await (const { id } of client.listExecutions()) if (id === 'c') break
  expect(seen).toHaveLength(3)
})

test('the list of events ends when a page is empty and nothing was skipped', async () => {
  const { client, seen } = await served((_, response, n) => {
    const next = [null, 'e2', 'e7', 'e9', 'e9'][n]
    respond(response, 200, n === 1 ? [{ id: 'e1' }, { id: 'e2' }] : n === 3 ? [{ id: 'e9' }] : [], {
      link: `</api/events?after=${next}>; rel="next"`,
    })
  })
  expect((await client.listEvents({ userId: 'yara' }).all()).map(({ id }) => id)).toEqual(['e1', 'e2', 'e9'])
  expect(seen.map(({ url }) => new URL(url, 'http://x').searchParams.get('after'))).toEqual([null, 'e2', 'e7', 'e9'])
})

test('the list of events ends at a page that is not full, however many events arrive', async () => {
  const { client, seen } = await served((_, response, n) => {
    const ids = n === 1 ? ['e1', 'e2'] : [`e${n + 1}`]
    // The second page is not full because the read stopped early, which the position of its next link shows.
    const next = n === 2 ? 'e3z' : ids.at(-1)
    if (n > 10) return respond(response, 404, {})
    respond(
      response,
      200,
      ids.map((id) => ({ id })),
      { link: `</api/events?limit=2&after=${next}>; rel="next"` },
    )
  })
  const found = await client.listEvents({ limit: 2 }).all()
  expect(found.map(({ id }) => id)).toEqual(['e1', 'e2', 'e3', 'e4'])
  expect(seen).toHaveLength(3)
})

test('a request that cannot be serialized is the caller’s mistake, and is never sent', async () => {
  const { client, seen, baseUrl } = await served((_, response) => respond(response, 200, {}))
  const body = { ...intent, amount: 1n }
  const errors = [
    await thrown(client.putDepositIntent(body)),
    await thrown(client.putDepositIntent(intent, { idempotencyKey: 'a\nb' })),
    await thrown(client.streamEvents({ after: 'a\nb' }).next()),
  ]
  for (const error of errors) expect([error, error instanceof ConnectionError]).toEqual([expect.any(TypeError), false])
  expect(seen).toEqual([])
  expect(() => new Switchyard({ baseUrl, apiKey: process.env['NO_SUCH_KEY'] as string })).toThrow('apiKey is missing')
  expect(() => new Switchyard({ baseUrl: process.env['NO_SUCH_URL'] as string, apiKey: 'sy_live_key' })).toThrow(
    'baseUrl is missing',
  )
  expect(() => new Switchyard({ baseUrl: 'localhost', apiKey: 'sy_live_key' })).toThrow('baseUrl is not a URL')
})

test('an undefined retry option has the default', async () => {
  const { client, seen } = await served((_, response) => response.writeHead(502).end(), {
    ...quickly,
    retryAfterSecondsMax: undefined,
    attempts: undefined,
  } as unknown as RetryOptions)
  await thrown(client.listChains())
  expect(seen).toHaveLength(defaultRetry.attempts)
})

const frame = (id: string, more = '') =>
  `id: ${id}\nevent: execution.success\ndata: ${JSON.stringify({ id, type: 'execution.success', data: { id: 'x' } })}\n${more}\n`

test('a cut stream resumes after its last event, and returns none twice', async () => {
  let cut = () => {}
  const { client, seen } = await served((request, response, n) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    if (n === 1) response.write(`retry: 1\nid: e0\n\n:\n\n${frame('e1')}${frame('e2')}id: e3\nevent: execu`)
    if (n === 1) cut = () => request.socket.destroy()
    if (n === 2) response.end(`retry: 1\n\n${frame('e1')}${frame('e2')}${frame('e3')}event: ping\ndata: {}\n\n`)
    if (n === 3) response.write(`event: reset\ndata: {"reason":"OVERFLOW"}\n\n${frame('e4')}`)
  })
  const told: string[] = []
  for await (const { id } of client.streamEvents({ types: 'execution.*' })) {
    told.push(id)
    if (id === 'e2') cut()
    if (id === 'e4') break
  }
  expect(told).toEqual(['e1', 'e2', 'e3', 'e4'])
  expect(seen.map(({ headers }) => headers['last-event-id'])).toEqual([undefined, 'e2', 'e3'])
  expect(new Set(seen.map(({ url }) => url))).toEqual(new Set(['/api/events/stream?types=execution.*']))
})

test('a stream that lost events says so unless its reader fetches them, and a revoked key ends it', async () => {
  const reset = 'event: reset\ndata: {"reason":"TOO_OLD"}\n\n'
  const { client, seen } = await served((_, response) =>
    response.writeHead(200).end(`retry: 1\n\n${reset}${frame('e1')}`),
  )
  expect(await thrown(client.streamEvents().next())).toBeInstanceOf(EventsLostError)
  const reasons: string[] = []
  const stream = client.streamEvents({ after: 'e0' }, { onReset: (reason) => void reasons.push(reason) })
  expect([(await stream.next()).value, reasons]).toEqual([expect.objectContaining({ id: 'e1' }), ['TOO_OLD']])
  await stream.return()
  const onReset = () => Promise.reject(new Error('mine'))
  expect(await thrown(client.streamEvents({}, { onReset }).next())).toMatchObject({ message: 'mine' })
  expect(seen).toHaveLength(3)
  const { client: revoked } = await served((_, response) =>
    respond(response, 401, { message: 'Invalid API key' }, { 'x-error-code': 'INVALID_API_KEY' }),
  )
  expect(await thrown(revoked.streamEvents().next())).toMatchObject({ code: 'INVALID_API_KEY' })
})

test('messages are read equally for any split of the stream and any line ending', async () => {
  const text = 'retry: 5\nid: a\n\n: pulse\n\nid: b\nevent: x\ndata: für\ndata:  two\n\nevent: ping\ndata: {}\n\n'
  const read = async (bytes: Uint8Array, cuts: number[]) => {
    const parts = [0, ...cuts.map((cut) => cut % bytes.length).toSorted((a, b) => a - b), bytes.length]
    const stream = new ReadableStream<Uint8Array>({
      start(to) {
        for (const [n, end] of parts.slice(1).entries()) to.enqueue(bytes.slice(parts[n], end))
        to.close()
      },
    })
    return Array.fromAsync(messagesOf(stream, { quietMs: 60_000, onQuiet: () => {} }))
  }
  const whole = await read(new TextEncoder().encode(text), [])
  expect(whole).toEqual([
    { event: 'message', data: '', id: 'a', retryMs: 5 },
    { event: 'x', data: 'für\n two', id: 'b', retryMs: null },
    { event: 'ping', data: '{}', id: null, retryMs: null },
  ])
  const ends = fc.constantFrom('\n', '\r\n', '\r')
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(200), { maxLength: 6 }), ends, async (cuts, end) => {
      expect(await read(new TextEncoder().encode(text.replaceAll('\n', end)), cuts)).toEqual(whole)
    }),
    { numRuns: 200 },
  )
})

test('amounts pass through strings without loss, rounding or guessing', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 10n ** 78n - 1n }), fc.integer({ min: 0, max: 36 }), (raw, decimals) => {
      expect(parseAmount(String(raw))).toBe(raw)
      expect(parseUnits(formatUnits(raw, decimals), decimals)).toBe(raw)
      expect(formatUnits(String(raw), decimals)).toBe(formatUnits(raw, decimals))
    }),
  )
  expect([formatUnits('25500000', 6), formatUnits(1n, 18), formatUnits('-16000', 6)]).toEqual([
    '25.5',
    '0.000000000000000001',
    '-0.016',
  ])
  for (const bad of ['', '1.0', '1e3', '0x1', '01', ' 1', '-0', '+1', '1'.repeat(79)])
    expect(() => parseAmount(bad)).toThrow(RangeError)
  for (const bad of ['', '.5', '1.', '-1', '1,5', '1e3', '0.0000001'])
    expect(() => parseUnits(bad, 6)).toThrow(RangeError)
})

test('every operation that is not for operators has a method of its name', async () => {
  const answer = await apiWorld().api.handle(new Request('http://localhost/docs/json'))
  type Operation = { operationId: string; tags: string[] }
  const { paths } = (await answer.json()) as { paths: Record<string, Record<string, Operation>> }
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods))
  const names = operations.flatMap(({ operationId, tags }) => (tags.includes('Operators') ? [] : [operationId]))
  expect(names.length).toBeGreaterThan(30)
  expect(names.filter((name) => !(name in Switchyard.prototype))).toEqual([])
})
