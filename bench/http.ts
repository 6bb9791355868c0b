import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { spawnChild } from '../src/devnet/servers/spawn-child'
import { benchKey } from './http/memory'
import { percentile } from './rig'

const here = join(import.meta.dir, 'http')
const bun = process.execPath

/** The servers to compare, each on the runtime of its users. */
const peers: { name: string; command: string[] }[] = [
  { name: 'Switchyard', command: [bun, 'switchyard.ts'] },
  { name: 'Bun.serve by hand', command: [bun, 'hand-written.ts'] },
  { name: 'Fastify', command: ['node', 'fastify.mjs'] },
  { name: 'Nest on Fastify', command: ['node', 'nest.mjs', 'fastify'] },
  { name: 'Nest on Express', command: ['node', 'nest.mjs', 'express'] },
]
const kinds = ['POST', 'GET'] as const
const rounds = Number(process.env['BENCH_ROUNDS'] ?? 5)
const seconds = Number(process.env['BENCH_SECONDS'] ?? 4)
const rate = 1_000
const users = 100

export type Loaded = { p50: number; p99: number; total: number; errors: number }
export type Load = {
  url: string
  kind: 'POST' | 'GET'
  seconds: number
  connections: number
  rate?: number
  key?: string
}

export async function load(asked: Load): Promise<Loaded> {
  const lines: string[] = []
  const said = JSON.stringify({ key: benchKey, users, ...asked })
  const child = spawnChild(['node', join(here, 'load.mjs'), said], { onLine: (line) => lines.push(line) })
  if ((await child.exited) !== 0) throw new Error(`The load generator failed: ${child.tail()}`)
  return JSON.parse(lines.at(-1)!)
}

const headers = { 'x-api-key': benchKey, 'content-type': 'application/json' }
const target = {
  targetChainId: 42161,
  targetTokenAddress: '0xaf88d065e77c8cC2239327C5EDb3A432268e5831',
  targetAddress: '0x1dE3D712f5D3103AD50e22dc1f4d3Ff1559D5115',
}

/** Creates the accounts before the measurement, which leaves out their cost. */
export async function makeUsers(url: string): Promise<void> {
  for (let n = 0; n < users; n++) {
    const body = JSON.stringify({ userId: `user-${n}`, ...target })
    const { status } = await fetch(`${url}/api/deposit-intents`, { method: 'POST', headers, body })
    if (status !== 201 && status !== 200) throw new Error(`${url} answered ${status}`)
  }
}

type Peer = { name: string; url: string; pid: number; stop(): Promise<void> }

export async function startPeer(
  { name, command }: { name: string; command: string[] },
  more: Record<string, string> = {},
): Promise<Peer> {
  const port = Promise.withResolvers<number>()
  const env = { ...process.env, NODE_ENV: 'production', BENCH_KEY: benchKey, ...more }
  const child = spawnChild(command, { cwd: here, env, onLine: (line) => port.resolve(Number(line)) })
  void child.exited.then(() => port.reject(new Error(`${name} did not start: ${child.tail()}`)))
  return { name, url: `http://127.0.0.1:${await port.promise}`, pid: child.pid, stop: () => child.stop() }
}

const ticksPerSecond = 100

/** The processor time of all threads of a process, in seconds. */
function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond
}

const median = (values: number[]): number => percentile(values, 0.5)

/**
 * Compares two endpoints that do the same work on several servers. Each round measures every server once, so other load
 * on the machine affects all of them equally. The result is requests per second of processor time.
 */
export async function http(): Promise<string[]> {
  const lines: string[] = []
  const running = await Promise.all(peers.map((peer) => startPeer(peer)))
  try {
    for (const { url } of running) await makeUsers(url)
    for (const { url } of running) for (const kind of kinds) await load({ url, kind, seconds: 2, connections: 16 })
    for (const kind of kinds) {
      const perCpuSecond = new Map<string, number[]>()
      const paced = new Map<string, Loaded[]>()
      const errors = new Map<string, number>()
      for (let round = 0; round < rounds; round++)
        for (const { name, url, pid } of running) {
          const before = cpuSeconds(pid)
          const full = await load({ url, kind, seconds, connections: 32 })
          const used = cpuSeconds(pid) - before
          perCpuSecond.set(name, [...(perCpuSecond.get(name) ?? []), full.total / used])
          const steady = await load({ url, kind, seconds, connections: 20, rate })
          paced.set(name, [...(paced.get(name) ?? []), steady])
          errors.set(name, (errors.get(name) ?? 0) + full.errors + steady.errors)
        }
      const own = median(perCpuSecond.get('Switchyard')!)
      lines.push(`${kind}, requests per second of processor time; p50 and p99 in ms at ${rate}/s`)
      for (const { name } of running) {
        const all = perCpuSecond.get(name)!
        const at = median(all)
        const [p50, p99] = (['p50', 'p99'] as const).map((share) => median(paced.get(name)!.map((one) => one[share])))
        const times = (own / at).toFixed(2)
        lines.push(
          `  ${name.padEnd(18)} ${Math.round(at).toString().padStart(7)}  p50 ${p50}  p99 ${p99}  we are ${times}x`,
        )
      }
    }
  } finally {
    await Promise.all(running.map(({ stop }) => stop()))
  }
  return lines
}

if (import.meta.main) for (const line of await http()) console.log(line)
