import { mkdtempSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { cacheFolder } from '../src/devnet/servers/cache-folder'
import { startDocumentDb } from '../src/devnet/servers/documentdb'
import { freePort } from '../src/devnet/servers/free-port'
import { runProgram } from '../src/devnet/servers/run-program'
import { spawnChild } from '../src/devnet/servers/spawn-child'
import { untilReady } from '../src/devnet/servers/until-ready'
import { inParallel } from '../src/domain/concurrency'
import { sampleEvent } from '../src/http/webhooks/sample'
import { endpointOf } from '../test/support/webhooks'
import { startRedis } from './engine/redis'
import { databaseMs, percentile, processorMs } from './rig'
import { startWebhookReceiver, untilCount } from './webhook-receiver'

const endpointsCount = 9
const deliveriesCount = Number(process.env['DELIVERIES'] ?? 100_000)
const quietCount = 20
/** Number of messages sent to Svix at the same time. */
const atOnce = 32
const eventType = 'execution.failed_unroutable_main'
const secret = 'secret-of-a-bench-that-nobody-else-uses'

type SetUp = { queue: 'memory' | 'redis'; hasSilent: boolean }
/** All endpoints share its workers, so one silent endpoint matters. */
const setUps: SetUp[] = [
  { queue: 'memory', hasSilent: true },
  { queue: 'redis', hasSilent: true },
  { queue: 'memory', hasSilent: false },
]

/**
 * Measures the server of Svix as `deliveries` measures this service: the same number of messages with the same body to
 * nine endpoints, with and without a tenth that never answers. `BENCH_SVIX_SERVER` is the path of its program, which is
 * not published anywhere.
 */
export async function svix(): Promise<string[]> {
  const program = process.env['BENCH_SVIX_SERVER']
  if (program === undefined) return ['Svix was not measured: BENCH_SVIX_SERVER is not set to the path of its server']
  const lines: string[] = []
  for (const setUp of setUps) lines.push(...(await measured(program, setUp)))
  return lines
}

async function measured(program: string, { queue, hasSilent }: SetUp): Promise<string[]> {
  const dir = mkdtempSync(join(tmpdir(), 'switchyard-bench-'))
  const stops: (() => Promise<unknown>)[] = [async () => rmSync(dir, { recursive: true, force: true })]
  try {
    const [receiver, postgres] = await Promise.all([startWebhookReceiver(), startDocumentDb(join(dir, 'pg'), () => {})])
    stops.push(receiver.stop, postgres.stop)
    const redis = queue === 'redis' ? await startRedis(await cacheFolder(), join(dir, 'redis')) : null
    if (redis) stops.push(redis.stop)
    const port = await freePort()
    const env = {
      ...process.env,
      SVIX_LISTEN_ADDRESS: `127.0.0.1:${port}`,
      SVIX_DB_DSN: postgres.url,
      SVIX_JWT_SECRET: secret,
      SVIX_MAIN_SECRET: secret,
      SVIX_QUEUE_TYPE: queue,
      ...(redis && { SVIX_REDIS_DSN: `redis://127.0.0.1:${redis.port}` }),
      SVIX_CACHE_TYPE: 'memory',
      SVIX_WHITELIST_SUBNETS: '[127.0.0.0/8]',
    }
    await runProgram([program, 'migrate'], { env, timeoutMs: 120_000 })
    const token = (await runProgram([program, 'jwt', 'generate'], { env })).match(/ey[\w.-]+/)![0]
    const server = spawnChild([program], { env, log: join(dir, 'svix.log') })
    stops.push(() => server.stop())
    const origin = `http://127.0.0.1:${port}/api/v1`
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const ask = async (path: string, body: object): Promise<{ id: string }> => {
      const response = await fetch(`${origin}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
      if (!response.ok) throw new Error(`Svix answered ${response.status}: ${await response.text()}`)
      return (await response.json()) as { id: string }
    }
    await untilReady('Svix', server, async () => (await fetch(`${origin}/health/`).catch(() => null))?.ok === true)

    const { id } = await ask('/app/', { name: 'bench' })
    for (let n = 0; n < endpointsCount; n++) await ask(`/app/${id}/endpoint/`, { url: `${receiver.origin}/hooks` })
    if (hasSilent) await ask(`/app/${id}/endpoint/`, { url: `${receiver.origin}/silent` })
    const endpoint = endpointOf('whe_bench', 'org_bench', Date.now())
    const sample = JSON.parse(sampleEvent(eventType, { of: 'bench', endpoint, at: Date.now() }).body)
    const send = async (): Promise<void> => {
      const payload = { ...sample, timestamp: new Date().toISOString() }
      await ask(`/app/${id}/msg/`, { eventType, payload })
    }
    for (let n = 0; n < quietCount; n++) {
      await send()
      await Bun.sleep(500)
    }
    await untilCount(quietCount * endpointsCount, receiver.came, 100)
    const quiet = await receiver.took()
    const messages = Math.ceil(deliveriesCount / endpointsCount)
    const used = () => ({
      svix: processorMs(server.pid),
      stores: databaseMs() + (redis ? processorMs(redis.pid) : 0),
      receiver: receiver.usedMs(),
    })
    const before = used()
    const startedAt = performance.now()
    await inParallel(Array.from({ length: messages }), atOnce, send)
    const sentAt = performance.now()
    const count = messages * endpointsCount
    await untilCount(quiet.length + count, receiver.came, 100)
    const seconds = (performance.now() - startedAt) / 1_000
    const after = used()
    const each = (name: keyof typeof after): string => ((after[name] - before[name]) / count).toFixed(2)
    return [
      `Svix with its queue in ${queue}: message to its arrival while little happens: ` +
        `p50 ${percentile(quiet, 0.5)} ms, p99 ${percentile(quiet, 0.99)} ms`,
      `${count} deliveries of it to ${endpointsCount} endpoints${hasSilent ? ', one more being silent' : ''}: ` +
        `${Math.round((count / seconds) * 60)} a minute (${seconds.toFixed(1)} s, of which the messages took ` +
        `${((sentAt - startedAt) / 1_000).toFixed(1)} s to send)`,
      `processor time for each of them: Svix ${each('svix')} ms, its stores ${each('stores')} ms, ` +
        `the receiver ${each('receiver')} ms; ${await receiver.bytesEach()} bytes each, load of the machine ${loadavg()[0]!.toFixed(1)}`,
    ]
  } finally {
    for (const stop of stops.toReversed()) await stop()
  }
}
