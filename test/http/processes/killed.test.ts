import { afterAll, beforeAll, expect } from 'bun:test'
import { join } from 'node:path'
import { connectMongo } from '../../../src/adapters/mongo/engine/connection'
import { seedDatabase } from '../../../src/cli/demo/seed-database'
import { oneChain } from '../../support/one-chain'
import { seals } from '../../support/seals'
import { mongoUrl, natsUrl } from '../../support/servers'
import { serviceVariables } from '../../support/service-variables'
import { testAll } from '../../support/test-all'
import { until } from '../../support/until'
import { target } from '../world'

const root = join(import.meta.dir, '..', '..', '..')
const processes: Bun.Subprocess[] = []
const url = await mongoUrl()
let world: Awaited<ReturnType<typeof oneChain>>
let client: string
/** The last started process, which replaces a killed one. */
let running: Awaited<ReturnType<typeof startService>> | null = null
beforeAll(async () => {
  world = await oneChain()
  const registry = world.variables['ACCOUNT_REGISTRY_ADDRESS'] as `0x${string}`
  client = (await seedDatabase(url, registry, seals)).client
})

afterAll(async () => {
  await world?.chain.stop()
  for (const one of processes) one.kill('SIGKILL')
  await Promise.all(processes.map(({ exited }) => exited))
  const connection = await connectMongo(url)
  await connection.dropDatabase()
  await connection.close()
})

/** Starts the production program as a separate process, configured only by its environment. */
async function startService(env: Record<string, string>) {
  const child = Bun.spawn([process.execPath, 'src/main.ts'], {
    cwd: root,
    env: {
      ...process.env,
      ...serviceVariables,
      ...world.variables,
      ROLES: 'api',
      FAUCET_URL: 'http://127.0.0.1:9', // the seeded keys are those of a sandbox
      PORT: '0',
      LOG_LEVEL: 'info',
      ...env,
    },
    stdout: 'pipe',
    stderr: 'inherit',
  })
  processes.push(child)
  const decoder = new TextDecoder()
  let text = ''
  for await (const part of child.stdout) {
    text += decoder.decode(part, { stream: true })
    const url = /"url":"([^"]+)"/.exec(text)?.[1]
    if (url) return { url, child }
  }
  throw new Error(`The service did not start: ${text}`)
}

testAll([
  ['before the first response', 0],
  ['at the first response', 1],
])(
  '50 creates of one user across a kill before or at the first response make one account and one intent, with at most one 201',
  async (_when, killAt) => {
    const env = { MONGODB_URL: url, MONGODB_DATABASE: new URL(url).pathname.slice(1), NATS_URL: await natsUrl() }
    const first = running ?? (await startService(env))
    running = null
    const userId = `user-${killAt}`
    const create = (to: string): Promise<number> =>
      fetch(`${to}/api/deposit-intents`, {
        method: 'POST',
        headers: { 'x-api-key': client, 'content-type': 'application/json' },
        body: JSON.stringify({ userId, ...target }),
      }).then(
        ({ status }) => status,
        () => 0,
      )
    const seen: number[] = []
    let answered = 0
    const sent = Array.from({ length: 50 }, async () => {
      const status = await create(first.url)
      seen.push(status)
      answered += 1
      if (answered === killAt) first.child.kill('SIGKILL')
      return status
    })
    if (killAt === 0) {
      const connection = await connectMongo(url)
      await until(
        'the account is stored',
        async (note) => {
          note({ answered, statuses: [...new Set(seen)] })
          return (await connection.collection('accounts').countDocuments({ userId })) > 0
        },
        { everyMs: 1 },
      )
      first.child.kill('SIGKILL')
      await connection.close()
    }
    const before = await Promise.all(sent)
    await first.child.exited

    const second = await startService(env)
    const lost = before.filter((status) => status === 0)
    const after = await Promise.all(lost.map(() => create(second.url)))
    running = second

    const statuses = [...before, ...after].filter((status) => status !== 0)
    expect(statuses.length).toBe(50)
    expect(statuses.filter((status) => status !== 200 && status !== 201)).toEqual([])
    // The lost response may belong to the request that created it.
    expect(statuses.filter((status) => status === 201).length).toBeLessThanOrEqual(1)
    if (before.includes(201)) expect(after.includes(201)).toBe(false)
    const connection = await connectMongo(url)
    for (const name of ['accounts', 'intents'])
      expect([name, await connection.collection(name).countDocuments({ userId })]).toEqual([name, 1])
    await connection.close()
  },
)
