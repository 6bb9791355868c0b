import { expect, test } from 'bun:test'
import type { WebhookOutcome } from '../../../src/domain/deposit/rescan-outcome'
import type { Pointer } from '../../../src/domain/wake-messages'
import { hashOf } from '../../support/deposits'
import { testAll } from '../../support/test-all'
import { until } from '../../support/until'
import { apiWorld, peopledWorld } from '../world'

function webhookWorld(
  publish: (pointers: Pointer[]) => Promise<void>,
  outcomes: WebhookOutcome[] = [],
  said: unknown[] = [],
) {
  const sign = (body: Uint8Array) => Bun.SHA256.hash(body, 'hex')
  return apiWorld({
    webhook: {
      pointers: { publish },
      signedFor: (body, signature) => (signature === sign(body) ? [8453] : []),
      readPointers: (body) => (body as { pointers: Pointer[] }).pointers.map((pointer) => pointer),
      note: (outcome) => void outcomes.push(outcome),
      keepBody: (body, speaksFor) => void said.push([body, speaksFor]),
    },
  })
}

async function post(world: ReturnType<typeof apiWorld>, text: string, signature?: string) {
  const headers = { ...(signature !== undefined && { 'x-alchemy-signature': signature }) }
  return world.ask('/webhooks/alchemy', { raw: text, headers })
}

const pointer: Pointer = { chainId: 8453, txHash: hashOf(1), seenAt: 1 }
const text = JSON.stringify({ pointers: [pointer] })
const signature = Bun.SHA256.hash(text, 'hex')

test('a signed webhook is 200 only after its pointers are stored', async () => {
  const stored: Pointer[] = []
  const world = webhookWorld(async (pointers) => {
    stored.push(...pointers)
  })
  const { status, json } = await post(world, text, signature)
  expect([status, json, stored]).toEqual([200, { received: 1 }, [pointer]])
})

testAll([
  ['no signature', undefined],
  ['a wrong one', '0'.repeat(64)],
  ['a short one', 'x'],
  ['an empty one', ''],
])('a webhook without its signature is 401 and leaves no trace', async (_case, sent) => {
  const stored: Pointer[] = []
  const world = webhookWorld(async (pointers) => {
    stored.push(...pointers)
  })
  const { status } = await post(world, text, sent)
  expect([status, stored, world.bugs]).toEqual([401, [], []])
})

test('forgeries are limited by network before they are read, and affect no other network', async () => {
  const read = { count: 0 }
  const { api } = apiWorld({
    trustedProxies: ['127.0.0.1'],
    webhook: {
      pointers: { publish: async () => {} },
      signedFor(_body, sent) {
        read.count++
        return sent === 'good' ? [8453] : []
      },
      readPointers: () => [],
    },
  })
  const server = api.listen({ port: 0, hostname: '127.0.0.1' }).server!
  const url = `http://127.0.0.1:${server.port}/webhooks/alchemy`
  const from = async (address: string, sent: string) => {
    const headers = { 'x-forwarded-for': address, 'x-alchemy-signature': sent }
    const { status, headers: told } = await fetch(url, { method: 'POST', body: '{}', headers })
    return [status, told.get('retry-after')]
  }
  try {
    for (let n = 0; n < 100; n++) expect(await from(`2001:db8::${n}`, 'bad')).toEqual([401, null])
    for (const sent of ['bad', 'good']) expect(await from('2001:db8::ffff', sent)).toEqual([429, '10'])
    expect([await from('2001:db9::1', 'bad'), await from('192.0.2.1', 'good')]).toEqual([
      [401, null],
      [200, null],
    ])
    expect(read.count).toBe(102)
  } finally {
    await api.stop(true)
  }
})

test('a key is valid only for its own chain', async () => {
  const stored: Pointer[] = []
  const world = webhookWorld(async (pointers) => {
    stored.push(...pointers)
  })
  const other: Pointer = { ...pointer, chainId: 137 }
  const both = JSON.stringify({ pointers: [other, pointer] })
  const { status, json } = await post(world, both, Bun.SHA256.hash(both, 'hex'))
  expect([status, json, stored]).toEqual([200, { received: 1 }, [pointer]])
})

test('a webhook with trailing whitespace fails signature verification', async () => {
  const world = webhookWorld(async () => {})
  expect((await post(world, `${text} `, signature)).status).toBe(401)
})

test('a webhook that the stream rejects is 503 and is sent again', async () => {
  const world = webhookWorld(async () => {
    throw new Error('NATS is away')
  })
  expect((await post(world, text, signature)).status).toBe(503)
})

test('a webhook’s content is stored for people after its pointers, with the chains of its key', async () => {
  const said: unknown[] = []
  let isUp = false
  const world = webhookWorld(
    async () => {
      if (!isUp) throw new Error('NATS is away')
    },
    [],
    said,
  )
  await post(world, text, signature)
  await post(world, text, '0'.repeat(64))
  expect(said).toEqual([])
  isUp = true
  await post(world, text, signature)
  expect(said).toEqual([[JSON.parse(text), [8453]]])
})

test('a signed body that is not a webhook is 200 and reported, because repeating it would not help', async () => {
  const outcomes: WebhookOutcome[] = []
  const world = webhookWorld(async () => {}, outcomes)
  const odd = '{"pointers":7}'
  expect((await post(world, odd, Bun.SHA256.hash(odd, 'hex'))).status).toBe(200)
  expect(outcomes).toEqual(['UNREADABLE'])
})

test('a webhook of more than a megabyte is 413', async () => {
  const world = webhookWorld(async () => {})
  expect((await post(world, 'x'.repeat(1_100_000), signature)).status).toBe(413)
})

test('ready names each missing service, and is negative while draining', async () => {
  let isDraining = false
  let isUp = true
  const mongodb = async () => {
    if (!isUp) throw new Error('away')
  }
  const readiness = { checks: { mongodb, nats: async () => {} }, isDraining: () => isDraining }
  const { ask, clock } = apiWorld({ readiness })
  expect((await ask('/ready')).json).toEqual({ status: 'ready', checks: { mongodb: 'ok', nats: 'ok' } })
  isUp = false
  clock.now += 1_000
  const down = await ask('/ready')
  expect([down.status, down.json]).toEqual([503, { status: 'unavailable', checks: { mongodb: 'down', nats: 'ok' } }])
  isUp = true
  isDraining = true
  expect((await ask('/ready')).status).toBe(503)
})

test('a draining service still answers everything, and closes the connection after each response', async () => {
  let isDraining = false
  const { api, client } = await peopledWorld({ readiness: { checks: {}, isDraining: () => isDraining } })
  const server = api.listen({ port: 0, hostname: '127.0.0.1' }).server!
  const requests: [path: string, status: number, init?: RequestInit][] = [
    ['/api/health', 200],
    ['/ready', 200],
    ['/api/chains', 200],
    ['/nowhere', 404],
    ['/api/deposit-intents', 400, { method: 'POST', body: '{}' }],
    ['/api/events/stream', 200],
  ]
  const asked = () =>
    Promise.all(
      requests.map(async ([path, status, init]) => {
        const headers = { 'x-api-key': client, 'content-type': 'application/json' }
        const response = await fetch(`http://127.0.0.1:${server.port}${path}`, { headers, ...init })
        await response.body?.cancel()
        return [path, response.status, status, response.headers.get('connection')]
      }),
    )
  try {
    for (const [path, got, status, connection] of await asked())
      expect([got, connection], `${path}`).toEqual([status!, null])
    isDraining = true
    for (const [path, got, status, connection] of await asked())
      expect([got, connection], `${path}`).toEqual([path === '/ready' ? 503 : status!, 'close'])
  } finally {
    await server.stop(true)
  }
})

test('an unreachable chain or NATS degrades the service, but no process leaves rotation', async () => {
  const away = async () => {
    throw new Error('away')
  }
  const mongodb = async () => {}
  const { ask } = apiWorld({
    readiness: { checks: { mongodb }, degrading: { nats: away, base: away }, isDraining: () => false },
  })
  const { status, json } = await ask('/ready')
  expect([status, json]).toEqual([200, { status: 'degraded', checks: { mongodb: 'ok', nats: 'down', base: 'down' } }])
})

test('an unresponsive chain is named, and no process leaves rotation', async () => {
  const checks = { mongodb: async () => {} }
  const degrading = { base: () => new Promise(() => {}), polygon: async () => {} }
  const { ask } = apiWorld({ readiness: { checks, degrading, isDraining: () => false } })
  const { status, json } = await ask('/ready')
  expect([status, json]).toEqual([200, { status: 'degraded', checks: { mongodb: 'ok', base: 'down', polygon: 'ok' } }])
})

test('metrics count requests by route and status, without their parameters', async () => {
  const { ask, client } = await peopledWorld({
    metrics: {
      gauges: [
        { name: 'answer', help: 'Of all', labels: ['of'], read: async () => [{ labels: { of: 'life' }, value: 42 }] },
      ],
      counters: [],
      token: null,
    },
  })
  await ask('/api/users/secret-user/account', { key: client })
  await ask('/nope')
  const text = await until('the count of the requests', async (note) => {
    const lines = (await ask('/metrics')).text.split('\n')
    const counts = note(lines.filter((line) => line.startsWith('switchyard_http_requests_total{')))
    return counts.some((line) => line.includes('/account')) && lines
  })
  expect(text).toContain(
    'switchyard_http_requests_total{method="GET",route="/api/users/:userId/account",status="404"} 1',
  )
  expect(text).toContain('switchyard_answer{of="life"} 42')
  expect(text.join('\n')).not.toContain('secret-user')
})

test('readiness and metrics query the store only once in a while, for any number of requests', async () => {
  const asked = { ready: 0, gauges: 0 }
  const read = async () => [{ labels: {}, value: ++asked.gauges }]
  const { ask, clock } = apiWorld({
    readiness: { checks: { mongodb: async () => void asked.ready++ }, isDraining: () => false },
    metrics: { gauges: [{ name: 'answer', help: 'Of all', labels: [], read }], counters: [], token: null },
  })
  const many = () => Promise.all(Array.from({ length: 20 }, async () => [await ask('/ready'), await ask('/metrics')]))
  await many()
  expect(asked).toEqual({ ready: 1, gauges: 1 })
  clock.now += 30_000
  await many()
  expect(asked).toEqual({ ready: 2, gauges: 2 })
})

test('metrics without a token are readable only from this machine', async () => {
  const { api } = apiWorld({ metrics: { gauges: [], counters: [], token: null } })
  const server = api.listen({ port: 0, hostname: '127.0.0.1' }).server!
  try {
    const ask = async (headers: Record<string, string>) =>
      (await fetch(`http://127.0.0.1:${server.port}/metrics`, { headers })).status
    expect([await ask({}), await ask({ 'x-forwarded-for': '192.0.2.1' }), await ask({ forwarded: 'for=a' })]).toEqual([
      200, 401, 401,
    ])
  } finally {
    await api.stop(true)
  }
})

test('metrics that need a token are 401 without it', async () => {
  const { ask } = apiWorld({ metrics: { gauges: [], counters: [], token: 'secret' } })
  const statuses = [undefined, 'Bearer wrong', 'Bearer secret'].map(
    async (authorization) => (await ask('/metrics', { headers: { ...(authorization && { authorization }) } })).status,
  )
  expect(await Promise.all(statuses)).toEqual([401, 401, 200])
})

test('a request that is running when the server stops gets its response', async () => {
  const gate = Promise.withResolvers<void>()
  const world = await peopledWorld()
  const load = world.ports.accounts.findByUser
  world.ports.accounts.findByUser = async (...asked) => {
    await gate.promise
    return load(...asked)
  }
  world.api.listen({ port: 0, hostname: '127.0.0.1' })
  const url = `http://127.0.0.1:${world.api.server!.port}`
  const running = fetch(`${url}/api/users/user-1/account`, { headers: { 'x-api-key': world.client } })
  await until('a running request', (note) => note(world.api.server!.pendingRequests) > 0, { everyMs: 1 })
  const stopped = world.api.stop(false)
  gate.resolve()
  expect((await running).status).toBe(404)
  await stopped
})
