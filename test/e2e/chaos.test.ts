import { afterAll, beforeAll, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { depositConsumer, depositSubject, wakeConsumers, wakeSubject } from '../../src/adapters/nats/streams'
import { startService } from '../../src/cli/installation/service-process'
import { freePort } from '../../src/devnet/servers/free-port'
import type { Server } from '../../src/devnet/servers/server'
import { type Change, type Supervised, supervise } from '../../src/devnet/servers/supervise'
import { chainIds, chainKeys } from '../../src/domain/chain/chain'
import type { Hash } from '../../src/domain/chain/hex'
import { bucketsMax, type Execution } from '../../src/domain/execution/execution'
import { isTerminal, terminalStatuses } from '../../src/domain/execution/status'
import { everyNonceIsUsed, everyUnitIsAccountedFor, type Owner } from '../support/accounting'
import { type Environment, startEnvironment, until } from '../support/environment'

/** A test run sends a few deposits; `npm run chaos` sends two thousand. */
const count = Number(process.env['CHAOS_DEPOSITS'] ?? 40)
const usersCount = Math.ceil(count / 20)
const hotCount = 2
const hotShare = 0.3
const workersCount = 3
const killEveryMs = 1_000
/** The least time that a started worker is left running. On a busy machine starting takes longer than that. */
const livesMs = 3_000
/** After this time nothing is killed any more: all deposits must end, but not while workers are being killed. */
const killsMax = 10 + 0.3 * count
const sentAtOnce = 8
const endsWithinMs = 60_000 + count * 2_000
const killsUntil = 0.9

let environment: Environment
const workers: Supervised[] = []
const upAt = new Map<number, number>()
beforeAll(async () => {
  environment = await startEnvironment({ env: { ROLES: 'api' } })
  const { installation, dir } = environment
  for (let n = 0; n < workersCount; n++) {
    const start = async (): Promise<Server> => {
      const port = await freePort()
      const env = { ...installation.serviceEnv(), ROLES: 'worker,scanner', PORT: `${port}` }
      return startService({ env, port, log: join(dir, `chaos-${n}.log`) })
    }
    const upSince = ({ kind, pid }: Change) => pid !== null && kind !== 'exited' && upAt.set(pid, performance.now())
    workers.push(await supervise(`worker-${n}`, start, upSince))
  }
}, 180_000)
afterAll(async () => {
  await Promise.all(workers.map((worker) => worker.stop()))
  await environment?.stop()
}, 60_000)

test(
  `${count} deposits, doubled webhooks, hot accounts and poison, something killed each second: each once`,
  async () => {
    const { connection, store, devnet, routesExecuted, intend } = environment
    const owners = await Promise.all(
      Array.from({ length: usersCount + hotCount }, async (_, n): Promise<Owner> => {
        const [userId, to] = [`chaos-${n}`, chainKeys[n % chainKeys.length]!]
        const { depositAddress } = await intend(userId, { to, receive: 'USDC' })
        return { userId, account: depositAddress, to }
      }),
    )
    const records = connection.db!.collection<Execution & { _id: string }>('executions')
    const countEnded = () => records.countDocuments({ state: { $in: [...terminalStatuses] } })
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
    await until('most executions have ended', endsWithinMs, async () => (await countEnded()) >= count * killsUntil)
    isOver = true
    const [kills, doubles, poison] = await troubling
    await until('all executions have ended', endsWithinMs, async () => (await countEnded()) >= count)
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
    await until('nothing poisonous comes again', 60_000, nothingIsPending)

    const retried = all.filter(({ retryCount }) => retryCount > 0).length
    console.log(
      `chaos: ${count} deposits in ${seconds.toFixed(0)} s, ${kills.workers} workers and ${kills.nats} NATS killed, ` +
        `${doubles} webhooks said again, ${poison} poison messages: 0 lost, 0 doubled, ${nonces} nonces used, ` +
        `0 skipped, ${retried} retried`,
    )
  },
  180_000 + 2 * endsWithinMs,
)

type Kills = { workers: number; nats: number }

/** Kills a worker or NATS each second, in turn. */
async function killing(isOver: () => boolean): Promise<Kills> {
  const { installation } = environment
  const kills = { workers: 0, nats: 0 }
  const killed = new Set<number>()
  const kill = (pid: number | null): boolean => {
    if (pid === null || killed.has(pid)) return false
    killed.add(pid)
    process.kill(pid, 'SIGKILL')
    return true
  }
  const isOld = (pid: number | null) => performance.now() - (upAt.get(pid ?? 0) ?? Number.POSITIVE_INFINITY) > livesMs
  for (let n = 0; n < killsMax && !isOver(); n++) {
    await Bun.sleep(killEveryMs)
    if (n % 2 === 1) kills.nats += kill(installation.server('nats').pid) ? 1 : 0
    else {
      const inTurn = workers.map((_, m) => workers[(n / 2 + m) % workers.length]!)
      kills.workers += inTurn.some(({ server }) => isOld(server.pid) && kill(server.pid)) ? 1 : 0
    }
  }
  return kills
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

/** Publishes messages that no process of ours would send. */
async function poisoning(isOver: () => boolean): Promise<number> {
  const { connect } = await import('nats')
  const nats = await connect({ servers: environment.installation.natsUrl, maxReconnectAttempts: -1 })
  const stream = nats.jetstream({ timeout: 1_000 })
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

async function nothingIsPending(): Promise<boolean> {
  const { connect } = await import('nats')
  const nats = await connect({ servers: environment.installation.natsUrl })
  const manager = await nats.jetstreamManager()
  const consumers = [...wakeConsumers(naming), depositConsumer(naming)]
  const infos = await Promise.all(consumers.map(({ stream, durable }) => manager.consumers.info(stream, durable)))
  await nats.close()
  return infos.every(({ num_pending, num_ack_pending }) => num_pending === 0 && num_ack_pending === 0)
}
