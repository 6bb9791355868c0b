import { startService } from '../src/cli/installation/service-process'
import { tokenOf } from '../src/devnet/chains/tokens'
import { freePort } from '../src/devnet/servers/free-port'
import type { Server } from '../src/devnet/servers/server'
import { type ChainKey, chainKeys, chains } from '../src/domain/chain/chain'
import { computeUnitsOf } from '../src/domain/chain/compute-units'
import type { Address } from '../src/domain/chain/hex'
import { depositIdOf } from '../src/domain/execution/execution'
import { onRig, type Rig } from './rig'

const seconds = Number(process.env['SECONDS'] || 60)
/** Until everything that a start asks for has been asked. */
const settleSeconds = Number(process.env['SETTLE_SECONDS'] || 45)
const depositRounds = 2
const daySeconds = 86_400
const withinMs = 900_000
/**
 * Prometheus reads the metrics every 15 seconds, and Kubernetes asks every 5 to 10 seconds whether a process is ready.
 */
const askedEveryMs = 5_000

/** The pace of production: what the devnet sets for the sake of its demo is not set. */
const production: Record<string, string> = {
  CHAIN_POLL_MS: '',
  SWEEP_MS: '500',
  RETRY_BASE_MS: '',
  RETRY_MAX_MS: '',
  ...Object.fromEntries(chainKeys.map((key) => [`CONFIRMATIONS_${key.toUpperCase()}`, ''])),
}
const withoutWebhooks: Record<string, string> = {
  ALCHEMY_AUTH_TOKEN: '',
  ALCHEMY_WEBHOOK_URL: '',
  ...Object.fromEntries(chainKeys.map((key) => [`ALCHEMY_SIGNING_KEY_${key.toUpperCase()}`, ''])),
}

const progress = (line: string): void => void process.stderr.write(`  ${line}\n`)

/**
 * Measures what following five chains costs in requests to their nodes while nothing happens, with one process and with
 * three, with webhooks and without, and what a routed deposit costs beyond that. The chains make one block a second.
 */
export async function nodesBill(): Promise<string[]> {
  const slow = { blockTimeSeconds: 1 }
  const withWebhooks = await onRig(measureWithWebhooks, production, slow)
  const alone = await onRig(
    async (rig) => {
      await rig.newUser('nodes-bill')
      return [await idleBill('without webhooks, 1 process', [rig.installation.server('service')])]
    },
    { ...production, ...withoutWebhooks },
    slow,
  )
  return [...withWebhooks, ...alone].flat()
}

async function measureWithWebhooks(rig: Rig): Promise<string[][]> {
  const first = rig.installation.server('service')
  const account = await rig.newUser('nodes-bill')
  const idle = await idleBill('webhooks healthy, 1 process', [first])
  const others = await Promise.all([another(rig, 'second'), another(rig, 'third')])
  try {
    const three = await idleBill('webhooks healthy, 3 processes', [first, ...others])
    return [idle, three, await depositBill(rig, [first, ...others], account)]
  } finally {
    await Promise.all(others.map((server) => server.stop()))
  }
}

async function another({ installation, dir }: Rig, name: string): Promise<Server> {
  const port = await freePort()
  const env = { ...installation.serviceEnv(), PORT: `${port}` }
  return startService({ env, port, log: `${dir}/${name}.log` })
}

async function idleBill(what: string, servers: readonly Server[]): Promise<string[]> {
  progress(`${what}: settling for ${settleSeconds} s, then counting for ${seconds} s`)
  await Bun.sleep(settleSeconds * 1_000)
  const before = await countsOf(servers)
  await idling(servers)
  const after = await countsOf(servers)
  const spent = since(before, after)
  const [requests, units] = [sumOf(spent, () => 1), sumOf(spent, computeUnitsOf)].map((n) => (n * daySeconds) / seconds)
  const cpuMs = after.cpuMs - before.cpuMs
  return told([
    `${what}, idle: ${round(requests!)} requests and ${round(units!)} compute units a day, ` +
      `${(cpuMs / (seconds * chainKeys.length)).toFixed(2)} ms of processor a block with everything else that idles`,
    ...byMethod(spent),
  ])
}

/** Counts what deposits cost beyond what idling costs in the same time: one on each chain, and then another one. */
async function depositBill(rig: Rig, servers: readonly Server[], account: Address): Promise<string[]> {
  const idleFrom = await countsOf(servers)
  await idling(servers)
  const idle = sumOf(since(idleFrom, await countsOf(servers)), () => 1) / seconds
  const before = await countsOf(servers)
  const startedAt = performance.now()
  for (let n = 0; n < depositRounds; n++)
    await Promise.all(chainKeys.map((key, m) => routed(rig, key, account, BigInt(21_000_000 + 10 * n + m))))
  await Bun.sleep(settleSeconds * 1_000) // until what they left behind is settled as well
  const took = (performance.now() - startedAt) / 1_000
  const spent = since(before, await countsOf(servers))
  const count = depositRounds * chainKeys.length
  const each = (sumOf(spent, () => 1) - idle * took) / count
  return told([
    `a routed deposit, beyond idle: ${each.toFixed(1)} requests (${took.toFixed(0)} s for ${count})`,
    ...byMethod(spent),
  ])
}

/** A line is shown as soon as it is known, because everything together takes minutes. */
function told(lines: string[]): string[] {
  for (const line of lines) progress(line)
  return lines
}

async function routed({ installation: { devnet }, load }: Rig, key: ChainKey, to: Address, amountRaw: bigint) {
  const hash = await devnet.sendDeposit({ chainKey: key, token: 'USDC', amountRaw, to })
  const { logs } = await devnet.waitForReceipt(key, hash)
  const { address } = tokenOf(chains[key].id, 'USDC')!
  const log = logs.find((each) => each.address.toLowerCase() === address.toLowerCase())
  const id = depositIdOf(chains[key].id, hash, Number(log!.logIndex))
  const deadline = performance.now() + withinMs
  for (;;) {
    const [execution] = await load([id])
    if (execution?.completedAt) return progress(`${key}: ${execution.status}`)
    if (performance.now() > deadline) throw new Error(`The deposit ${id} has not ended`)
    await Bun.sleep(250)
  }
}

type Counts = { requests: Map<string, number>; cpuMs: number }

/** Lets time pass, while each process is asked what an installation asks it: whether it is ready, and its metrics. */
async function idling(servers: readonly Server[]): Promise<void> {
  const until = performance.now() + seconds * 1_000
  for (let n = 0; performance.now() < until; n++) {
    const path = n % 3 === 0 ? 'metrics' : 'ready'
    await Promise.all(servers.map(async ({ url }) => (await fetch(`${url}/${path}`)).text()))
    await Bun.sleep(Math.min(askedEveryMs, until - performance.now()))
  }
}

/** Requests by chain and method and processor time, summed over the processes. */
async function countsOf(servers: readonly Server[]): Promise<Counts> {
  const counts: Counts = { requests: new Map(), cpuMs: 0 }
  for (const { url } of servers) {
    const text = await (await fetch(`${url}/metrics`)).text()
    counts.cpuMs += Number(/^process_cpu_seconds_total (\S+)/m.exec(text)?.[1] ?? 0) * 1_000
    for (const line of text.matchAll(/^switchyard_rpc_requests_total\{(.*)\} (\d+)$/gm)) {
      const labels = Object.fromEntries([...line[1]!.matchAll(/(\w+)="([^"]*)"/g)].map(([, name, of]) => [name, of]))
      const id = `${labels['chain']} ${labels['method']}`
      counts.requests.set(id, (counts.requests.get(id) ?? 0) + Number(line[2]))
    }
  }
  return counts
}

const since = (before: Counts, after: Counts): Map<string, number> =>
  new Map([...after.requests].map(([id, count]) => [id, count - (before.requests.get(id) ?? 0)]))

const sumOf = (counts: ReadonlyMap<string, number>, costOf: (method: string) => number): number =>
  [...counts].reduce((sum, [id, count]) => sum + count * costOf(id.split(' ')[1]!), 0)

function byMethod(counts: ReadonlyMap<string, number>): string[] {
  const methods = Map.groupBy(counts, ([id]) => id.split(' ')[1]!)
  const sums = [...methods].map(([method, rows]) => [method, rows.reduce((sum, [, n]) => sum + n, 0)] as const)
  return sums
    .filter(([, count]) => count > 0)
    .toSorted(([, one], [, other]) => other - one)
    .map(([method, count]) => `  ${method}: ${count}`)
}

const round = (n: number): string => Math.round(n).toLocaleString('en')
