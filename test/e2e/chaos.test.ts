import { afterAll, beforeAll, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { depositConsumer, depositSubject, wakeConsumers, wakeSubject } from '../../src/adapters/nats/streams'
import type { Server } from '../../src/devnet/servers/server'
import { chainIds, chainKeys } from '../../src/domain/chain/chain'
import type { Hash } from '../../src/domain/chain/hex'
import { bucketsMax, type Execution } from '../../src/domain/execution/execution'
import { isTerminal } from '../../src/domain/execution/status'
import { everyNonceIsUsed, everyUnitIsAccountedFor, type Owner } from '../support/accounting'
import { cuttable } from '../support/cuttable'
import { amount, isNightly } from '../support/depth'
import { databasePollMs, type Environment, startEnvironment } from '../support/environment'
import { startNatsCluster } from '../support/nats-cluster'
import { mongoUrl } from '../support/servers'
import { type Note, until } from '../support/until'
import { receiveWebhooks } from '../support/webhook-receiver'

/**
 * A test run sends a few deposits; `npm run chaos` sends two thousand. `--cluster` runs three NATS servers and two
 * processes that serve the API and post webhooks. These are killed too, along with workers, scanners and NATS.
 */
const isCluster = process.env['CHAOS_CLUSTER'] === '1'
const processes: Record<string, number> = isCluster
  ? { api: 2, worker: 4, scanner: 2 }
  : { api: 1, 'worker,scanner': isNightly || process.env['CHAOS_DEPOSITS'] ? 3 : 2 }
const count = Number(process.env['CHAOS_DEPOSITS'] ?? amount('deposits', { usual: 6, full: 40 }))
const usersCount = Math.ceil(count / 20)
const hotCount = 2
const hotShare = 0.3
const killEveryMs = isCluster ? 2_000 : 1_000
/** Minimum lifetime of a started process. On a busy machine starting takes longer than that. */
const livesMs = 3_000
/** Kills stop at this count: all deposits must end, but not while workers are being killed. */
const killsMax = (isNightly ? 10 : 2) + 0.3 * count
const sentAtOnce = 8
const endWaitMs = 300_000 + count * 8_000
const killsUntil = 0.9

const cutMs = 500
const reportEveryMs = 15_000

let environment: Environment
let way: Awaited<ReturnType<typeof cuttable>>
const receiver = receiveWebhooks()
beforeAll(async () => {
  const url = new URL(await mongoUrl())
  const askedAt = url.host
  way = await cuttable(url.hostname, Number(url.port || 27017))
  url.host = `127.0.0.1:${way.port}`
  url.searchParams.delete('replicaSet')
  url.searchParams.set('directConnection', 'true')
  const given = { processes, askedAt, mongodbUrl: String(url), ...(isCluster && { natsCluster: startNatsCluster }) }
  environment = await startEnvironment(given)
})
afterAll(async () => {
  await environment?.stop()
  way?.stop()
  await receiver.stop()
})

test(
  `${count} deposits under kills, doubled webhooks, hot accounts and poison are each delivered and reported once`,
  async () => {
    const { connection, store, devnet, routesExecuted, intend, countEnded } = environment
    const { types } = await ask<{ types: string[] }>('POST', '/webhook-endpoints', { url: receiver.url })
    const owners = await Promise.all(
      Array.from({ length: usersCount + hotCount }, async (_, n): Promise<Owner> => {
        const [userId, to] = [`chaos-${n}`, chainKeys[n % chainKeys.length]!]
        const { depositAddress } = await intend(userId, { to, receive: 'USDC' })
        return { userId, account: depositAddress, to }
      }),
    )
    await environment.everyChainScanned()
    const records = connection.db!.collection<Execution & { _id: string }>('executions')
    let isOver = false
    const startedAt = performance.now()
    const troubling = Promise.all([killing(() => isOver), doubling(() => isOver), poisoning(() => isOver)])

    const hashes = new Set<Hash>()
    let next = 0
    const send = async () => {
      for (let n = next++; n < count; n = next++) {
        const isHot = n % 10 < hotShare * 10
        const owner = isHot ? owners[n % hotCount]! : owners[hotCount + (n % usersCount)]!
        const amountRaw = BigInt(20e6 + n)
        const chainKey = chainKeys[n % chainKeys.length]!
        hashes.add(await devnet.sendDeposit({ chainKey, token: 'USDC', amountRaw, to: owner.account }))
      }
    }
    await Promise.all(Array.from({ length: sentAtOnce }, send))
    const ended = reported(countEnded)
    const wait = { everyMs: databasePollMs, waitMs: endWaitMs }
    await until('most executions have ended', async (note) => note(await ended()) >= count * killsUntil, wait)
    isOver = true
    const [kills, doubles, poison] = await troubling
    await until('all executions have ended', async (note) => note(await ended()) >= count, wait)
    const seconds = (performance.now() - startedAt) / 1_000

    const ids = (await records.find({}, { projection: { _id: 1 } }).toArray()).map(({ _id }) => _id)
    const all: Execution[] = []
    for (let n = 0; n < ids.length; n += 100) all.push(...(await store.executions.loadMany(ids.slice(n, n + 100))))
    expect(
      all.filter(({ status }) => status !== 'SUCCESS').map(({ id, status, cause }) => ({ id, status, cause })),
    ).toEqual([])
    expect(all).toHaveLength(count)
    expect(new Set(all.map(({ deposit }) => deposit.txHash))).toEqual(hashes)
    const routes = await routesExecuted()
    expect(routes).toHaveLength(count)
    expect(new Set(routes.map(({ routeId }) => routeId))).toEqual(new Set(all.map(({ facts }) => facts.routeId!)))
    for (const { history } of all) expect(history.filter(({ to }) => isTerminal(to))).toHaveLength(1)
    await everyUnitIsAccountedFor(environment, owners, all)
    const nonces = await everyNonceIsUsed(environment)
    expect(await store.executions.due(Number.MAX_SAFE_INTEGER, 0, 10)).toEqual([])
    await until('nothing poisonous comes again', nothingIsPending)
    const posted = await postedOf(count, types)
    expect(posted).toMatchObject({ lost: [], invented: [], wrong: [] })

    const retried = all.filter(({ retryCount }) => retryCount > 0).length
    console.log(
      `chaos: ${count} deposits in ${seconds.toFixed(0)} s, ${kills.processes} processes and ${kills.nats} NATS killed, ` +
        `the database cut off ${kills.cuts} times, ${posted.posted} webhooks received, of which ${posted.repeated} again ` +
        `and ${posted.late} after a later one, ` +
        `${doubles} webhooks said again, ${poison} poison messages: 0 lost, 0 doubled, ${nonces} nonces used, ` +
        `0 skipped, ${retried} retried`,
    )
  },
  600_000 + 3 * endWaitMs,
)

/** Prints the progress of a long run. A normal test run prints nothing. */
function reported(countEnded: () => Promise<number>): () => Promise<number> {
  let lastAt = performance.now()
  return async () => {
    const ended = await countEnded()
    if (count > 100 && performance.now() - lastAt > reportEveryMs) {
      lastAt = performance.now()
      console.log(`${new Date().toISOString()} ${ended} of ${count} deposits have ended`)
    }
    return ended
  }
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

type Told = { id: string; type: string; seq: number; data: { id: string } }

/** The feed's events of these types, once it has every end. */
async function feedOf(ends: number, types: readonly string[], note: Note): Promise<Told[] | null> {
  const events: Told[] = []
  for (let page: Told[] | null = null; page === null || page.length > 0; ) {
    const after = events.at(-1)?.id
    page = await ask<Told[]>('GET', `/events?types=${types}&limit=100${after ? `&after=${after}` : ''}`)
    events.push(...page)
  }
  const told = events.filter(({ type }) => type === 'execution.success').length
  note({ told, ends })
  return told === ends ? events : null
}

/** Compares the receiver's events with the feed, once it has all. */
async function postedOf(ends: number, types: readonly string[]) {
  // The serving process may have been killed last, and still be starting.
  const feed = await until(
    'the feed has the end of every execution',
    (note) => feedOf(ends, types, note).catch((error) => void note(error)),
    { everyMs: 1_000 },
  )
  await until(
    'every event is posted',
    (note) => note(feed.filter(({ id }) => !receiver.has(id)).map(({ id, type }) => [id, type])).length === 0,
    { everyMs: 250, waitMs: endWaitMs },
  )
  return receiver.compared(feed)
}

type Kills = { processes: number; nats: number; cuts: number }

/** Alternates between killing a random process or NATS server, and cutting the connection to the database. */
async function killing(isOver: () => boolean): Promise<Kills> {
  const { installation, members } = environment
  const kills: Kills = { processes: 0, nats: 0, cuts: 0 }
  const killed = new Set<number>()
  const kill = (servers: readonly Server[]): number => {
    const alive = servers.flatMap(({ pid }) => (pid === null || killed.has(pid) ? [] : [pid]))
    const pid = alive[Math.floor(Math.random() * alive.length)]
    if (pid === undefined) return 0
    killed.add(pid)
    process.kill(pid, 'SIGKILL')
    return 1
  }
  const old = () => members.filter(({ upAt }) => performance.now() - upAt > livesMs).map(({ server }) => server)
  for (let n = 0; n < killsMax && !isOver(); n++) {
    await Bun.sleep(killEveryMs)
    if (n % 4 === 3) kills.cuts += await cut()
    else if (n % 4 === 1) kills.nats += kill(installation.natsServers)
    else kills.processes += kill(old())
  }
  return kills
}

async function cut(): Promise<number> {
  way.cut()
  await Bun.sleep(cutMs)
  await way.mend()
  return 1
}

/** Posts every webhook a second time, unchanged. */
async function doubling(isOver: () => boolean): Promise<number> {
  const { posted, postWebhook } = environment
  let said = 0
  while (!isOver()) {
    await Bun.sleep(50)
    const one = posted[Math.floor(Math.random() * posted.length)]
    if (one)
      said += await postWebhook(one.body, one.signature).then(
        ({ ok }) => (ok ? 1 : 0),
        () => 0,
      )
  }
  return said
}

const naming = { prefix: '', replicas: 1 }

/** Publishes messages that none of our processes would send. */
async function poisoning(isOver: () => boolean): Promise<number> {
  const { connect } = await import('nats')
  const nats = await connect({ servers: environment.installation.natsUrl.split(','), maxReconnectAttempts: -1 })
  const stream = nats.jetstream()
  let kept = 0
  for (let n = 0; !isOver(); n++) {
    await Bun.sleep(100)
    const subject =
      n % 2 === 0 ? wakeSubject(naming, n % bucketsMax) : depositSubject(naming, chainIds[n % chainIds.length]!)
    const text = n % 3 === 0 ? '' : n % 3 === 1 ? '{"chainId":8453,"txHash":"0x1"' : randomBytes(300)
    kept += await stream.publish(subject, text).then(
      () => 1,
      () => 0,
    )
  }
  await nats.close()
  return kept
}

/** Servers still electing a stream's leader do not know its pending messages, and are asked again. */
async function nothingIsPending(note: Note): Promise<boolean> {
  const { connect } = await import('nats')
  const nats = await connect({ servers: environment.installation.natsUrl.split(',') })
  try {
    const manager = await nats.jetstreamManager()
    const consumers = [...wakeConsumers(naming), depositConsumer(naming)]
    const infos = await Promise.all(consumers.map(({ stream, durable }) => manager.consumers.info(stream, durable)))
    const left = infos.map(({ name, num_pending, num_ack_pending }) => ({ name, left: num_pending + num_ack_pending }))
    return note(left).every((each) => each.left === 0)
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'NatsError') throw error
    note(error.message)
    return false
  } finally {
    await nats.close()
  }
}
