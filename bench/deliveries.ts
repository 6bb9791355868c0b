import { loadavg } from 'node:os'
import { Api } from '../src/cli/client/api'
import { tokenOf } from '../src/devnet/chains/tokens'
import { inParallel } from '../src/domain/concurrency'
import { depositIdOf, type Execution } from '../src/domain/execution/execution'
import { databaseMs, onRig, percentile, processorMs, type Rig } from './rig'
import { startWebhookReceiver, untilCount } from './webhook-receiver'

const endpointsCount = 9
const deliveriesCount = Number(process.env['DELIVERIES'] ?? 100_000)
const [quietCount, quietEveryMs] = [20, 500]
const storedAtOnce = 64
const say = (line: string): void => console.log(`  ${line}`)

/**
 * Measures the events per minute posted to nine endpoints of an organization whose tenth never answers, and the delay
 * with few events. An event counts once it is signed, posted and accepted by the receiver. Its cost is read after all
 * outcomes are stored.
 */
export const deliveries = (): Promise<string[]> =>
  onRig(async (rig) => {
    const { installation, store, countDelivered, countStoredTwice } = rig
    const receiver = await startWebhookReceiver()
    try {
      const ended = await endedDeposit(rig)
      const api = new Api(installation.apiUrl, installation.keys.client)
      const types = ['deposit.detected', 'execution.failed_unroutable_main']
      for (let n = 0; n < endpointsCount; n++) await api.createEndpoint({ url: `${receiver.origin}/hooks`, types })
      await api.createEndpoint({ url: `${receiver.origin}/silent`, types })
      const begin = async (n: number): Promise<void> => {
        if (!(await store.executions.save(sameOf(ended, n)))) throw new Error('It is stored already')
      }
      const untilCame = (count: number) => untilCount(count, receiver.came, 100)
      // Counting stored rows costs the database time, so it happens rarely.
      const untilStored = (count: number) => untilCount(count, countDelivered, 500)
      for (let n = 0; n < quietCount; n++) {
        await begin(n)
        await Bun.sleep(quietEveryMs)
      }
      const quietTotal = quietCount * types.length * endpointsCount
      await untilCame(quietTotal)
      await untilStored(quietTotal)
      const quiet = await receiver.took()
      say(`${quiet.length} webhooks came while little happened`)

      const lives = Math.ceil(deliveriesCount / (types.length * endpointsCount))
      const pid = installation.server('service').pid!
      const used = () => ({ service: processorMs(pid), database: databaseMs(), receiver: receiver.usedMs() })
      const before = used()
      const startedAt = performance.now()
      const numbers = Array.from({ length: lives }, (_, n) => quietCount + n)
      await inParallel(numbers, storedAtOnce, begin)
      const storedAt = performance.now()
      const count = lives * types.length * endpointsCount
      await untilCame(quiet.length + count)
      const seconds = (performance.now() - startedAt) / 1_000
      await untilStored(quiet.length + count)
      const after = used()
      const each = (name: keyof typeof after): string => ((after[name] - before[name]) / count).toFixed(2)
      return [
        `event to its arrival while little happens: p50 ${percentile(quiet, 0.5)} ms, p99 ${percentile(quiet, 0.99)} ms`,
        `${count} deliveries to ${endpointsCount} endpoints, one more being silent: ` +
          `${Math.round((count / seconds) * 60)} a minute (${seconds.toFixed(1)} s, of which the events took ` +
          `${((storedAt - startedAt) / 1_000).toFixed(1)} s to store)`,
        `posted more than once: ${(await receiver.came()) - quiet.length - count}; stored before they were posted: ` +
          `${await countStoredTwice()}`,
        `processor time for each of them: the service ${each('service')} ms, the database ${each('database')} ms, ` +
          `the receiver ${each('receiver')} ms; ${await receiver.bytesEach()} bytes each, load of the machine ${loadavg()[0]!.toFixed(1)}`,
      ]
    } finally {
      await receiver.stop()
    }
  })

/** An ended deposit that no provider had a route for. */
export async function endedDeposit({ installation: { devnet }, newUser, ended }: Rig): Promise<Execution> {
  const to = await newUser('bench-deliveries', 'arbitrum')
  const hash = await devnet.sendDeposit({ chainKey: 'base', token: 'SY-NOROUTE', amountRaw: 25_000_000n, to })
  const { logs } = await devnet.waitForReceipt('base', hash)
  const { address } = tokenOf(8453, 'SY-NOROUTE')!
  const log = logs.find((each) => each.address.toLowerCase() === address.toLowerCase())
  const id = depositIdOf(8453, hash, Number(log!.logIndex))
  for (;;) {
    const [found] = await ended([id])
    if (found) return found
    await Bun.sleep(50)
  }
}

/** A copy of the same life, beginning now. */
export function sameOf(execution: Execution, n: number): Execution {
  const txHash = `0x${(n + 1).toString(16).padStart(64, '0')}` as const
  const at = Date.now()
  const { routeId: _, ...facts } = execution.facts
  return {
    ...execution,
    facts,
    id: depositIdOf(8453, txHash, 0),
    version: 0,
    deposit: { ...execution.deposit, txHash, logIndex: 0, detectedAt: at },
    completedAt: at,
    history: execution.history.map(({ storedAt: _, ...entry }) => ({ ...entry, at })),
  }
}
