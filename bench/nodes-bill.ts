import { startService } from '../src/cli/installation/service-process'
import { tokenOf } from '../src/devnet/chains/tokens'
import { freePort } from '../src/devnet/servers/free-port'
import type { Server } from '../src/devnet/servers/server'
import { type ChainKey, chainKeys, chains } from '../src/domain/chain/chain'
import type { Address } from '../src/domain/chain/hex'
import { depositIdOf } from '../src/domain/execution/execution'
import { computeUnitsOf } from '../src/domain/limits/node-requests'
import { type NodeCall, type NodeRecorder, recordNodes } from './node-recorder'
import { onRig, type Rig } from './rig'

/** The longest interval of an idle process's periodic work, except for what metrics read. */
const idleSeconds = Number(process.env['SECONDS'] || 60)
/** Time until all requests of a start have been made. */
const settleSeconds = 15
/** Time until a deposit's remaining work is settled too. */
const afterSeconds = 20
const daySeconds = 86_400
const withinMs = 120_000
/** Prometheus reads the metrics every 15 seconds, and Kubernetes probes readiness every 5 to 10 seconds. */
const askedEveryMs = 5_000
/** Interval for reading metrics' values from nodes again, and for checking the relayers of all processes. */
const readingSeconds = 300
/** In an idle installation only the check of the relayers makes these requests, so they are not extrapolated. */
const head = 'eth_getBlockByNumber'
const relayerMethods = ['eth_getBalance', 'eth_maxPriorityFeePerGas']
const others = ['second', 'third'] as const
/** Block time: as on the real chains, except for Ethereum. */
const blockSeconds = (key: ChainKey): number => (key === 'ethereum' ? 3 : chains[key].blockSeconds)

/**
 * The production pace, without the devnet's settings for its demo. All confirmations of Polygon and Ethereum would take
 * minutes for each deposit.
 */
const production: Record<string, string> = {
  CHAIN_POLL_MS: '',
  SWEEP_MS: '500',
  RETRY_BASE_MS: '',
  RETRY_MAX_MS: '',
  RETRY_PROVIDER_MAX_MS: '',
  ...Object.fromEntries(chainKeys.map((key) => [`CONFIRMATIONS_${key.toUpperCase()}`, ''])),
  CONFIRMATIONS_POLYGON: '16',
  CONFIRMATIONS_ETHEREUM: '4',
}
const withoutWebhooks: Record<string, string> = {
  ALCHEMY_AUTH_TOKEN: '',
  ALCHEMY_WEBHOOK_URL: '',
  ...Object.fromEntries(chainKeys.map((key) => [`ALCHEMY_SIGNING_KEY_${key.toUpperCase()}`, ''])),
}

const began = performance.now()
const progress = (line: string): void =>
  void process.stderr.write(`  ${((performance.now() - began) / 1_000).toFixed(0).padStart(3)} s  ${line}\n`)

/**
 * Counts the requests to nodes for following five idle chains, and the additional ones for a routed deposit, by chain,
 * method and purpose. Three processes run. The first watches every chain, so it costs as much as a single process.
 * WEBHOOKS=off measures an installation without them.
 */
export async function nodesBill(): Promise<string[]> {
  const recorder = recordNodes()
  const isFed = process.env['WEBHOOKS'] !== 'off'
  const env = { ...production, ...(!isFed && withoutWebhooks), ...recorder.envOf('first') }
  progress('starting five chains, the servers and the service')
  try {
    const options = { blockTimeSeconds: 1, onDevnet: recorder.follow }
    return await onRig((rig) => atRealPace(rig, () => measured(rig, recorder, isFed)), env, options)
  } finally {
    recorder.stop()
  }
}

/** Makes the chains produce blocks at the real pace. */
async function atRealPace<Result>({ installation: { devnet } }: Rig, measure: () => Promise<Result>): Promise<Result> {
  const ask = (key: ChainKey, method: string, ...params: unknown[]) => {
    const { rpcUrl } = Object.values(devnet.chains).find((chain) => chain.key === key)!
    const headers = { 'content-type': 'application/json' }
    return fetch(rpcUrl, { method: 'POST', headers, body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }) })
  }
  const isFast = (key: ChainKey) => blockSeconds(key) < 1
  for (const key of chainKeys) await ask(key, 'evm_setIntervalMining', isFast(key) ? 0 : blockSeconds(key))
  const timers = chainKeys
    .filter(isFast)
    .map((key) => setInterval(() => void ask(key, 'evm_mine').catch(() => {}), blockSeconds(key) * 1_000))
  return measure().finally(() => timers.forEach(clearInterval))
}

async function measured(rig: Rig, recorder: NodeRecorder, isFed: boolean): Promise<string[]> {
  const first = rig.installation.server('service')
  const accounts = {
    avalanche: await rig.newUser('to-avalanche', 'avalanche'),
    base: await rig.newUser('to-base', 'base'),
  }
  await metricsOf(first) // reads the values of metrics now, before idling is counted
  progress(`the first process watches; two more start, and all settle for ${settleSeconds} s`)
  const started = await Promise.all(others.map((name) => another(rig, recorder, name)))
  const servers = [first, ...started]
  try {
    const readings = await readingsOf(started[0]!, recorder)
    await metricsOf(started[1]!)
    await Bun.sleep(settleSeconds * 1_000)
    const idle = await idleBill({ servers, recorder, readings, isFed }, rig.installation.devnet.keys.relayers.length)
    return [...idle.lines, ...(await depositsBill(rig, recorder, accounts, idle.perSecond))]
  } finally {
    await Promise.all(started.map((server) => server.stop()))
  }
}

async function another({ installation, dir }: Rig, recorder: NodeRecorder, name: string): Promise<Server> {
  const port = await freePort()
  const env = { ...installation.serviceEnv(), ...recorder.envOf(name), PORT: `${port}` }
  return startService({ env, port, log: `${dir}/${name}.log` })
}

const metricsOf = async ({ url }: Server): Promise<string> => (await fetch(`${url}/metrics`)).text()

/** The requests of a process when its metrics are read for the first time. They repeat every five minutes. */
async function readingsOf(server: Server, recorder: NodeRecorder): Promise<NodeCall[]> {
  await Bun.sleep(2_000)
  const from = recorder.asked.length
  await metricsOf(server)
  return recorder.asked.slice(from).filter(({ process }) => process === others[0])
}

type Idling = { servers: readonly Server[]; recorder: NodeRecorder; readings: NodeCall[]; isFed: boolean }

async function idleBill({ servers, recorder, readings, isFed }: Idling, relayers: number) {
  progress(`counting what idling costs for ${idleSeconds} s`)
  const [from, cpuFrom] = [recorder.asked.length, await cpuMsOf(servers)]
  await idling(servers)
  const cpuMs = (await cpuMsOf(servers)) - cpuFrom
  const asked = recorder.asked.slice(from).filter(({ method }) => !relayerMethods.includes(method))
  const ofFirst = asked.filter(({ process }) => process === 'first')
  // Each relayer's balance, and the tip and the head of each chain.
  const looked = chainKeys.flatMap(() => [...Array(relayers).fill('eth_getBalance'), relayerMethods[1]!, head])
  const perDay = (count: number) => (count * daySeconds) / idleSeconds
  const readPerDay = (count: number) => (count * daySeconds) / readingSeconds
  const lookUnits = looked.reduce((sum, method) => sum + computeUnitsOf(method), 0)
  const line = (processes: number, all: readonly NodeCall[]) =>
    `${isFed ? 'webhooks healthy' : 'without webhooks'}, ${processes} process${processes > 1 ? 'es' : ''}, idle: ` +
    `${round(perDay(all.length) + readPerDay(looked.length + processes * readings.length))} requests and ` +
    `${round(perDay(unitsOf(all)) + readPerDay(lookUnits + processes * unitsOf(readings)))} compute units a day, ` +
    `of which relayers ${round(readPerDay(looked.length))} and metrics ${round(processes * readPerDay(readings.length))}`
  const share = (cpuMs / (idleSeconds * chainKeys.length)).toFixed(2)
  const lines = told([
    line(1, ofFirst),
    line(3, asked),
    `three idle processes take ${share} ms of processor in a second of each chain with everything else that idles`,
    ...table(asked, ({ method, purpose }) => `${method}${purpose && ` (${purpose})`}`),
  ])
  return { lines, perSecond: asked.length / idleSeconds }
}

/** Waits, with the readiness and metrics requests that an installation gets. */
async function idling(servers: readonly Server[]): Promise<void> {
  const until = performance.now() + idleSeconds * 1_000
  for (let n = 0; performance.now() < until; n++) {
    const path = n % 3 === 0 ? 'metrics' : 'ready'
    await Promise.all(servers.map(async ({ url }) => (await fetch(`${url}/${path}`)).text()))
    await Bun.sleep(Math.min(askedEveryMs, until - performance.now()))
  }
}

async function cpuMsOf(servers: readonly Server[]): Promise<number> {
  const texts = await Promise.all(servers.map(metricsOf))
  return texts.reduce((sum, text) => sum + Number(/^process_cpu_seconds_total (\S+)/m.exec(text)?.[1] ?? 0) * 1_000, 0)
}

type Accounts = { avalanche: Address; base: Address }

/** Counts the cost of deposits beyond the idle cost in the same time: one on each chain. */
async function depositsBill(rig: Rig, recorder: NodeRecorder, { avalanche, base }: Accounts, idlePerSecond: number) {
  const [from, startedAt] = [recorder.asked.length, performance.now()]
  progress('one deposit on each chain')
  await Promise.all(chainKeys.map((key) => routed(rig, key, key === 'avalanche' ? base : avalanche)))
  await Bun.sleep(afterSeconds * 1_000)
  const asked = recorder.asked.slice(from)
  const each = (asked.length - (idlePerSecond * (performance.now() - startedAt)) / 1_000) / chainKeys.length
  const units = unitsOf(asked) / asked.length
  const all = asked.map((one) => ({ ...one, by: recorder.callerOf(one) ?? 'following the chain' }))
  const ofBase = all.filter(({ chain, by }) => chain === 'base' || (chain === 'avalanche' && by.startsWith('step')))
  const summary = told([
    `a routed deposit, beyond idle: ${each.toFixed(1)} requests, about ${round(each * units)} compute units ` +
      `(the mean of ${chainKeys.length})`,
    ...table(asked, ({ method, purpose }) => `${method}${purpose && ` (${purpose})`}`),
    ...table(all, ({ by, method, purpose }) => `${by}: ${purpose || method}`),
  ])
  const inOrder = ofBase.map((one) => `  ${described(one, asked[0]!.at)}, ${one.by}`)
  return [...summary, 'the deposit on Base, in order, with the work that asked:', ...inOrder]
}

const unitsOf = (asked: readonly NodeCall[]): number =>
  asked.reduce((sum, { method }) => sum + computeUnitsOf(method), 0)

const described = ({ at, process, chain, method, purpose }: NodeCall, from: number): string =>
  `${((at - from) / 1_000).toFixed(1).padStart(5)} s  ${process} ${chain} ${method}${purpose && ` (${purpose})`}`

async function routed({ installation: { devnet }, load }: Rig, key: ChainKey, to: Address): Promise<void> {
  const hash = await devnet.sendDeposit({ chainKey: key, token: 'USDC', amountRaw: 21_000_000n, to })
  const { logs } = await devnet.waitForReceipt(key, hash)
  const { address } = tokenOf(chains[key].id, 'USDC')!
  const log = logs.find((each) => each.address.toLowerCase() === address.toLowerCase())
  const id = depositIdOf(chains[key].id, hash, Number(log!.logIndex))
  const deadline = performance.now() + withinMs
  for (;;) {
    const [execution] = await load([id])
    if (execution?.completedAt) return progress(`${key}: ${execution.status}`)
    if (performance.now() > deadline)
      throw new Error(`The deposit ${id} has not ended: ${execution?.state ?? 'not found yet'}`)
    await Bun.sleep(250)
  }
}

/** Prints a line as soon as it is known, because the whole takes minutes. */
function told(lines: string[]): string[] {
  for (const line of lines) progress(line)
  return lines
}

/** Counts requests by chain and by name. */
function table<One extends NodeCall>(asked: readonly One[], nameOf: (one: One) => string): string[] {
  const columns = (cells: readonly (number | string)[]) => cells.map((cell) => String(cell).padStart(10)).join('')
  const countsOf = (all: readonly One[]) => [
    ...chainKeys.map((key) => all.filter(({ chain }) => chain === key).length),
    all.length,
  ]
  const line = (name: string, all: readonly One[]) => `  ${name.padEnd(60)}${columns(countsOf(all))}`
  const rows = [...Map.groupBy(asked, nameOf)].toSorted(([, one], [, other]) => other.length - one.length)
  return [
    `  ${''.padEnd(60)}${columns([...chainKeys, 'all'])}`,
    ...rows.map(([name, all]) => line(name, all)),
    line('all', asked),
  ]
}

const round = (n: number): string => Math.round(n).toLocaleString('en')
