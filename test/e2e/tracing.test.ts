import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import type { LogEvent } from '../../src/app/logging/log-lines'
import { startService } from '../../src/cli/installation/service-process'
import { freePort } from '../../src/devnet/servers/free-port'
import type { Server } from '../../src/devnet/servers/server'
import { chainKeys } from '../../src/domain/chain/chain'
import { rootSpanIdOf, traceIdOf } from '../../src/domain/execution/execution'
import { type Sent, startCollector } from '../support/collector'
import { cuttable } from '../support/cuttable'
import { nightly } from '../support/depth'
import { type Environment, startEnvironment } from '../support/environment'
import { linesOf, objectionsTo, secretsOf } from '../support/log-lines'
import { mongoUrl } from '../support/servers'
import { until } from '../support/until'

const keyOf = (what: string) => `sk_${what}_4eC39HqLyjWDarjtT1zdp7dc`
const collector = startCollector()
const workers: Server[] = []
let environment: Environment
let mongo: Awaited<ReturnType<typeof cuttable>>

const told = {
  LOG_LEVEL: 'debug',
  LIFI_API_KEY: keyOf('lifi'),
  METRICS_TOKEN: keyOf('metrics'),
  OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  OTEL_EXPORTER_OTLP_HEADERS: `authorization=Bearer%20${keyOf('otel')}`,
}

beforeAll(async () => {
  const url = new URL((await mongoUrl()).replace(/^mongodb:/, 'http:'))
  mongo = await cuttable(url.hostname, Number(url.port))
  url.port = `${mongo.port}`
  const mongodbUrl = url.href.replace(/^http:/, 'mongodb:')
  // Rare sweeps, so that workers begin with the message whose trace they continue.
  environment = await startEnvironment({ mongodbUrl, env: { ...told, ROLES: 'api,scanner', SWEEP_MS: '5000' } })
})
afterAll(async () => {
  await Promise.all(workers.map((worker) => worker.stop()))
  await environment?.stop()
  mongo?.stop()
  collector.stop()
})

/** The URLs of its nodes contain a key, like real ones. */
async function workerEnv() {
  const { installation, devnet } = environment
  const port = await freePort()
  const nodes = Object.values(devnet.chains).map(({ key, rpcUrl }) => [
    `RPC_URL_${key.toUpperCase()}`,
    `${rpcUrl}/?apikey=${keyOf(key)}`,
  ])
  return { ...installation.serviceEnv(), ...Object.fromEntries(nodes), ROLES: 'worker', PORT: `${port}` }
}

/** Each process has its own log, because a killed one may leave half a line. */
const logOf = (n: number) => join(environment.dir, `worker-${n}.log`)

async function startWorker(): Promise<Server> {
  const env = await workerEnv()
  const worker = await startService({ env, port: Number(env.PORT), log: logOf(workers.length) })
  workers.push(worker)
  return worker
}

const faultAt = (target: string) => `${environment.devnet.controlUrl}/faults/${target}`
const fail = (target: string, fault: string, times?: number) =>
  fetch(faultAt(target), { method: 'PUT', body: JSON.stringify({ fault, times }) })
const heal = (target: string) => fetch(faultAt(target), { method: 'DELETE' })

/** A fault that was met often enough is removed. */
const met = (targets: readonly string[]) =>
  until(`${targets.join(', ')} failed as often as they had to`, async (note) => {
    const left = (await (await fetch(`${environment.devnet.controlUrl}/faults`)).json()) as object
    return targets.every((target) => !(target in note(left)))
  })

async function deposit(name: string) {
  const { devnet, newUserId, intend } = environment
  const userId = newUserId(name)
  const { depositAddress } = await intend(userId, { to: 'arbitrum', receive: 'USDC' })
  const hash = await devnet.sendDeposit({
    chainKey: 'base',
    token: 'USDC',
    amountRaw: 25_000_000n,
    to: depositAddress,
  })
  return { userId, hash }
}

const lines = () => [join(environment.dir, 'service.log'), ...workers.map((_, n) => logOf(n))].flatMap(linesOf)
const isFrom = (server: Server) => (span: Sent) => span.instance.startsWith(`${server.pid}-`)
const steps = ['matchIntent', 'screenDeposit', 'takeLane', 'verifyBalance', 'findRoute', 'priceFees', 'signOrder']

test('a deposit is one trace from webhook to SUCCESS, across processes and the SIGKILL of a worker', async () => {
  const { installation, ended } = environment
  const first = await startWorker()
  await fail('bridge', 'DOWN')
  const { userId, hash } = await deposit('traced')
  const traceId = traceIdOf(`8453:${hash}`)
  const own = () => collector.spans.filter((span) => span.traceId === traceId)
  const named = (name: string) => own().filter((span) => span.name === name)
  const parentOf = ({ parentSpanId }: Sent) => own().find(({ spanId }) => spanId === parentSpanId)
  const parentsOf = (name: string) => named(name).map((span) => parentOf(span)?.name)

  // A batch contains earlier spans: once the parents of these are sent, so is every span that ended before.
  const before = ['takeLane', 'findRoute', 'submitOrder', 'confirmDelivery'].map((name) => `step ${name}`)
  await until('the first worker has sent what it did, and asks for the delivery', (note) => {
    const missing = before.filter((name) => !named(name).some((span) => parentOf(span) !== undefined))
    return note(missing).length === 0
  })
  process.kill(first.pid!, 'SIGKILL')
  await first.exited
  const second = await startWorker()
  await heal('bridge')
  const [record] = await ended(userId, 1)
  expect(record!.status).toBe('SUCCESS')
  await second.stop()

  const shown = await fetch(`${installation.apiUrl}/api/executions/${record!.id}`, {
    headers: { 'x-api-key': installation.keys.client },
  })
  expect(await shown.json()).toMatchObject({ status: 'SUCCESS', traceId })

  const parents: Record<string, string> = {
    'point at transaction': 'deposit',
    'publish DEPOSITS': 'point at transaction',
    'look at transaction': 'point at transaction',
    'publish WAKE': 'begin execution',
    'carry on': 'publish WAKE',
    'step findRoute': 'carry on',
    'step submitOrder': 'carry on',
    'lifi quote': 'step findRoute',
    'lifi status': 'step confirmDelivery',
    'base eth_sendRawTransaction': 'step submitOrder',
  }

  // The killed worker lost its unsent spans, including parents of messages that it had sent.
  const isExcused = (span: Sent) => isFrom(first)(span) || span.name === 'carry on'
  const lost = () => own().filter((span) => !parentOf(span) && span.name !== 'deposit' && !isExcused(span))
  const requests = () =>
    named('point at transaction')
      .flatMap(({ links }) => links)
      .map(({ spanId }) => collector.spans.find((span) => span.spanId === spanId)?.name)
  await until('everybody else has sent all', (note) => {
    const missing = Object.entries(parents).filter(([name, parent]) => !parentsOf(name).includes(parent))
    const left = note({ missing, lost: lost(), requests: requests() })
    return missing.length + left.lost.length === 0 && left.requests.includes('POST /webhooks/alchemy')
  })
  expect(lost()).toEqual([])
  expect(requests()).toContain('POST /webhooks/alchemy')
  expect(named('deposit')).toMatchObject([{ spanId: rootSpanIdOf(record!.id), parentSpanId: undefined }])

  const isApi = (span: Sent) => !isFrom(first)(span) && !isFrom(second)(span)
  for (const name of ['deposit', 'point at transaction', 'look at transaction', 'begin execution'])
    expect(named(name).some(isApi), name).toBe(true)
  for (const name of [...steps, 'submitOrder']) expect(named(`step ${name}`).some(isFrom(first)), name).toBe(true)
  expect(named('step confirmDelivery').some(isFrom(second))).toBe(true)

  const seen = Object.fromEntries(Object.keys(parents).map((name) => [name, [...new Set(parentsOf(name))]]))
  for (const [name, parent] of Object.entries(parents))
    expect(seen).toMatchObject({ [name]: expect.arrayContaining([parent]) })
  for (const name of ['point at transaction', 'step findRoute']) expect(seen[name]).toEqual([parents[name]])

  const about = lines().filter(({ execution, deposit: seen }) => `${execution ?? seen}`.startsWith(`8453:${hash}`))
  const events = about.map(({ event }) => event)
  for (const event of ['WEBHOOK_RECEIVED', 'DEPOSIT_CONFIRMED', 'EXECUTION_RUNNING', 'EXECUTION_SUCCESS'] as const)
    expect(events).toContain(event)
  for (const line of about) expect([line.event, line.traceId]).toEqual([line.event, traceId])
})

const secretHolders = ['lifi', 'metrics', 'otel', ...chainKeys]
const nodes = chainKeys.map((key) => `rpc:${key}`)

nightly('no log line shows a secret or an object under any fault, and each line matches the table', async () => {
  const { installation, ended, connection } = environment
  const worker = await startWorker()
  const unsaid = (...events: LogEvent[]) => events.filter((event) => !lines().some((line) => line.event === event))
  const { userId } = await deposit('faulted')
  for (const kind of ['DOWN', 'GARBAGE', 'RATE_LIMIT']) {
    for (const target of nodes) await fail(target, kind, 5)
    await met(nodes)
    await fail('lifi', kind, 1)
    await deposit(`faulted-${kind}`)
    await met(['lifi'])
  }
  process.kill(installation.processes()['nats']!, 'SIGKILL')
  mongo.cut()
  await until('both losses are logged', (note) => note(unsaid('MONGODB_LOST', 'NATS_LOST', 'TRIED_AGAIN')).length === 0)
  await fetch(`${installation.apiUrl}/api/executions`, { headers: { 'x-api-key': installation.keys.client } })
  await mongo.mend()
  await until('both returns are logged', (note) => note(unsaid('MONGODB_BACK', 'NATS_BACK')).length === 0)
  await until('the test has the database, too', (note) =>
    connection.db!.command({ ping: 1 }).catch((error) => void note(error)),
  )
  // After a rate limit refusal, a deposit may wait for its turn at the provider a minute at a time.
  const [record] = await ended(userId, 1).catch(async (error) => {
    // Three times in CI it did not end within minutes: due executions were not carried on (see broken-writes.ts).
    for (const line of lines().slice(-60)) console.error(JSON.stringify(line).slice(0, 400))
    for (const name of ['executions', 'relayers', 'providerGates'])
      console.error(name, JSON.stringify(await connection.db!.collection(name).find().limit(20).toArray()))
    throw error
  })
  expect(record!.status).toBe('SUCCESS')
  await worker.stop()

  const secrets = [...secretsOf(installation.serviceEnv()), ...secretsOf(await workerEnv())]
  for (const holder of secretHolders) expect(secrets.join(' ')).toContain(keyOf(holder))
  const wrong = lines().flatMap((line) => objectionsTo(line, secrets).map((why) => ({ why, line })))
  expect(wrong).toEqual([])
  for (const event of ['STARTED', 'STOPPED', 'EXECUTION_SUCCESS', 'REQUEST_UNANSWERED'] as const)
    expect(unsaid(event)).toEqual([])
  for (const secret of [...secrets, '://']) expect(collector.bodies.filter((body) => body.includes(secret))).toEqual([])
  expect(collector.headers.at(-1)!.get('authorization')).toBe(`Bearer ${keyOf('otel')}`)
})
