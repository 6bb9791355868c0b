import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { recipientOf } from '../../src/cli/demo/demo-deposits'
import { startService } from '../../src/cli/installation/service-process'
import { freePort } from '../../src/devnet/servers/free-port'
import type { Server } from '../../src/devnet/servers/server'
import { signedHeaders } from '../../src/domain/webhook/signature'
import { type Environment, startEnvironment } from '../support/environment'
import { type Note, until } from '../support/until'

type Received = { id: string; body: string; timestamp: number; signature: string }
type Event = { id: string; type: string; timestamp: string; seq: number; data: { id: string; userId: string } }

/** Fields that are equal whenever an event is reported. The record's older data may grow. */
const headOf = ({ id, type, timestamp, seq, data }: Event) => ({
  id,
  type,
  timestamp,
  seq,
  of: data.id,
  user: data.userId,
})

let environment: Environment
const workers: Server[] = []
const received: Received[] = []
let isDown = false
/** Events refused once. A second refusal would delay the next attempt by up to six minutes. */
const refused = new Set<string>()
const endpoint = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  async fetch(request) {
    const of = (name: string) => request.headers.get(name)!
    if (isDown && !refused.has(of('webhook-id'))) {
      refused.add(of('webhook-id'))
      return new Response(null, { status: 503 })
    }
    const [id, timestamp, signature] = [of('webhook-id'), Number(of('webhook-timestamp')), of('webhook-signature')]
    received.push({ id, body: await request.text(), timestamp, signature })
    return new Response(null, { status: 204 })
  },
})
beforeAll(async () => {
  environment = await startEnvironment({ env: { ROLES: 'api,scanner' } })
})
afterAll(async () => {
  await endpoint.stop(true)
  await Promise.all(workers.map((worker) => worker.stop()))
  await environment?.stop()
})

async function startWorker(): Promise<Server> {
  const { installation, dir } = environment
  const port = await freePort()
  const env = { ...installation.serviceEnv(), ROLES: 'worker', PORT: `${port}`, CHAIN_POLL_MS: '400' }
  const worker = await startService({ env, port, log: join(dir, `worker-${workers.length}.log`) })
  workers.push(worker)
  return worker
}

async function ask<Answer>(method: string, path: string, body?: object): Promise<Answer> {
  const { apiUrl, keys } = environment.installation
  const response = await fetch(`${apiUrl}/api${path}`, {
    method,
    headers: { 'x-api-key': keys.client, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  })
  expect(response.status).toBeLessThan(300)
  return (await response.json()) as Answer
}

/** Routes a deposit of a new user to its end. */
async function routeOne(): Promise<string> {
  const { devnet, newUserId, intend, ended } = environment
  const userId = newUserId()
  const { depositAddress } = await intend(userId, { to: 'arbitrum', receive: 'USDC' })
  await devnet.sendDeposit({ chainKey: 'base', token: 'USDC', amountRaw: 25_000_000n, to: depositAddress })
  await ended(userId, 1)
  return userId
}

test('every event arrives signed and equal to the feed, although the endpoint was down and a worker was killed', async () => {
  await startWorker()
  const url = `http://127.0.0.1:${endpoint.port}/hooks`
  const { secret } = await ask<{ secret: string }>('POST', '/webhook-endpoints', { url })
  const users = [await routeOne()]
  isDown = true
  users.push(await routeOne())
  await until('the endpoint refuses an event', (note) => note(refused).size > 0, { everyMs: 50 })
  process.kill(workers[0]!.pid!, 'SIGKILL')
  await workers[0]!.exited
  isDown = false
  await startWorker()
  users.push(await routeOne())
  for (const userId of users) {
    const inFeed = () => ask<Event[]>('GET', `/events?userId=${userId}&types=deposit.*,execution.*&limit=100`)
    const missing = async (note: Note) => {
      const known = new Set(received.map(({ id }) => id))
      const events = await inFeed()
      note(events.map(({ id, type }) => ({ id, type, isReceived: known.has(id) })))
      return events.length >= 3 && events.every(({ id }) => known.has(id)) ? events : null
    }
    const events = await until(`every event of ${userId}`, missing, { everyMs: 250 })
    for (const event of events) {
      const copies = received.filter(({ id }) => id === event.id)
      for (const { id, body, timestamp, signature } of copies) {
        expect(headOf(JSON.parse(body))).toEqual(headOf(event))
        expect(signedHeaders({ id, body }, [secret], timestamp * 1_000)['webhook-signature']).toBe(signature)
      }
    }
  }
})

test('a deposit for a deleted organization is routed by its last intent, and posted to no endpoint', async () => {
  const { devnet, store, newUserId, intend } = environment
  const userId = newUserId()
  const { depositAddress } = await intend(userId, { to: 'arbitrum', receive: 'USDC' })
  const { id } = (await store.organizations.all()).find(({ slug }) => slug === 'sandbox')!
  const asked = { kind: 'ORGANIZATION', subject: id, email: null, askedAt: Date.now(), doneAt: null } as const
  await store.erasures.carryOut({ id: 'sandbox', version: 0, ...asked })
  const routed = async (count: number) => {
    await devnet.sendDeposit({ chainKey: 'base', token: 'USDC', amountRaw: 25_000_000n, to: depositAddress })
    const delivered = async (note: Note) => {
      const all = await store.executionQueries.list({ organizationId: id, userId }, { limit: 2 })
      note(all.map(({ id, status }) => [id, status]))
      return all.length === count && all.every(({ status }) => status === 'SUCCESS') ? all : null
    }
    return until('the deposit is delivered', delivered, { everyMs: 250 })
  }
  // The process that posts reads changed endpoints every second, so it may still post events of the first deposit.
  await routed(1)
  const postedBefore = received.length
  for (const { facts } of await routed(2)) expect(facts.intent?.targetAddress).toBe(recipientOf(userId))
  expect(received.slice(postedBefore).filter(({ body }) => body.includes(userId))).toEqual([])
  const { apiUrl, keys } = environment.installation
  expect((await fetch(`${apiUrl}/api/chains`, { headers: { 'x-api-key': keys.client } })).status).toBe(401)
})
