import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connectMongo } from '../src/adapters/mongo/engine/connection'
import { type MongoStore, mongoStore } from '../src/adapters/mongo/mongo-store'
import { Api } from '../src/cli/client/api'
import { recipientOf } from '../src/cli/demo/demo-deposits'
import { Installation, type InstallationOptions } from '../src/cli/installation/installation'
import { tokenOf } from '../src/devnet/chains/tokens'
import { type ChainKey, chainKeys, chains } from '../src/domain/chain/chain'
import type { Address } from '../src/domain/chain/hex'
import type { Execution } from '../src/domain/execution/execution'
import { type CountedServer, counted, mongoCommands, natsMessages, type WireCounts } from './wire-counts'

/** Everything of the demo in its own folder, with access to the database. */
export type Rig = {
  installation: Installation
  store: MongoStore
  dir: string
  /** Creates a user whose deposits go to that chain, or to any. */
  newUser(name: string, to?: ChainKey): Promise<Address>
  load(ids: string[]): Promise<Execution[]>
  /** The ended ones among these executions. The others are not read, which makes polling almost free. */
  ended(ids: string[]): Promise<Execution[]>
  /** Number of posts to webhook endpoints stored as accepted, and number of those that were stored before too. */
  countDelivered(): Promise<number>
  countStoredTwice(): Promise<number>
  /** What the service has sent to its servers and received, if the rig counts it. */
  wire?: { mongo: WireCounts; nats: WireCounts }
}

type RigOptions = Pick<InstallationOptions, 'blockTimeSeconds' | 'cctp'> & {
  /** Called before the service starts. */
  onDevnet?: (devnet: Installation['devnet']) => void
  /** Whether to count what passes between the service and its servers. */
  isCounted?: boolean
}

/** Runs a measurement on its own installation, and removes everything again. */
export async function onRig<Result>(
  measure: (rig: Rig) => Promise<Result>,
  env: Record<string, string> = {},
  { onDevnet, isCounted = false, ...options }: RigOptions = {},
): Promise<Result> {
  const dir = mkdtempSync(join(tmpdir(), 'switchyard-bench-'))
  const serviceEnv: Record<string, string> = { LOG_LEVEL: 'warn', ...env }
  const installation = new Installation({ dir, port: 0, env: serviceEnv, ...options })
  const wires: CountedServer[] = []
  const silent = () => {}
  try {
    await installation.choosePort()
    await Promise.all([
      installation.startNats(silent),
      installation.startMongo(silent),
      installation.startDevnet(silent),
    ])
    onDevnet?.(installation.devnet)
    await installation.seed()
    if (isCounted) {
      wires.push(await counted(installation.mongodbUrlWithDatabase, mongoCommands))
      wires.push(await counted(installation.natsUrl, natsMessages))
      Object.assign(serviceEnv, { MONGODB_URL: wires[0]!.url, NATS_URL: wires[1]!.url })
    }
    await installation.startService()
    const connection = await connectMongo(installation.mongodbUrlWithDatabase)
    const store = mongoStore(connection, `bench-${process.pid}`, Date.now)
    const api = new Api(installation.apiUrl, installation.keys.client)
    const anyChain = (): ChainKey => chainKeys[Math.floor(Math.random() * chainKeys.length)]!
    const newUser = async (userId: string, to = anyChain()): Promise<Address> => {
      const targetTokenAddress = tokenOf(chains[to].id, 'USDC')!.address
      const target = { targetChainId: chains[to].id, targetTokenAddress, targetAddress: recipientOf(userId) }
      return (await api.createIntent({ userId, ...target })).depositAddress
    }
    const load = (ids: string[]) => store.executions.loadMany(ids)
    const ended = async (ids: string[]) => {
      const over = { _id: { $in: ids }, completedAt: { $gt: -1 } }
      const rows = await connection
        .collection<{ _id: string }>('executions')
        .find(over, { projection: { _id: 1 } })
        .toArray()
      return rows.length === 0 ? [] : load(rows.map(({ _id }) => _id))
    }
    const countDelivered = () => connection.collection('webhookDeliveries').countDocuments({ status: 'DELIVERED' })
    const countStoredTwice = () =>
      connection.collection('webhookDeliveries').countDocuments({ status: 'DELIVERED', version: { $gt: 1 } })
    const wire = isCounted ? { wire: { mongo: wires[0]!.counts, nats: wires[1]!.counts } } : {}
    const rig = { installation, store, dir, newUser, load, ended, countDelivered, countStoredTwice, ...wire }
    const result = await measure(rig)
    await connection.close()
    return result
  } finally {
    await installation.stop()
    for (const wire of wires) await wire.stop()
    rmSync(dir, { recursive: true, force: true })
  }
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

const msPerTick = 10

/** Processor time of a process. With `ended`, includes its ended child processes. */
export function processorMs(pid: number, ended = false): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const ticks = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, ended ? 15 : 13)
    .map(Number)
  return ticks.reduce((sum, each) => sum + each, 0) * msPerTick
}

const isDatabase = (pid: number): boolean =>
  /ferretdb|postgres|mongod/.test(readFileSync(`/proc/${pid}/cmdline`, 'utf8'))

/** Processor time of the database and all its processes, which this process started. */
export function databaseMs(): number {
  const parents = new Map<number, number>()
  for (const name of readdirSync('/proc').filter((each) => /^\d+$/.test(each)))
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8')
      parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]))
    } catch {} // it has ended by now
  const isOurs = (pid: number | undefined): boolean =>
    pid === process.pid || (pid !== undefined && isOurs(parents.get(pid)))
  return [...parents.keys()]
    .filter((pid) => isOurs(pid) && isDatabase(pid))
    .reduce((sum, pid) => sum + processorMs(pid, true), 0)
}
