import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import mongoose, { type Connection } from 'mongoose'
import { startMongo } from '../src/devnet/servers/mongo'
import { load, makeUsers, startPeer } from './http'
import { fill, hashOf, userOf } from './http/fill'
import { benchKey } from './http/memory'
import { explained } from './http/query-plans'
import { percentile } from './rig'

const rates = [200, 1_000]
const seconds = Number(process.env['BENCH_SECONDS'] ?? 8)
/** The numbers of rows of a large and of a small organization. */
const [large, small] = [Number(process.env['BENCH_ROWS'] ?? 100_000), 1_000]
const asks = Number(process.env['BENCH_ASKS'] ?? 200)
/** Measures the API on a real database: response times at a rate, and the effect of the number of rows. */
export async function httpDatabase(): Promise<string[]> {
  const dir = mkdtempSync(join(tmpdir(), 'switchyard-bench-'))
  const server = await startMongo({ dataDir: dir })
  const name = `bench_${process.pid}`
  const url = server.url.replace(/\/(\?|$)/, `/${name}$1`)
  // Not the service's own connection, whose timeout is shorter than an index on a million rows needs.
  const connection = await mongoose.createConnection(url, { autoIndex: false, autoCreate: false }).asPromise()
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
    return [...lines, ...(await sizes(connection, api.url)), ...(await plans(url))]
  } finally {
    await api.stop()
    await connection.dropDatabase().catch(() => {})
    await connection.close()
    await server.stop()
    rmSync(dir, { recursive: true, force: true })
  }
}

type RequestMaker = (n: number, size: number) => { path: string; body?: object }

const someUser = (n: number, size: number): string => userOf(Math.floor((n / asks) * size))
const someHash = (n: number, size: number) => hashOf(Math.floor((n / asks) * size))
const addresses = {
  targetTokenAddress: '0xaf88d065e77c8cC2239327C5EDb3A432268e5831',
  targetAddress: '0x1dE3D712f5D3103AD50e22dc1f4d3Ff1559D5115',
}
const target = { targetChainId: 42161, ...addresses }

const questions: Record<string, RequestMaker> = {
  'list of a user': (n, size) => ({ path: `/api/users/${someUser(n, size)}/executions` }),
  'deposits of a user': (n, size) => ({ path: `/api/users/${someUser(n, size)}/deposits` }),
  'newest page': () => ({ path: '/api/executions?limit=20' }),
  'deep page': () => ({ path: `/api/executions?limit=20&createdTo=${daysAgo(25)}` }),
  'filtered page': () => ({ path: '/api/executions?limit=20&status=SUCCESS&fromChainId=8453' }),
  'filter without rows': () => ({ path: '/api/executions?limit=20&status=DEAD_LETTER' }),
  'a rare provider': () => ({ path: '/api/executions?limit=20&provider=relay' }),
  'deposits that wait': () => ({ path: '/api/deposits?limit=20&stage=QUEUED' }),
  'by a hash': (n, size) => ({ path: `/api/executions?txHash=${someHash(n, size)}` }),
  'by its id': (n, size) => ({ path: `/api/executions/8453:${someHash(n, size)}:0` }),
  'intent GET': (n, size) => ({ path: `/api/users/${someUser(n, size)}/deposit-intent` }),
  'intent POST': (n, size) => ({ path: '/api/deposit-intents', body: { userId: someUser(n, size), ...target } }),
}

const daysAgo = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString()

/** Sends requests as the small organization first, and then as the large one. */
async function sizes(connection: Connection, url: string): Promise<string[]> {
  const lines: string[] = []
  const before = new Map<string, string>()
  let rows = 0
  for (const size of [small, large]) {
    const began = performance.now()
    await fill(connection, rows, size)
    const took = ((performance.now() - began) / 1_000).toFixed(0)
    lines.push(`  ${size} accounts, intents and executions of one organization, filled in ${took} s; p50/p99 ms`)
    rows = size
    for (const [name, asked] of Object.entries(questions)) {
      const found = await askedFor(url, size, asked)
      const earlier = before.get(name)
      before.set(name, found)
      lines.push(`    ${name.padEnd(20)} ${found.padStart(12)}${earlier ? `   with ${small}: ${earlier}` : ''}`)
    }
  }
  return lines
}

/** Names the index that the database uses for each request. */
async function plans(url: string): Promise<string[]> {
  const { indexesOf, close } = await explained(url)
  const lines = [`  the indexes that answer them, with ${large} rows`]
  try {
    for (const [name, asked] of Object.entries(questions)) {
      const { path, sent } = requestOf(asked(asks / 2, large))
      const found = await indexesOf(new Request(`http://localhost${path}`, sent))
      lines.push(`    ${name.padEnd(20)} ${found}`)
    }
  } finally {
    await close()
  }
  return lines
}

function requestOf({ path, body }: ReturnType<RequestMaker>) {
  const text = body && JSON.stringify(body)
  const typed = text && { 'content-type': 'application/json', 'content-length': String(text.length) }
  const headers = { 'x-api-key': benchKey, ...typed }
  return { path, sent: text ? { method: 'POST', headers, body: text } : { headers } }
}

async function askedFor(url: string, size: number, asked: RequestMaker): Promise<string> {
  const taken: number[] = []
  for (let n = 0; n < asks; n++) {
    const { path, sent } = requestOf(asked(n, size))
    const began = performance.now()
    const answer = await fetch(url + path, sent)
    const text = await answer.text()
    if (answer.status !== 200 && answer.status !== 201) throw new Error(`${path}: ${answer.status} ${text}`)
    taken.push(performance.now() - began)
  }
  return `${percentile(taken, 0.5).toFixed(1)}/${percentile(taken, 0.99).toFixed(1)}`
}

if (import.meta.main) for (const line of await httpDatabase()) console.log(line)
