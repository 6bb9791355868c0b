import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { secondsOf } from '../../src/adapters/mongo/collections/execution-model'
import { connectMongo } from '../../src/adapters/mongo/engine/connection'
import { mongoStore } from '../../src/adapters/mongo/mongo-store'
import { connectNats } from '../../src/adapters/nats/connection'
import { natsMessages } from '../../src/adapters/nats/nats-messages'
import { noTelemetry } from '../../src/adapters/no-telemetry'
import { ownWakesFirst } from '../../src/adapters/own-wakes'
import { eventAppending } from '../../src/app/event-log'
import { startMongo } from '../../src/devnet/servers/mongo'
import { startNats } from '../../src/devnet/servers/nats'
import { chains, perChain } from '../../src/domain/chain/chain'
import type { Execution } from '../../src/domain/execution/execution'
import { TokenList } from '../../src/domain/money/token'
import { ownMarks } from '../../src/events/own-marks'
import type { Chains } from '../../src/ports/chain-client'
import type { Relayers } from '../../src/ports/signer'
import type { Signal } from '../../src/ports/webhooks'
import { worker } from '../../src/routing/engine/worker'
import { fillRows } from '../fill-rows'
import { type CountedServer, counted, mongoCommands, natsMessages as natsOnTheWire } from '../wire-counts'
import { depositRecord, endedRecord, workflowSteps } from './workflow'

const concurrency = 256
const keysOf = ({ deposit, history, state }: Omit<Execution, 'id'>) => ({
  hashes: [deposit.txHash],
  seconds: secondsOf(history),
  over: [state],
})

/** A signal within this process, as NATS delivers it: several within 5 ms are one. */
function localSignal(onSent: (listener: () => void) => unknown): Signal {
  let isPlanned = false
  let listener = (_isOwn: boolean): unknown => null
  const send = (): void => {
    if (isPlanned) return
    isPlanned = true
    setTimeout(() => {
      isPlanned = false
      listener(true)
    }, 5)
  }
  onSent(send)
  return {
    send,
    subscribe: (onSignal) => {
      listener = onSignal
    },
  }
}

/**
 * Runs the engine in this process, on its own database and NATS.
 *
 * @param isCounted Whether to count what passes between the engine and its servers.
 */
export async function ownEngine({ isCounted = false } = {}) {
  const dir = mkdtempSync(join(tmpdir(), 'switchyard-bench-'))
  const [mongo, nats] = await Promise.all([
    startMongo({ dataDir: join(dir, 'mongo') }),
    startNats({ dataDir: join(dir, 'nats') }),
  ])
  const wires: CountedServer[] = isCounted
    ? [await counted(mongo.url, mongoCommands), await counted(nats.url, natsOnTheWire)]
    : []
  const [mongoUrl = mongo.url, natsUrl = nats.url] = wires.map(({ url }) => url)
  const url = mongoUrl.replace(/\/(\?|$)/, `/bench_${process.pid}$1`)
  // Storing a million rows with their indexes takes longer than the service's own timeouts allow.
  const connection = await connectMongo(url, { answerWithinMs: 3_600_000 })
  const store = mongoStore(connection, `bench-${process.pid}`, Date.now)
  await store.ensureIndexes()
  const natsConnection = await connectNats(natsUrl)
  const messages = natsMessages(natsConnection, { prefix: `bench-${process.pid}-` })
  await messages.ensureStreams()
  const wakes = ownWakesFirst(messages.wakes, noTelemetry)

  const waiting = new Map<string, () => void>()
  const troubles: unknown[] = []
  const { executions, lanes, relayerRecords } = store
  const now = Date.now
  const engine = worker(
    {
      executions,
      relayerRecords,
      now,
      random: Math.random,
      wakes,
      steps: workflowSteps({ lanes, executions, now }),
      onBug: (_, error) => void troubles.push(error),
      chains: perChain((chainId) => ({ chainId })) as unknown as Chains,
      relayers: { onChain: () => [] } as unknown as Relayers,
    },
    { concurrency, sweepMs: 500, tendMs: 2_000 },
    {
      onRecord: (_, { id, completedAt }) => {
        if (completedAt === null) return
        waiting.get(id)?.()
        waiting.delete(id)
      },
      onSettled: ({ error }) => void troubles.push(error),
      onFault: (_, error) => void troubles.push(error),
    },
  )
  engine.start()
  const own = ownMarks()
  const marked = localSignal((send) =>
    store.onMarked((marks) => {
      own.note(marks)
      send()
    }),
  )
  const appending = eventAppending({
    records: store,
    eventLog: store.eventLog,
    eventMarks: store.eventMarks,
    semaphoreRecords: store.semaphoreRecords,
    name: `bench-${process.pid}`,
    signals: { marked, appended: { send: () => {}, subscribe: () => {} }, own },
    facts: {
      tokens: new TokenList([]),
      chains: perChain((_id, name) => ({ confirmations: chains[name].confirmations })),
      scanCursors: store.scanCursors,
    },
    now,
    onTrouble: (_, error) => void troubles.push(error),
  })
  appending.start()

  return {
    kind: `${mongo.kind}, ${nats.kind}`,
    store,
    connection,
    troubles,
    /** What the engine has sent to its servers and received, if that is counted. */
    wire: isCounted ? { mongo: wires[0]!.counts, nats: wires[1]!.counts } : null,
    /** Stores a deposit as the intake does, and waits until its execution has ended. */
    async carry(n: number): Promise<void> {
      const record = depositRecord(n, now())
      const ended = new Promise<void>((resolve) => waiting.set(record.id, resolve))
      const stored = (await executions.save(record)) as Execution
      await wakes.wakeNow(stored)
      await ended
    },
    /** Returns how many executions have events that are not in the log, up to 10,000, and the length of the log. */
    async logged(): Promise<{ marked: number; events: number }> {
      const marks = await store.eventMarks.due('executions', -1, now(), 10_000)
      return { marked: marks.length, events: (await store.eventLog.head())?.position ?? 0 }
    },
    /** Stores this many ended executions. */
    async fill(from: number, to: number): Promise<void> {
      const row = (n: number) => {
        const { id, ...rest } = endedRecord(n, now() - (to - n) * 1_000)
        return { _id: id, ...rest, writer: 'bench', keys: keysOf(rest) }
      }
      await fillRows(connection.collection('executions') as never, from, to, row, store.ensureIndexes)
      // Meanwhile the collection had no indexes, which the sweep and the log name in their queries.
      troubles.length = 0
    },
    async stop(): Promise<void> {
      await engine.stop()
      await appending.stop()
      await natsConnection.close()
      await connection.dropDatabase().catch(() => {})
      await connection.close()
      for (const wire of wires) await wire.stop()
      await Promise.all([mongo.stop(), nats.stop()])
      rmSync(dir, { recursive: true, force: true })
    },
  }
}
