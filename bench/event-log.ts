import { join } from 'node:path'
import { connect } from 'nats'
import { natsSignal } from '../src/adapters/nats/nats-signal'
import { Api } from '../src/cli/client/api'
import { startService } from '../src/cli/installation/service-process'
import { freePort } from '../src/devnet/servers/free-port'
import { streamMessages } from '../src/domain/server-sent-events'
import { endedDeposit, sameOf } from './deliveries'
import { onRig, percentile } from './rig'
import { startWebhookReceiver, untilCount } from './webhook-receiver'

const eventsPerSecond = 100
const [writingMs, afterKillMs] = [30_000, 15_000]
/** Age of the endpoint before the first measured event. */
const endpointAgeMs = 10_000
const say = (line: string): void => console.log(`  ${line}`)

/**
 * Measures the delay from a write, at 100 events a second, to a stream and to an endpoint: with NATS, after the
 * process that appends is killed, and while NATS does not respond. A second process serves the stream. This process
 * writes as a worker would: it stores records and signals their marks.
 */
export const eventLog = (): Promise<string[]> =>
  onRig(async (rig) => {
    const { installation, store, dir } = rig
    const receiver = await startWebhookReceiver()
    const nats = await connect({ servers: installation.natsUrl })
    const port = await freePort()
    // The first process holds the lease of the log, because it began first.
    const other = await startService({
      env: { ...installation.serviceEnv(), PORT: `${port}` },
      port,
      log: join(dir, 'other.log'),
    })
    const stream = readStream(`http://127.0.0.1:${port}`, installation.keys.client)
    try {
      store.onMarked(natsSignal(nats, 'switchyard.events.marked').send)
      const ended = await endedDeposit(rig)
      const api = new Api(installation.apiUrl, installation.keys.client)
      await api.createEndpoint({ url: `${receiver.origin}/hooks`, types: ['deposit.*', 'execution.*'] })
      await Bun.sleep(endpointAgeMs)
      let n = 0
      const write = async (): Promise<void> => {
        if (!(await store.executions.save(sameOf(ended, n++)))) throw new Error('It is stored already')
      }
      const before = stream.tookMs.length
      await write()
      await Bun.sleep(endpointAgeMs)
      const eventsEach = stream.tookMs.length - before
      say(`a record has ${eventsEach} events`)

      /** Writes for this long, and waits until every event has come. */
      async function measured(what: string, ms: number, during?: () => void): Promise<string> {
        const [fromStream, fromEndpoint] = [stream.tookMs.length, await receiver.came()]
        const everyMs = (1_000 * eventsEach) / eventsPerSecond
        const records = Math.floor(ms / everyMs)
        const startedAt = performance.now()
        const writes: Promise<void>[] = []
        for (let count = 0; count < records; count++) {
          await Bun.sleep(Math.max(0, startedAt + count * everyMs - performance.now()))
          writes.push(write())
          if (count === 0) during?.()
        }
        await Promise.all(writes)
        const total = records * eventsEach
        await untilCount(fromStream + total, async () => stream.tookMs.length, 50)
        await untilCount(fromEndpoint + total, receiver.came, 100)
        const toStream = stream.tookMs.slice(fromStream)
        const toEndpoint = (await receiver.took()).slice(fromEndpoint)
        const figures = (took: readonly number[]) =>
          `p50 ${percentile(took, 0.5)} ms, p99 ${percentile(took, 0.99)} ms, longest ${Math.max(...took)} ms`
        const repeated = toStream.length + toEndpoint.length - 2 * total
        const line = `${what}: to a stream ${figures(toStream)}; to an endpoint ${figures(toEndpoint)}; repeated ${repeated}`
        say(line)
        return line
      }

      const withNats = await measured('with NATS', writingMs)
      const pid = installation.server('service').pid!
      const killed = await measured('after a kill', afterKillMs, () => void process.kill(pid, 'SIGKILL'))
      const natsPid = installation.server('nats').pid!
      process.kill(natsPid, 'SIGSTOP')
      try {
        return [withNats, killed, await measured('NATS stopped', writingMs)]
      } finally {
        process.kill(natsPid, 'SIGCONT')
      }
    } finally {
      stream.stop()
      await nats.close()
      await other.stop()
      await receiver.stop()
    }
  })

/** Reads the stream, and notes the delay of each event. */
function readStream(url: string, key: string): { tookMs: number[]; stop(): void } {
  const stopping = new AbortController()
  const tookMs: number[] = []
  const reading = async (): Promise<void> => {
    const response = await fetch(`${url}/api/events/stream?types=deposit.*,execution.*`, {
      headers: { 'x-api-key': key },
      signal: stopping.signal,
    })
    const [read, decoder] = [streamMessages(), new TextDecoder()]
    for await (const bytes of response.body!)
      for (const { data } of read(decoder.decode(bytes, { stream: true }))) {
        const { timestamp } = JSON.parse(data || '{}')
        if (timestamp) tookMs.push(Date.now() - Date.parse(timestamp))
      }
  }
  void reading().catch((error) => {
    if (!stopping.signal.aborted) throw error
  })
  return { tookMs, stop: () => stopping.abort() }
}
