import { chainKeys } from '../src/domain/chain/chain'
import { carried, type Sent } from './deposits'
import { onRig, type Rig } from './rig'
import type { WireCounts } from './wire-counts'

const [warmUpCount, singleCount, burstCount] = [10, 40, 200]
const usersCount = 40
const idleMs = 10_000

/** Counts the commands to MongoDB and the messages of NATS for each routed deposit, beyond those of an idle service. */
export const commands = (): Promise<string[]> =>
  onRig(
    async (rig) => {
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
      const idle = await during(rig, () => Bun.sleep(idleMs))
      const single = await during(rig, () => oneByOne(singleCount))
      await Bun.sleep(idleMs)
      const sent = Array.from({ length: burstCount }, (_, n) => one(n))
      const burst = await during(rig, () => carried(rig, sent))
      return [
        ...lines('one at a time', single, singleCount, idle),
        ...lines(`${burstCount} at once`, burst, burstCount, idle),
      ]
    },
    {},
    { isCounted: true },
  )

type Counted = { ms: number; mongo: WireCounts; nats: WireCounts }

async function during({ wire }: Rig, work: () => Promise<unknown>): Promise<Counted> {
  const [mongo, nats, startedAt] = [new Map(wire!.mongo), new Map(wire!.nats), performance.now()]
  await work()
  return { ms: performance.now() - startedAt, mongo: less(wire!.mongo, mongo), nats: less(wire!.nats, nats) }
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
    `${what}: ${sum(mongo)} commands to MongoDB and ${sum(nats)} messages of NATS per deposit`,
    ...rows.map(({ name, count }) => `  ${count.toFixed(2).padStart(6)}  ${name}`),
  ]
}
