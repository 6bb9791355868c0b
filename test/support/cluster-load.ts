import { connectNats } from '../../src/adapters/nats/connection'
import { natsMessages } from '../../src/adapters/nats/nats-messages'
import type { Relayer } from '../../src/domain/chain/relayer'
import type { Execution } from '../../src/domain/execution/execution'
import { isTerminal } from '../../src/domain/execution/status'
import type { Chains } from '../../src/ports/chain-client'
import type { Relayers } from '../../src/ports/signer'
import type { Steps } from '../../src/routing/engine/step'
import { worker } from '../../src/routing/engine/worker'
import { executionOf } from './deposits'
import { executionsInMemory, recordsInMemory } from './records'
import { intent, stepsThatSucceed } from './world'

const deliveryMs = 200
const bucketsCount = 8

type Load = { workersCount?: number; replicas?: number; perSecond?: number }

/** Workers on a NATS cluster that can be interrupted, and deposits that arrive at a steady rate. */
export async function loadOnNats(url: string, { workersCount = 3, replicas = 3, perSecond = 20 }: Load = {}) {
  const executions = executionsInMemory()
  const open = async () => {
    const connection = await connectNats(url)
    return { connection, messages: natsMessages(connection, { replicas }) }
  }
  const intake = await open()
  await intake.messages.ensureStreams()
  const firstLooks = new Map<string, number>()
  const steps = watched(({ id }) => void (firstLooks.has(id) || firstLooks.set(id, performance.now())))
  const opened = await Promise.all(Array.from({ length: workersCount }, open))
  const bugs: unknown[] = []
  const workers = opened.map(({ messages }) => workerOn(messages.wakes, { executions, steps, bugs }))
  for (const one of workers) one.start()

  const begunAt = new Map<string, number>()
  async function arrive(): Promise<void> {
    const n = begunAt.size + 1
    const at = Date.now()
    const record = executionOf(n, { version: 0, dueAt: at, createdAt: at, bucket: n % bucketsCount })
    begunAt.set(record.id, performance.now())
    const stored = await executions.save(record)
    await intake.messages.wakes.wake(stored!)
  }
  const arriving = setInterval(() => void arrive(), 1_000 / perSecond)

  return {
    bugs,
    connections: opened.map(({ connection }) => connection),
    messages: intake.messages,
    /** Times from storing a deposit to its first wake-up, in milliseconds, ascending. */
    wakeMs: () => [...firstLooks].map(([id, at]) => at - begunAt.get(id)!).toSorted((one, other) => one - other),
    all: (): Execution[] => executions.all(),
    countOpen: () => executions.all().filter(({ state }) => !isTerminal(state)).length,
    endArrivals: () => clearInterval(arriving),
    async stop(): Promise<void> {
      clearInterval(arriving)
      await Promise.all(workers.map((one) => one.stop()))
      for (const { connection } of [...opened, intake]) await connection.close()
    },
  }
}

/** Steps that succeed, with one repeated poll while the delivery is under way. */
const watched = (onFirst: (execution: Execution) => void): Steps => ({
  ...stepsThatSucceed,
  async matchIntent(execution) {
    onFirst(execution)
    return { type: 'intent matched', facts: { intent, routeId: execution.deposit.txHash! } }
  },
  async confirmDelivery(execution) {
    const { waiting } = execution.facts
    const isOver = waiting?.for === 'BLOCK' && Date.now() - waiting.since >= deliveryMs
    return isOver ? stepsThatSucceed.confirmDelivery(execution) : { retryInMs: deliveryMs, waitingFor: 'BLOCK' }
  },
})

type Parts = { executions: ReturnType<typeof executionsInMemory>; steps: Steps; bugs: unknown[] }
function workerOn(wakes: Parameters<typeof worker>[0]['wakes'], { executions, steps, bugs }: Parts) {
  const ports = {
    executions,
    steps,
    wakes,
    now: Date.now,
    random: Math.random,
    onBug: (_: Execution, error: unknown) => void bugs.push(error),
    chains: {} as Chains,
    relayers: { onChain: () => [] } as unknown as Relayers,
    relayerRecords: recordsInMemory<Relayer>(),
  }
  const onSettled = ({ error }: { error: unknown }) => void bugs.push(error)
  const listeners = { onRecord: () => {}, onSettled, onFault: (_: string, error: unknown) => void bugs.push(error) }
  return worker(ports, { concurrency: 16, sweepMs: 500, tendMs: 60_000 }, listeners)
}
