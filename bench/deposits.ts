import { readFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { tokenOf } from '../src/devnet/chains/tokens'
import { type ChainKey, chainKeyOf, chainKeys, chains } from '../src/domain/chain/chain'
import type { Address } from '../src/domain/chain/hex'
import { depositIdOf, type Execution } from '../src/domain/execution/execution'
import { onRig, percentile, processorMs, type Rig } from './rig'

const latencyCount = 50
const throughputCount = Number(process.env['DEPOSITS'] ?? 1_000)
const sustained = { perSecond: 5, seconds: 60 }
const usersCount = 200
const warmUpCount = 10
const withinMs = 600_000

export type Sent = { chainKey: ChainKey; account: Address; amountRaw: bigint }

/**
 * Sends deposits one at a time, then five a second, and then a thousand at once. Measures the service's processor time
 * and its memory, and prints the number of ended deposits on the way.
 */
export const deposits = (): Promise<string[]> =>
  onRig(async (rig) => {
    const accounts = await Promise.all(Array.from({ length: usersCount }, (_, n) => rig.newUser(`bench-${n}`)))
    const one = (n: number): Sent => ({
      chainKey: chainKeys[n % chainKeys.length]!,
      account: accounts[Math.floor(n / chainKeys.length) % accounts.length]!,
      amountRaw: BigInt(20_000_000 + n),
    })
    for (let n = 0; n < warmUpCount; n++) await carried(rig, [one(n)])

    const heads = await followHeads(rig)
    const single: Execution[] = []
    for (let n = 0; n < latencyCount; n++) single.push(...(await carried(rig, [one(n)])))
    say(`${latencyCount} deposits, one at a time, have ended`)

    const paced: Promise<Execution[]>[] = []
    const pacedFrom = performance.now()
    for (let n = 0; n < sustained.perSecond * sustained.seconds; n++) {
      await Bun.sleep(Math.max(0, pacedFrom + (n * 1_000) / sustained.perSecond - performance.now()))
      paced.push(carried(rig, [one(n)], { pollMs: 250 }))
    }
    const sustainedAll = (await Promise.all(paced)).flat()
    say(`${sustainedAll.length} deposits, ${sustained.perSecond} a second, have ended`)

    const pid = rig.installation.server('service').pid!
    const cpuBefore = processorMs(pid)
    const startedAt = performance.now()
    const all = await carried(
      rig,
      Array.from({ length: throughputCount }, (_, n) => one(n)),
      { onEnded: (ended) => say(`${ended} of ${throughputCount} at once have ended`) },
    )
    const cpuEach = (processorMs(pid) - cpuBefore) / throughputCount
    const seconds = (performance.now() - startedAt) / 1_000
    const succeeded = all.filter(({ status }) => status === 'SUCCESS').length
    const megabytes = residentBytes(pid) / 2 ** 20
    heads.stop()
    return [
      `one at a time: ${timesOf(single, heads)}`,
      `${sustained.perSecond} a second for ${sustained.seconds} s: ${timesOf(sustainedAll, heads)}`,
      `${throughputCount} deposits on ${chainKeys.length} chains, sent at once: ${(throughputCount / seconds).toFixed(1)} a second ` +
        `end to end (${seconds.toFixed(1)} s, ${succeeded} SUCCESS); ${timesOf(all, heads)}`,
      await transactionsTook(rig, all),
      `processor time of the service for each of them: ${cpuEach.toFixed(1)} ms, following the chains included; ` +
        `load of the machine ${loadavg()[0]!.toFixed(1)}`,
      `memory of the service after it: ${megabytes.toFixed(0)} MiB resident`,
    ]
  })

const say = (line: string): void => console.log(`  ${line}`)

/** Times to SUCCESS, from the block that confirms a deposit and from its first sighting in a block. */
function timesOf(executions: readonly Execution[], { confirmedAt }: Heads): string {
  const half = (startOf: (execution: Execution) => number) => {
    const took = executions.map((execution) => execution.completedAt! - startOf(execution))
    return `p50 ${percentile(took, 0.5)} ms, p95 ${percentile(took, 0.95)} ms`
  }
  return `confirmed to SUCCESS ${half(confirmedAt)}; from first sight ${half(({ history }) => history[0]!.at)}`
}

type Heads = { confirmedAt(execution: Execution): number; stop(): void }

/** Records when each chain announced each of its blocks, which gives each deposit's confirmation time. */
async function followHeads({ installation: { devnet } }: Rig): Promise<Heads> {
  const env = devnet.serviceEnv()
  const announced = new Map<string, number>()
  const sockets = Object.entries(devnet.chains).map(async ([chainId, { rpcUrl }]) => {
    const socket = new WebSocket(rpcUrl.replace('http', 'ws'))
    socket.onmessage = ({ data }) => {
      const number = JSON.parse(String(data)).params?.result?.number
      if (number !== undefined) announced.set(`${chainId}:${Number(number)}`, Date.now())
    }
    await new Promise((resolve) => {
      socket.onopen = resolve
    })
    socket.send('{"jsonrpc":"2.0","id":1,"method":"eth_subscribe","params":["newHeads"]}')
    return socket
  })
  const open = await Promise.all(sockets)
  return {
    confirmedAt({ deposit: { chainId, block } }) {
      const confirmations = Number(env[`CONFIRMATIONS_${chainKeyOf(chainId).toUpperCase()}`])
      const at = announced.get(`${chainId}:${block + confirmations - 1}`)
      if (at === undefined) throw new Error(`Nobody announced the block that confirms ${block} of ${chainId}`)
      return at
    },
    stop() {
      for (const socket of open) socket.close()
    },
  }
}

type Looks = { onEnded?: (count: number) => void; pollMs?: number }

/**
 * Sends all deposits and waits until each has ended.
 *
 * @param onEnded called with the number of ended deposits, after each further hundred.
 * @param pollMs interval for reading their records.
 * @returns their records.
 */
export async function carried(
  { installation: { devnet }, ended: endedOf }: Rig,
  sent: readonly Sent[],
  { onEnded = () => {}, pollMs = sent.length > 100 ? 500 : sent.length > 1 ? 250 : 20 }: Looks = {},
): Promise<Execution[]> {
  const ids = await Promise.all(
    sent.map(async ({ chainKey, account, amountRaw }) => {
      const hash = await devnet.sendDeposit({ chainKey, token: 'USDC', amountRaw, to: account })
      const { logs } = await devnet.waitForReceipt(chainKey, hash)
      const { address } = tokenOf(chains[chainKey].id, 'USDC')!
      const log = logs.find((each) => each.address.toLowerCase() === address.toLowerCase())
      return depositIdOf(chains[chainKey].id, hash, Number(log!.logIndex))
    }),
  )
  const open = new Set(ids)
  const ended: Execution[] = []
  const deadline = performance.now() + withinMs
  while (open.size > 0) {
    if (performance.now() > deadline) throw new Error(`${open.size} of ${sent.length} deposits have not ended`)
    for (const execution of await endedOf([...open]))
      if (open.delete(execution.id) && ended.push(execution) % 100 === 0) onEnded(ended.length)
    await Bun.sleep(pollMs)
  }
  return ended
}

/** Number of transactions that carried the orders, and the gas per order. */
async function transactionsTook(
  { installation: { devnet } }: Pick<Rig, 'installation'>,
  all: readonly Execution[],
): Promise<string> {
  const left = all.flatMap(({ deposit, facts }) =>
    facts.spent ? [{ hash: facts.spent.hash, chainKey: chainKeyOf(deposit.chainId) }] : [],
  )
  const transactions = [...Map.groupBy(left, ({ hash }) => hash).values()]
  const gas = await Promise.all(
    transactions.map(async ([one]) => Number((await devnet.waitForReceipt(one!.chainKey, one!.hash)).gasUsed)),
  )
  const each = gas.reduce((sum, one) => sum + one, 0) / left.length
  const most = Math.max(...transactions.map(({ length }) => length))
  return `${left.length} orders left in ${transactions.length} transactions of ${most} at most, with ${Math.round(each)} gas for each order`
}

function residentBytes(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Number(kilobytes) * 1_024
}
