import { afterAll, expect, test } from 'bun:test'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { nameResolver } from '../../../src/adapters/webhooks/guarded'
import { webhookPoster } from '../../../src/adapters/webhooks/post-webhook'
import { runProgram } from '../../../src/devnet/servers/run-program'
import { attackAddresses } from '../../support/attacks'
import { authority } from '../../support/certificates'
import { temporaryFolder } from '../../support/temporary-folder'
import { testAll } from '../../support/test-all'

const [certificate, key] = await Promise.all(
  ['certificate', 'key'].map((name) => Bun.file(`test/fixtures/tls/${name}.pem`).text()),
)
type Seen = { path: string; host: string | null; body: string; headers: Headers }
const seen: Seen[] = []
const endless = () => new ReadableStream({ pull: (to) => to.enqueue(new Uint8Array(65_536)) })

const answers: Record<string, () => Response | Promise<Response>> = {
  '/busy': () => new Response(null, { status: 503, headers: { 'retry-after': '120' } }),
  '/moved': () => new Response(null, { status: 307, headers: { location: '/hooks' } }),
  '/endless': () => new Response(endless()),
  '/silent': () => new Promise(() => {}),
}
const serve = (tls?: { cert: string; key: string }) =>
  Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    ...(tls && { tls }),
    async fetch(request) {
      const path = new URL(request.url).pathname
      seen.push({ path, host: request.headers.get('host'), body: await request.text(), headers: request.headers })
      return answers[path]?.() ?? new Response('ok')
    },
  })
const servers = [serve({ cert: certificate!, key: key! }), serve()] as const
const [secure, plain] = servers
afterAll(() => Promise.all(servers.map((server) => server.stop(true))))

const sent = { headers: { 'content-type': 'application/json', 'webhook-id': 'evt_1' }, body: '{"text":"für"}' }

/** A name server, and how often it was queried. */
function names(answer: (name: string, time: number) => string[]) {
  const asked: string[] = []
  return { asked, resolve: async (name: string) => answer(name, asked.push(name)) }
}
const here = () => names(() => ['127.0.0.1'])

test('an event goes to the name’s address, and the certificate must have that name', async () => {
  const { asked, resolve } = here()
  const post = webhookPoster({ now: Date.now, toLoopback: true, resolve, ca: certificate! })
  seen.length = 0
  const outcome = await post(`https://hooks.example:${secure.port}/hooks?a=1`, sent)
  expect(outcome).toMatchObject({ statusCode: 200, error: null, retryAfterMs: null })
  expect(asked).toEqual(['hooks.example'])
  expect(seen).toHaveLength(1)
  expect(seen[0]).toMatchObject({ path: '/hooks', host: `hooks.example:${secure.port}`, body: sent.body })
  expect(seen[0]!.headers.get('webhook-id')).toBe('evt_1')
  expect(seen[0]!.headers.get('authorization')).toBeNull()
})

test('the beginning of a response is returned as text, without control characters', async () => {
  const post = webhookPoster({ now: Date.now, toLoopback: true })
  const at = (path: string) => `http://127.0.0.1:${plain.port}${path}`
  answers['/down'] = () => new Response('Database is\u0000 down,\n\ttrace id 4711', { status: 500 })
  answers['/long'] = () => new Response('ü'.repeat(5_000))
  answers['/binary'] = () => new Response(new Uint8Array([0xff, 0x41]))
  answers['/empty'] = () => new Response(null, { status: 204 })
  const textOf = async (path: string) => (await post(at(path), sent)).responseText
  expect([await textOf('/down'), await textOf('/binary'), await textOf('/empty')]).toEqual([
    'Database is down,\n\ttrace id 4711',
    '\uFFFDA',
    '',
  ])
  expect(await textOf('/long')).toBe('ü'.repeat(1_000))
})

test('a certificate of another name or an unknown authority is refused before anything is sent', async () => {
  seen.length = 0
  for (const [name, ca] of [
    ['other.example', certificate],
    ['hooks.example', undefined],
  ] as const) {
    const post = webhookPoster({ now: Date.now, toLoopback: true, resolve: here().resolve, ...(ca && { ca }) })
    const outcome = await post(`https://${name}:${secure.port}/hooks`, sent)
    expect([name, outcome.error, outcome.statusCode]).toEqual([name, 'CERTIFICATE_REFUSED', null])
  }
  expect(seen).toEqual([])
})

test('a refused certificate and a failed connection have their finer reason', async () => {
  const dir = temporaryFolder('certificates')
  const issue = await authority(dir, 'ours', 'DNS:hooks.example')
  const { certFile, keyFile, caFile } = await issue('valid')
  const expired = join(dir, 'expired.crt')
  const sign = ['x509', '-req', '-in', join(dir, 'valid-of-ours.csr'), '-CA', caFile, '-CAkey', join(dir, 'ours.key')]
  await runProgram([
    'openssl',
    ...sign,
    '-set_serial',
    '2',
    '-copy_extensions',
    'copyall',
    '-days',
    '-1',
    '-out',
    expired,
  ])
  const text = (path: string) => Bun.file(path).text()
  const ours = { key: await text(keyFile), cert: await text(certFile) }
  const closing = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1')
  await once(closing, 'listening')
  const [valid, late] = [serve(ours), serve({ ...ours, cert: await text(expired) })]
  const reasonOf = async (port: number, { name = 'hooks.example', ca = '', scheme = 'https' } = {}) => {
    const post = webhookPoster({ now: Date.now, toLoopback: true, resolve: here().resolve, ...(ca && { ca }) })
    const { error, cause } = await post(`${scheme}://${name}:${port}/`, sent)
    return [error, cause]
  }
  const ca = await text(caFile)
  expect({
    trusted: await reasonOf(valid.port!, { ca }),
    expired: await reasonOf(late.port!, { ca }),
    'self-signed': await reasonOf(secure.port!),
    'of another name': await reasonOf(valid.port!, { ca, name: 'other.example' }),
    'of an unknown issuer': await reasonOf(valid.port!),
    'without TLS': await reasonOf(plain.port!),
    refused: await reasonOf(1, { scheme: 'http', name: '127.0.0.1' }),
    closed: await reasonOf((closing.address() as AddressInfo).port, { scheme: 'http', name: '127.0.0.1' }),
  }).toEqual({
    trusted: [null, undefined],
    expired: ['CERTIFICATE_REFUSED', 'EXPIRED'],
    'self-signed': ['CERTIFICATE_REFUSED', 'SELF_SIGNED'],
    'of another name': ['CERTIFICATE_REFUSED', 'OTHER_NAME'],
    'of an unknown issuer': ['CERTIFICATE_REFUSED', 'UNKNOWN_ISSUER'],
    'without TLS': ['CONNECTION_FAILED', 'NO_TLS'],
    refused: ['CONNECTION_FAILED', 'REFUSED'],
    closed: ['CONNECTION_FAILED', 'CLOSED'],
  })
  closing.close()
  await Promise.all([valid.stop(true), late.stop(true)])
})

testAll(attackAddresses)(
  'a name that resolves to a private address is refused, also along with a public one',
  async (address) => {
    for (const found of [[address], ['93.184.216.34', address]]) {
      const { asked, resolve } = names(() => found)
      const outcome = await webhookPoster({ now: Date.now, toLoopback: false, resolve })('https://hooks.example/', sent)
      expect([outcome.error, asked.length]).toEqual(['ADDRESS_REFUSED', 1])
    }
  },
)

test('a name that would resolve differently the second time is not resolved again', async () => {
  const { asked, resolve } = names((_, time) => (time === 1 ? ['127.0.0.1'] : ['169.254.169.254']))
  const post = webhookPoster({
    now: Date.now,
    toLoopback: true,
    resolve,
    ca: certificate!,
    keeping: { judgedMs: 0, idleMs: 4_000 },
  })
  expect((await post(`https://hooks.example:${secure.port}/`, sent)).statusCode).toBe(200)
  expect(asked).toEqual(['hooks.example'])
  expect((await post(`https://hooks.example:${secure.port}/`, sent)).error).toBe('ADDRESS_REFUSED')
})

test('an endpoint older than a rule must still obey it', async () => {
  const post = webhookPoster({ now: Date.now, toLoopback: false, resolve: here().resolve })
  for (const url of [
    `http://127.0.0.1:${plain.port}/`,
    `https://127.0.0.1:${secure.port}/`,
    'https://[::1]/',
    'nothing',
  ])
    expect((await post(url, sent)).error).toBe(url === 'nothing' ? 'CONNECTION_FAILED' : 'ADDRESS_REFUSED')
})

test('a redirect is a response and is not followed', async () => {
  seen.length = 0
  const outcome = await webhookPoster({ now: Date.now, toLoopback: true })(`http://127.0.0.1:${plain.port}/moved`, sent)
  expect([outcome.statusCode, seen.map(({ path }) => path)]).toEqual([307, ['/moved']])
})

test('the environment’s proxy, which would resolve the name again, is not used', async () => {
  const before = process.env['HTTPS_PROXY']
  process.env['HTTPS_PROXY'] = 'http://127.0.0.1:9'
  try {
    const post = webhookPoster({ now: Date.now, toLoopback: true, resolve: here().resolve, ca: certificate! })
    expect((await post(`https://hooks.example:${secure.port}/`, sent)).statusCode).toBe(200)
  } finally {
    if (before === undefined) delete process.env['HTTPS_PROXY']
    else process.env['HTTPS_PROXY'] = before
  }
})

test('only the status and retry-after of a response are read, however long it is', async () => {
  const post = webhookPoster({ now: Date.now, toLoopback: true })
  expect((await post(`http://127.0.0.1:${plain.port}/endless`, sent)).statusCode).toBe(200)
  expect(await post(`http://127.0.0.1:${plain.port}/busy`, sent)).toMatchObject({
    statusCode: 503,
    retryAfterMs: 120_000,
  })
})

test('an attempt times out if the endpoint or the name server is silent', async () => {
  const post = webhookPoster({ now: Date.now, toLoopback: true, timeoutMs: 50, resolve: () => new Promise(() => {}) })
  const silent = [`http://127.0.0.1:${plain.port}/silent`, 'https://hooks.example/']
  for (const url of silent) expect((await post(url, sent)).error).toBe('TIMEOUT')
})

test('an unknown name and a closed port are distinguished', async () => {
  const nobody = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() })
  const { port } = nobody
  await nobody.stop(true)
  const post = webhookPoster({
    now: Date.now,
    toLoopback: true,
    resolve: async () => Promise.reject(new Error('ENOTFOUND')),
  })
  expect((await post('https://hooks.example/', sent)).error).toBe('NAME_NOT_FOUND')
  expect((await post(`http://127.0.0.1:${port}/`, sent)).error).toBe('CONNECTION_FAILED')
})

/** Answers every connection with these bytes and leaves it open. */
async function answering(bytes: string) {
  const open = new Set<Socket>()
  const server = createServer((socket) => {
    open.add(socket)
    socket.on('error', () => {}).on('close', () => open.delete(socket))
    socket.once('data', () => socket.write(bytes))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address() as { port: number }
  return { open, url: `http://127.0.0.1:${address.port}/`, close: () => server.close() }
}

test('an attempt ends for any response: an upgrade is a response, and no connection is left', async () => {
  const upgrade = 'HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n'
  for (const [bytes, statusCode, error] of [
    [upgrade, 101, null],
    ['HTTP/1.1 100 Continue\r\n\r\n', null, 'TIMEOUT'],
    ['HTTP/1.1 200 OK\r\nx-part: ', null, 'TIMEOUT'],
  ] as const) {
    const { open, url, close } = await answering(bytes)
    const post = webhookPoster({ now: Date.now, toLoopback: true, timeoutMs: statusCode === null ? 50 : 15_000 })
    expect(await post(url, sent)).toMatchObject({ statusCode, error })
    for (const socket of open) await once(socket, 'close')
    close()
  }
})

test('silent name servers delay nothing else in this process', async () => {
  const silent = createSocket('udp4')
  silent.bind(0, '127.0.0.1')
  await once(silent, 'listening')
  const resolve = nameResolver([`127.0.0.1:${silent.address().port}`], { timeout: 600_000, tries: 1 })
  const asked = new Set<string>()
  for (let n = 0; n < 64; n++) void resolve(`n${n}.hooks.example`).finally(() => asked.add(`n${n}`))
  expect(await readFile('package.json', 'utf8')).toStartWith('{')
  expect([...asked]).toEqual([])
  silent.close()
})
