import { afterAll, beforeAll, expect, test } from 'bun:test'
import { connectNats } from '../../../src/adapters/nats/connection'
import { natsMessages } from '../../../src/adapters/nats/nats-messages'
import { wakeConsumers, wakeStream } from '../../../src/adapters/nats/streams'
import { freePort } from '../../../src/devnet/servers/free-port'
import { isTerminal } from '../../../src/domain/execution/status'
import { loadOnNats } from '../../support/cluster-load'
import { type NatsCluster, startNatsCluster } from '../../support/nats-cluster'
import { natsUrl } from '../../support/servers'
import { temporaryFolder } from '../../support/temporary-folder'
import { until } from '../../support/until'

/** A test run kills one server and then the two others. `CLUSTER_SECONDS=300` kills one after the other before that. */
const seconds = Number(process.env['CLUSTER_SECONDS'] ?? 0)
const killEveryMs = seconds > 0 ? 15_000 : 0
const killsCount = seconds > 0 ? Math.floor((seconds * 1_000) / killEveryMs) : 1
const awayMs = seconds > 0 ? 7_500 : 2_000

let cluster: NatsCluster
const closing: (() => unknown)[] = []
beforeAll(async () => {
  cluster = await startNatsCluster({ dataDir: temporaryFolder('cluster'), report: console.error })
})
afterAll(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
  await cluster?.stop()
})

async function kill(n: number): Promise<void> {
  const { pid, exited } = cluster.servers[n]!
  process.kill(pid!, 'SIGKILL')
  await exited
}

async function opened(url: string, prefix: string, replicas: number) {
  const connection = await connectNats(url)
  closing.push(() => connection.close())
  return { connection, messages: natsMessages(connection, { prefix, replicas }) }
}

test('existing streams and consumers are brought to the configured number of replicas', async () => {
  const prefix = 'grown_'
  const { connection, messages } = await opened(cluster.url, prefix, 1)
  await messages.ensureStreams()
  const listening = messages.wakes.wakes(1).subscribe()
  const manager = await connection.jetstreamManager()
  const naming = { prefix, replicas: 3 }
  const { stream, durable } = wakeConsumers(naming)[0]!
  await until('the consumer', (note) => manager.consumers.info(stream, durable).catch((error) => void note(error)))
  listening.unsubscribe()
  const replicas = async () => {
    const info = await manager.streams.info(wakeStream(naming))
    const consumer = await manager.consumers.info(stream, durable)
    return [info, consumer].map(({ cluster }) => (cluster?.replicas?.length ?? 0) + 1)
  }
  for (const count of [1, 3, 1]) {
    await (await opened(cluster.url, prefix, count)).messages.ensureStreams()
    await until(`${count} replicas`, async (note) => {
      const found = note(await replicas().catch(() => 'no leader'))
      return `${found}` === `${count},${count}`
    })
  }
  for (const one of await manager.streams.list().next()) await manager.streams.delete(one.config.name)
})

test('a client whose first server is down connects to another, and learns the rest of the cluster from it', async () => {
  const away = `nats://127.0.0.1:${await freePort()}`
  const connection = await connectNats(`${away},${cluster.servers[1]!.url}`)
  closing.push(() => connection.close())
  expect(connection.getServer()).toBe(cluster.servers[1]!.url.replace('nats://', ''))
  const { connect_urls: known } = connection.info as { connect_urls?: string[] }
  expect(known?.toSorted()).toEqual(cluster.servers.map(({ url }) => url.replace('nats://', '')).toSorted())
})

test('three replicas on a single server fail the start with a message that gives the action', async () => {
  const { messages } = await opened(await natsUrl(), `single_${process.pid}_`, 3)
  await expect(messages.ensureStreams()).rejects.toThrow(
    'NATS_REPLICAS is 3, but the NATS server belongs to no cluster and can keep only one replica: ' +
      'set NATS_REPLICAS=1, or name the servers of a cluster in NATS_URL.',
  )
})

test('too few servers for the replicas fail the start with a message that gives the action', async () => {
  const { messages } = await opened(cluster.url, 'many_', 5)
  await expect(messages.ensureStreams()).rejects.toThrow(
    'NATS refuses to keep 5 replicas of a stream (no suitable peers for placement): ' +
      'start 5 servers of its cluster with space for it, or set NATS_REPLICAS to a lower number.',
  )
})

test(
  `${killsCount} successive kills under load and then two of three servers down lose and double no execution`,
  async () => {
    const load = await loadOnNats(cluster.url)
    closing.push(load.stop)
    await cluster.untilWhole()
    await until('deposits that end', (note) => note(load.all().length - load.countOpen()) > 20)
    for (let n = 0; n < killsCount; n++) {
      const startedAt = performance.now()
      await kill(n % 3)
      await Bun.sleep(awayMs)
      await cluster.restart(n % 3)
      await cluster.untilWhole()
      await Bun.sleep(Math.max(0, killEveryMs - (performance.now() - startedAt)))
    }
    const oneAway = load.wakeMs()
    const others = [killsCount % 3, (killsCount + 1) % 3]
    await Promise.all(others.map(kill))
    // a process can start even now
    const starting = opened(cluster.url, '', 3).then(({ messages }) => messages.ensureStreams())
    const before = load.all().length
    const readiness = () => load.messages.assureAnswering().then(() => 'ready', String)
    await until('a failure of readiness', async (note) => note(await readiness()) !== 'ready')
    await until('deposits go on', (note) => note(load.all().length - load.countOpen()) > before + 20)
    await expect(load.messages.assureAnswering()).rejects.toThrow()
    await Promise.all([starting, ...others.map(cluster.restart)])
    await until('readiness again', async (note) => note(await readiness()) === 'ready')
    load.endArrivals()
    await until('all have ended', (note) => note(load.countOpen()) === 0)

    const all = load.all()
    expect(all.filter(({ status }) => status !== 'SUCCESS')).toEqual([])
    for (const { history } of all) {
      expect(history.filter(({ to }) => to === 'PENDING')).toHaveLength(1)
      expect(history.filter(({ to }) => isTerminal(to))).toHaveLength(1)
    }
    expect(load.bugs).toEqual([])
    const at = (times: number[], share: number) => Math.round(times[Math.floor(times.length * share)]!)
    const whole = load.wakeMs()
    console.log(
      `NATS cluster: ${all.length} deposits, ${killsCount} kills of one server and one of two: 0 lost, 0 doubled; ` +
        `woken with one away p50 ${at(oneAway, 0.5)} ms, p99 ${at(oneAway, 0.99)} ms, ` +
        `longest ${Math.round(oneAway.at(-1)!)} ms; longest with two away ${Math.round(whole.at(-1)!)} ms`,
    )
  },
  120_000 + seconds * 2_000,
)
