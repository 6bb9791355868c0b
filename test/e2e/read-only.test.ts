import { afterAll, beforeAll, expect } from 'bun:test'
import { SQL } from 'bun'
import { isNightly, nightly } from '../support/depth'
import { type Environment, startEnvironment } from '../support/environment'
import { hasFerretDb } from '../support/servers'
import { complaints, postgresUrl, readiness, seenPaused } from '../support/service-seen'
import { testOn } from '../support/tools'
import { until } from '../support/until'

const isFerretDb = isNightly && (await hasFerretDb())
/** The test makes a database read-only by a setting of PostgreSQL. */
const onFerretDb = isNightly ? testOn('FerretDB', isFerretDb) : nightly

let environment: Environment
beforeAll(async () => {
  if (!isFerretDb) return
  environment = await startEnvironment({ hasOwnMongo: true })
})
afterAll(() => environment?.stop())

async function mayWrite(url: string, isAllowed: boolean): Promise<void> {
  const postgres = new SQL(url, { max: 1 })
  await postgres.unsafe(`ALTER SYSTEM SET default_transaction_read_only = ${isAllowed ? 'off' : 'on'}`)
  await postgres.unsafe('SELECT pg_reload_conf()')
  await postgres.close()
}

/** The number of transactions that PostgreSQL rolled back, such as those that may not write. */
async function refusals(url: string): Promise<number> {
  const postgres = new SQL(url, { max: 1 })
  const [row] = await postgres.unsafe('SELECT sum(xact_rollback)::int AS count FROM pg_stat_database')
  await postgres.close()
  return row.count
}

async function pauseBase(until: number | null): Promise<void> {
  const { apiUrl, keys } = environment.installation
  const headers = { 'x-api-key': keys.platformOperator, 'content-type': 'application/json' }
  const body = JSON.stringify({ reason: 'for a moment', until: until && new Date(until).toISOString() })
  const paused = await fetch(`${apiUrl}/api/operator/pauses/chain:8453`, { method: 'PUT', headers, body })
  expect(paused.status).toBe(200)
}

onFerretDb(
  'a database without writes, like a full one, loses and signs nothing, and shows in readiness and one log line',
  async () => {
    const { devnet, newUserId, intend, ended, executionsOf, routesExecuted, store } = environment
    const url = postgresUrl(environment.installation.server('mongodb').pid)!
    const users = await Promise.all(
      [1, 2, 3].map(async () => {
        const userId = newUserId('written')
        return { userId, account: (await intend(userId, { to: 'arbitrum', receive: 'USDC' })).depositAddress }
      }),
    )
    const send = async () => {
      for (const { account } of users)
        for (const chainKey of ['base', 'polygon'] as const)
          await devnet.sendDeposit({ chainKey, token: 'USDC', amountRaw: 11_000_000n, to: account })
    }
    // Three deposits are recorded, and wait for a pause that ends while nothing can be written.
    await pauseBase(null)
    await seenPaused(environment, 'base')
    for (const { account } of users)
      await devnet.sendDeposit({ chainKey: 'base', token: 'USDC', amountRaw: 12_000_000n, to: account })
    await until('three that wait', async (note) => {
      const due = await store.executions.due(Number.MAX_SAFE_INTEGER, -1, 9)
      return note(due).length === users.length
    })
    const pausedUntil = Date.now() + 2_000
    await pauseBase(pausedUntil)
    await mayWrite(url, false)
    const down = await until('readiness that says the database is down', async (note) => {
      const found = note(await readiness(environment))
      return found.checks['mongodb'] === 'down' && found
    })
    expect(down).toMatchObject({ status: 503, checks: { nats: 'ok', base: 'ok' } })
    await send()
    await until('the log says it', (note) => Object.keys(note(complaints(environment))).length > 0)
    const before = await refusals(url)
    await until(
      'the end of the pause, and 50 more refused writes',
      async (note) => note((await refusals(url)) - before) >= 50 && Date.now() > pausedUntil,
      { everyMs: 250 },
    )
    expect(await routesExecuted()).toEqual([])
    for (const { userId } of users) expect(await executionsOf(userId)).toEqual([]) // none has a status or an order
    for (const [message, times] of Object.entries(complaints(environment)))
      expect(times, message).toBeLessThanOrEqual(3)

    await mayWrite(url, true)
    await until('readiness again', async (note) => note(await readiness(environment)).status === 200)
    for (const { userId } of users) {
      const all = await ended(userId, 3)
      expect(all.map(({ status, retryCount }) => [status, retryCount])).toEqual(Array(3).fill(['SUCCESS', 0]))
    }
    expect(await routesExecuted()).toHaveLength(9)
  },
)
