import { afterAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { listenSecret } from '../../src/cli/verbs/listen'
import { signedHeaders } from '../../src/domain/webhook/signature'

const main = join(import.meta.dir, '..', '..', 'src', 'cli', 'main.ts')
const key = 'sy_live_key'

const eventOf = (n: number) => {
  const id = `evt_${n}`
  const body = `{"id":"${id}","type":"execution.running","timestamp":"2026-11-21T10:00:0${n}.000Z","seq":${n},"data":{"id":"d","userId":"u"}}`
  return { id, body, frame: `id: ${id}\nevent: execution.running\ndata: ${body}\n\n` }
}
const events = [1, 2, 3, 4].map(eventOf)

/** A service whose stream breaks after two events, and repeats one of them to a resuming client. */
function breakingService() {
  const asked: { search: string; key: string | null; lastId: string | null }[] = []
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request) {
      const lastId = request.headers.get('last-event-id')
      asked.push({ search: new URL(request.url).search, key: request.headers.get('x-api-key'), lastId })
      const frames = asked.length === 1 ? ['retry: 3000\n\n', ':\n\n', ...frame(0, 2)] : frame(1, 4)
      const body = new ReadableStream({
        start(reader) {
          for (const text of frames) reader.enqueue(new TextEncoder().encode(text))
          if (asked.length === 1) reader.close()
        },
      })
      return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
    },
  })
  const frame = (from: number, to: number) => events.slice(from, to).map((one) => one.frame)
  return { asked, url: server.url.href, stop: () => server.stop(true) }
}

type Got = { headers: Record<string, string>; body: string }
const got: Got[] = []
const all = Promise.withResolvers<void>()
const own = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  async fetch(request) {
    got.push({ headers: Object.fromEntries(request.headers), body: await request.text() })
    if (got.length === events.length) all.resolve()
    return new Response(null, { status: got.length === 2 ? 500 : 204 })
  },
})
const service = breakingService()
afterAll(() => Promise.all([own.stop(true), service.stop()]))

const started = new AbortController()
afterAll(() => started.abort())

const start = (url: string, ...args: string[]) =>
  Bun.spawn([process.execPath, main, 'listen', ...args], {
    env: { ...process.env, SWITCHYARD_API_URL: url, SWITCHYARD_API_KEY: key },
    stdout: 'pipe',
    stderr: 'pipe',
    signal: started.signal,
  })

test('events are forwarded once each, byte for byte and signed as the sender signs, also across a break', async () => {
  const run = start(service.url, '--forward', `${own.url.host}/hooks`, '--types', 'execution.*')
  await all.promise
  run.kill('SIGINT')
  const [out, code] = [await new Response(run.stdout).text(), await run.exited]
  expect(code).toBe(0)
  expect(got.map(({ body }) => body)).toEqual(events.map(({ body }) => body))
  const secret = listenSecret(key)
  for (const { headers, body } of got) {
    const at = Number(headers['webhook-timestamp']) * 1_000
    expect(headers).toMatchObject(signedHeaders({ id: JSON.parse(body).id, body }, [secret], at))
  }
  expect(service.asked[0]).toEqual({ search: '?types=execution.*', key, lastId: null })
  expect(service.asked[1]!.lastId).toBe('evt_2')
  expect(out).toContain(secret)
  expect(out).toMatch(/10:00:01 execution\.running evt_1 u d → 204, \d+ ms\n/)
  expect(out).toMatch(/evt_2 u d → 500, not accepted, \d+ ms\n/)
})

test('a refused key ends the command with the reason', async () => {
  const refusing = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: () =>
      Response.json(
        { message: 'The API key is not valid' },
        { status: 401, headers: { 'x-error-code': 'UNAUTHORIZED' } },
      ),
  })
  const run = start(refusing.url.href)
  expect([await run.exited, await new Response(run.stderr).text()]).toEqual([
    1,
    'The API key is not valid (401 UNAUTHORIZED)\n',
  ])
  await refusing.stop(true)
})

test('an impossible event id ends the command with the reason', async () => {
  const lost = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: () =>
      new Response('id: evt_1\nevent: reset\ndata: {"reason":"UNKNOWN_ID"}\n\n', {
        headers: { 'content-type': 'text/event-stream' },
      }),
  })
  const run = start(lost.url.href, '--after', 'yesterday')
  expect([await run.exited, await new Response(run.stderr).text()]).toEqual([
    1,
    'yesterday is not the id of an event, such as evt_….\n',
  ])
  await lost.stop(true)
})

test('an invalid address is refused, and an unresponsive one is reported with the reason', async () => {
  const run = start('nonsense')
  expect([await run.exited, await new Response(run.stderr).text()]).toEqual([
    1,
    'SWITCHYARD_API_URL must be the address of a service, such as https://switchyard.example.\n',
  ])
  const closed = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() })
  const url = closed.url.href.replace(/\/$/, '')
  await closed.stop(true)
  const waiting = start(url)
  const { value } = await waiting.stdout.getReader().read()
  expect(new TextDecoder().decode(value)).toBe(`${url} cannot be reached: ECONNREFUSED. Trying again.\n`)
  waiting.kill('SIGINT')
  expect(await waiting.exited).toBe(0)
})

test('a listener’s secret depends on the key, and contains no part of it', () => {
  expect(listenSecret(key)).toBe(listenSecret(key))
  expect(listenSecret(key)).not.toBe(listenSecret('sy_live_other'))
  expect(listenSecret(key)).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
})
