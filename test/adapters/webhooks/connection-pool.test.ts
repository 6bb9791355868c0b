import { afterAll, expect, test } from 'bun:test'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { connectionPool } from '../../../src/adapters/webhooks/connection-pool'
import { webhookPoster } from '../../../src/adapters/webhooks/post-webhook'

const sent = { headers: { 'content-type': 'application/json', 'webhook-id': 'evt_1' }, body: '{}' }
const ok = (_request: IncomingMessage, response: ServerResponse) => void response.end('ok')
const servers: { close: () => void }[] = []
afterAll(() => {
  for (const { close } of servers) close()
})

/** A server that counts its connections and records which of them carried each request. */
async function listening(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const sockets: Socket[] = []
  const usedBy: number[] = []
  const server = createServer((request, response) => {
    usedBy.push(sockets.indexOf(request.socket))
    request.resume()
    request.on('end', () => answer(request, response))
  })
  server.on('connection', (socket: Socket) => {
    sockets.push(socket)
    socket.on('error', () => {})
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const close = () => {
    server.close()
    server.closeAllConnections()
  }
  servers.push({ close })
  const { port } = server.address() as AddressInfo
  return { port, url: `http://127.0.0.1:${port}/hooks`, sockets, usedBy }
}

/** A server with the certificate of `hooks.example`, which records which connections carried requests. */
async function secured() {
  const [cert, key] = await Promise.all(
    ['certificate', 'key'].map((name) => Bun.file(`test/fixtures/tls/${name}.pem`).text()),
  )
  const from = new Set<number>()
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    tls: { cert: cert!, key: key! },
    fetch(request) {
      from.add(server.requestIP(request)!.port)
      return new Response('ok')
    },
  })
  servers.push({ close: () => void server.stop(true) })
  return { port: server.port, ca: cert!, from }
}

test('posts to a URL reuse its connections, and its name is resolved once', async () => {
  const { port, ca, from } = await secured()
  const asked: string[] = []
  const resolve = async (name: string) => {
    asked.push(name)
    return ['127.0.0.1']
  }
  const post = webhookPoster({ now: Date.now, toLoopback: true, resolve, ca })
  const url = `https://hooks.example:${port}/`
  for (let n = 0; n < 5; n++) expect((await post(url, sent)).statusCode).toBe(200)
  expect([from.size, asked]).toEqual([1, ['hooks.example']])
  await Promise.all(Array.from({ length: 8 }, () => post(url, sent)))
  await Promise.all(Array.from({ length: 8 }, () => post(url, sent)))
  expect([from.size, asked]).toEqual([8, ['hooks.example']])
  // The certificate has one name, and existing connections are not reused for another.
  expect((await post(`https://other.example:${port}/`, sent)).error).toBe('CERTIFICATE_REFUSED')
})

test('a post uses another address if one does not respond, and later posts stay there', async () => {
  const { port, ca } = await secured()
  const resolve = async () => ['::1', '127.0.0.3', '127.0.0.2', '127.0.0.1']
  const post = webhookPoster({ now: Date.now, toLoopback: true, resolve, ca, keeping: { judgedMs: 0, idleMs: 4_000 } })
  const codes: (number | null)[] = []
  for (let n = 0; n < 5; n++) codes.push((await post(`https://hooks.example:${port}/`, sent)).statusCode)
  expect(codes).toEqual([null, null, 200, 200, 200])
})

test('two URLs share no connection', async () => {
  const { url, usedBy } = await listening(ok)
  const post = webhookPoster({ now: Date.now, toLoopback: true })
  for (const path of ['', '/other', '', '/other']) await post(`${url}${path}`, sent)
  expect(usedBy).toEqual([0, 1, 0, 1])
})

test('a connection closed by the other side while idle costs no attempt', async () => {
  const { url, usedBy, sockets } = await listening(ok)
  const post = webhookPoster({ now: Date.now, toLoopback: true })
  for (let n = 0; n < 3; n++) {
    expect(await post(url, sent)).toMatchObject({ statusCode: 200, error: null })
    // The other side closes it, and the next post may begin before we notice.
    sockets.at(-1)!.destroy()
  }
  expect(usedBy).toEqual([0, 1, 2])
})

test('an attempt fails if every connection is closed without a response', async () => {
  let isUp = true
  const { url, usedBy } = await listening((request, response) =>
    isUp ? ok(request, response) : request.socket.destroy(),
  )
  const post = webhookPoster({ now: Date.now, toLoopback: true })
  expect((await post(url, sent)).statusCode).toBe(200)
  isUp = false
  expect(await post(url, sent)).toMatchObject({ statusCode: null, error: 'CONNECTION_FAILED' })
  expect(usedBy).toEqual([0, 0, 1])
})

test('an unused connection is closed', async () => {
  const { url, sockets } = await listening(ok)
  const post = webhookPoster({ now: Date.now, toLoopback: true, keeping: { judgedMs: 10_000, idleMs: 50 } })
  expect((await post(url, sent)).statusCode).toBe(200)
  if (!sockets[0]!.destroyed) await once(sockets[0]!, 'close')
})

test('an endless response frees its connection, and its status counts', async () => {
  const { url, sockets, usedBy } = await listening((_request, response) => {
    response.write('a')
    const more = setInterval(() => response.write('a'), 10)
    response.on('close', () => clearInterval(more))
  })
  const post = webhookPoster({ now: Date.now, toLoopback: true })
  for (let n = 0; n < 2; n++) {
    const outcome = await post(url, sent)
    expect(outcome).toMatchObject({ statusCode: 200, error: null })
    if (!sockets[n]!.destroyed) await once(sockets[n]!, 'close')
  }
  expect(usedBy).toEqual([0, 1])
})

test('a URL dropped while its address is checked again still has an address', async () => {
  const guard = { toLoopback: true, resolve: async () => ['127.0.0.1'] }
  const kept = connectionPool(guard, { judgedMs: 0, idleMs: 4_000 })
  const url = new URL('https://hooks.example/')
  await kept.targetOf(url)
  const target = kept.targetOf(url)
  kept.forget(url) // another post to it has just failed
  expect(await target).toMatchObject({ address: '127.0.0.1' })
})
