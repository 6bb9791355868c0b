import { chainKeys } from '../src/domain/chain/chain'
import { carried, type Sent } from './deposits'
import { drive } from './engine/drive.mjs'
import { ownEngine } from './engine/switchyard'
import { onRig } from './rig'
import type { WireCounts } from './wire-counts'

const [warmUpCount, singleCount, burstCount] = [10, 40, 200]
const usersCount = 40
const idleMs = 10_000

const [workflowsCount, workflowsAtOnce, workflowsPerSecond] = [500, 256, 50]

/** Counts the commands to MongoDB and the messages of NATS, beyond those of an idle service. */
export const commands = async (): Promise<string[]> => [...(await ofWorkflows()), ...(await ofDeposits())]

/** For each workflow of the engine alone, whose steps are as in `engine`. */
async function ofWorkflows(): Promise<string[]> {
  const { carry, wire, troubles, stop } = await ownEngine({ isCounted: true })
  try {
    await drive(carry, { first: 0, count: 200, atOnce: 64 })
    await Bun.sleep(idleMs)
    const idle = await during(wire!, () => Bun.sleep(idleMs))
    const count = workflowsCount
    const paced = await during(wire!, () => drive(carry, { first: 1_000, count, perSecond: workflowsPerSecond }))
    await Bun.sleep(idleMs)
    const full = await during(wire!, () => drive(carry, { first: 2_000, count, atOnce: workflowsAtOnce }))
    if (troubles.length > 0) throw troubles[0]
    return [
      ...lines(`${workflowsPerSecond} workflows a second`, paced, count, idle),
      ...lines(`${workflowsAtOnce} workflows in flight`, full, count, idle),
    ]
  } finally {
    await stop()
  }
}

/** For each routed deposit. */
const ofDeposits = (): Promise<string[]> =>
  onRig(
    async (rig) => {
      const wire = rig.wire!
      const accounts = await Promise.all(Array.from({ length: usersCount }, (_, n) => rig.newUser(`bench-${n}`)))
      const one = (n: number): Sent => ({
        chainKey: chainKeys[n % chainKeys.length]!,
        account: accounts[Math.floor(n / chainKeys.length) % accounts.length]!,
        amountRaw: BigInt(20_000_000 + n),
      })
      const oneByOne = async (count: number) => {
        for (let n = 0; n < count; n++) await carried(rig, [one(n)])
      }
      await oneByOne(warmUpCount)
      await Bun.sleep(idleMs)
      const idle = await during(wire, () => Bun.sleep(idleMs))
      const single = await during(wire, () => oneByOne(singleCount))
      await Bun.sleep(idleMs)
      const sent = Array.from({ length: burstCount }, (_, n) => one(n))
      const burst = await during(wire, () => carried(rig, sent))
      return [
        ...lines('one at a time', single, singleCount, idle),
        ...lines(`${burstCount} at once`, burst, burstCount, idle),
      ]
    },
    {},
    { isCounted: true },
  )

type Counted = Wire & { ms: number }

type Wire = { mongo: WireCounts; nats: WireCounts }

async function during(wire: Wire, work: () => Promise<unknown>): Promise<Counted> {
  const [mongo, nats, startedAt] = [new Map(wire.mongo), new Map(wire.nats), performance.now()]
  await work()
  return { ms: performance.now() - startedAt, mongo: less(wire.mongo, mongo), nats: less(wire.nats, nats) }
}

const less = (now: WireCounts, before: WireCounts): WireCounts =>
  new Map([...now].map(([name, count]) => [name, count - (before.get(name) ?? 0)]))

/** A busy service polls less often than an idle one, so no count is taken as less than zero. */
function lines(what: string, counted: Counted, deposits: number, idle: Counted): string[] {
  const each = (kind: 'mongo' | 'nats') =>
    [...counted[kind]]
      .map(([name, count]) => ({
        name,
        count: (count - ((idle[kind].get(name) ?? 0) * counted.ms) / idle.ms) / deposits,
      }))
      .filter(({ count }) => count > 0)
      .toSorted((a, b) => b.count - a.count)
  const [mongo, nats] = [each('mongo'), each('nats')]
  const sum = (rows: typeof mongo) => rows.reduce((all, { count }) => all + count, 0).toFixed(1)
  const rows = [...mongo, ...nats].filter(({ count }) => count >= 0.05)
  return [
    `${what}: ${sum(mongo)} commands to MongoDB and ${sum(nats)} messages of NATS each`,
    ...rows.map(({ name, count }) => `  ${count.toFixed(2).padStart(6)}  ${name}`),
  ]
}
