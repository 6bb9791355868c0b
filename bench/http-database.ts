import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connectMongo } from '../src/adapters/mongo/connection'
import { mongoStore } from '../src/adapters/mongo/mongo-store'
import { startMongo } from '../src/devnet/servers/mongo'
import { detected } from '../src/domain/detected'
import type { Execution } from '../src/domain/execution'
import { laneId } from '../src/domain/lane'
import { load, makeUsers, startPeer } from './http'
import { benchKey } from './http/memory'
import { percentile } from './rig'

const rates = [200, 1_000]
const seconds = Number(process.env['BENCH_SECONDS'] ?? 8)
/** What a large organization has, and a small one. */
const [large, small] = [Number(process.env['BENCH_ROWS'] ?? 100_000), 1_000]
const asks = 200
const batch = 2_000
const monthMs = 30 * 24 * 60 * 60_000

const addressOf = (n: number) => `0x${n.toString(16).padStart(40, '0')}` as const
const hashOf = (n: number) => `0x${n.toString(16).padStart(64, '0')}` as const
const usdc = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'

/** Executions of a month, evenly. */
function row(n: number, organizationId: string, userId: string): Execution {
  const at = Date.now() - Math.floor((n * monthMs) / large)
  const account = addressOf(n + 1_000_000)
  const [chainId, token] = [8453, usdc] as const
  const deposit = {
    lane: laneId(account, chainId, token),
    account,
    chainId,
    token,
    symbol: 'USDC',
    decimals: 6,
    amountRaw: '1000',
    block: n,
    txHash: hashOf(n),
    logIndex: 0,
    fromAddress: null,
    detectedBy: [],
    detectedAt: at,
  }
  const fresh = detected({ id: `8453:${hashOf(n)}:0`, organizationId, userId, deposit, machineVersion: '1' }, at)
  return { ...fresh, status: 'SUCCESS', state: 'SUCCESS', createdAt: at, completedAt: at, dueAt: null }
}

/** The same API on a real database: how long answers take at a rate, and whether size matters. */
export async function httpDatabase(): Promise<string[]> {
  const dir = mkdtempSync(join(tmpdir(), 'switchyard-bench-'))
  const server = await startMongo({ dataDir: dir })
  const name = `bench_${process.pid}`
  const url = server.url.replace(/\/(\?|$)/, `/${name}$1`)
  const connection = await connectMongo(url)
  const api = await startPeer(
    { name: 'Switchyard', command: [process.execPath, 'on-database.ts'] },
    { BENCH_MONGODB_URL: url },
  )
  try {
    await makeUsers(api.url)
    const lines = [`with ${server.kind} behind it, p50 and p99 in ms`]
    for (const rate of rates)
      for (const kind of ['POST', 'GET'] as const) {
        const { p50, p99, errors } = await load({ url: api.url, kind, seconds, connections: 32, rate })
        lines.push(`  ${kind.padEnd(4)} at ${String(rate).padStart(4)}/s  p50 ${p50}  p99 ${p99}  ${errors} errors`)
      }
    return [...lines, ...(await sizes(mongoStore(connection, 'bench'), api.url))]
  } finally {
    await api.stop()
    await connection.dropDatabase().catch(() => {})
    await connection.close()
    await server.stop()
    rmSync(dir, { recursive: true, force: true })
  }
}

type Store = ReturnType<typeof mongoStore>

/** The small organization is the key's own at first; then the large one is. */
async function sizes({ executions }: Store, url: string): Promise<string[]> {
  const lines: string[] = []
  let rows = 0
  for (const size of [small, large]) {
    while (rows < size) {
      const count = Math.min(batch, size - rows)
      const first = rows
      await Promise.all(
        Array.from({ length: count }, (_, n) =>
          executions.save(row(first + n, 'org_1', `user-${(first + n) % 1_000}`)),
        ),
      )
      rows += count
    }
    const paths = {
      'list of a user': (n: number) => `/api/users/user-${n % 100}/executions`,
      'newest of all': () => '/api/executions?limit=20',
      'by a hash': (n: number) => `/api/executions?txHash=${hashOf(n)}`,
      'by its id': (n: number) => `/api/executions/8453:${hashOf(n)}:0`,
      'deposits of a user': (n: number) => `/api/users/user-${n % 100}/deposits`,
      'intent of a user': (n: number) => `/api/users/user-${n % 100}/deposit-intent`,
    }
    const found: string[] = []
    for (const [name, path] of Object.entries(paths)) found.push(`${name} ${await askedFor(url, path)}`)
    lines.push(`  ${size} executions, p50/p99 ms: ${found.join(', ')}`)
  }
  return lines
}

async function askedFor(url: string, path: (n: number) => string): Promise<string> {
  const taken: number[] = []
  for (let n = 0; n < asks; n++) {
    const began = performance.now()
    const answer = await fetch(url + path(n), { headers: { 'x-api-key': benchKey } })
    await answer.text()
    if (answer.status !== 200) throw new Error(`${path(n)} answered ${answer.status}`)
    taken.push(performance.now() - began)
  }
  return `${percentile(taken, 0.5).toFixed(1)}/${percentile(taken, 0.99).toFixed(1)}`
}

if (import.meta.main) for (const line of await httpDatabase()) console.log(line)
