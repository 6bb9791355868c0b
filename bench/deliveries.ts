import { loadavg } from 'node:os'
import { join } from 'node:path'
import { Api } from '../src/cli/client/api'
import { tokenOf } from '../src/devnet/chains/tokens'
import { depositIdOf, type Execution } from '../src/domain/execution/execution'
import { databaseMs, onRig, percentile, processorMs, type Rig } from './rig'

const endpointsCount = 9
const deliveriesCount = Number(process.env['DELIVERIES'] ?? 20_000)
const [quietCount, quietEveryMs] = [20, 500]
const withinMs = 200_000
const say = (line: string): void => console.log(`  ${line}`)

/**
 * Measures how many events a minute are posted to nine endpoints of an organization whose tenth never answers, and how
 * soon they arrive while little happens. An event counts once it is signed, posted and taken in by the receiver; what it
 * costs is read once all outcomes are stored.
 */
export const deliveries = (): Promise<string[]> =>
  onRig(async (rig) => {
    const { installation, store, countDelivered, countStoredTwice } = rig
    const receiver = Bun.spawn(['node', join(import.meta.dir, 'http/receiver.mjs')], { stdout: 'pipe' })
    try {
      const { value } = await receiver.stdout.getReader().read()
      const origin = `http://127.0.0.1:${new TextDecoder().decode(value).trim()}`
      const came = async (): Promise<number> => Number(await (await fetch(`${origin}/count`)).text())
      const took = async (): Promise<number[]> => (await fetch(`${origin}/times`)).json() as Promise<number[]>
      const ended = await deposit(rig)
      const api = new Api(installation.apiUrl, installation.keys.client)
      const types = ['deposit.detected', 'execution.failed_unroutable_main']
      for (let n = 0; n < endpointsCount; n++) await api.createEndpoint({ url: `${origin}/hooks`, types })
      await api.createEndpoint({ url: `${origin}/silent`, types })
      const begin = async (n: number): Promise<void> => {
        if (!(await store.executions.save(sameOf(ended, n)))) throw new Error('It is stored already')
      }
      const untilAll = async (count: number, look: () => Promise<number>, everyMs: number): Promise<void> => {
        const deadline = performance.now() + withinMs
        for (let found = await look(); found < count; found = await look()) {
          if (performance.now() > deadline) throw new Error(`${found} of ${count} webhooks came or were stored`)
          await Bun.sleep(everyMs)
        }
      }
      const untilCame = (count: number) => untilAll(count, came, 100)
      // To count what is stored costs the database something, so it is counted less often.
      const untilStored = (count: number) => untilAll(count, countDelivered, 500)
      for (let n = 0; n < quietCount; n++) {
        await begin(n)
        await Bun.sleep(quietEveryMs)
      }
      const quietTotal = quietCount * types.length * endpointsCount
      await untilCame(quietTotal)
      await untilStored(quietTotal)
      const quiet = await took()
      say(`${quiet.length} webhooks came while little happened`)

      const lives = Math.ceil(deliveriesCount / (types.length * endpointsCount))
      const pid = installation.server('service').pid!
      const used = () => ({
        service: processorMs(pid),
        database: databaseMs(),
        receiver: processorMs(receiver.pid),
      })
      const before = used()
      const startedAt = performance.now()
      await Promise.all(Array.from({ length: lives }, (_, n) => begin(quietCount + n)))
      const storedAt = performance.now()
      const total = (quietCount + lives) * types.length * endpointsCount
      await untilCame(total)
      const seconds = (performance.now() - startedAt) / 1_000
      await untilStored(total)
      const count = (await came()) - quiet.length
      const after = used()
      const each = (name: keyof typeof after): string => ((after[name] - before[name]) / count).toFixed(2)
      return [
        `event to its arrival while little happens: p50 ${percentile(quiet, 0.5)} ms, p99 ${percentile(quiet, 0.99)} ms`,
        `${count} deliveries at once to ${endpointsCount} endpoints, one more being silent: ` +
          `${Math.round((count / seconds) * 60)} a minute (${seconds.toFixed(1)} s, of which the events took ` +
          `${((storedAt - startedAt) / 1_000).toFixed(1)} s to store); ${await countStoredTwice()} of all deliveries ` +
          `were stored before they were posted`,
        `processor time for each of them: the service ${each('service')} ms, the database ${each('database')} ms, ` +
          `the receiver ${each('receiver')} ms; load of the machine ${loadavg()[0]!.toFixed(1)}`,
      ]
    } finally {
      receiver.kill()
      await receiver.exited
    }
  })

/** A deposit that no provider has a route for, which has ended. */
async function deposit({ installation: { devnet }, newUser, ended }: Rig): Promise<Execution> {
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

/** The same life once more, as of now. */
function sameOf(execution: Execution, n: number): Execution {
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
