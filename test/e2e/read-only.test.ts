import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { SQL } from 'bun'
import { type Environment, startEnvironment, until } from '../support/environment'

let environment: Environment
beforeAll(async () => {
  environment = await startEnvironment({ hasOwnMongo: true })
}, 120_000)
afterAll(() => environment?.stop(), 60_000)

/** What FerretDB stores in; none where a mongod runs. */
function postgresUrl(): string | null {
  const { pid } = environment.installation.server('mongodb')
  const variables = pid === null ? [] : readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0')
  return (
    variables
      .find((one) => one.startsWith('FERRETDB_POSTGRESQL_URL='))
      ?.split('=')
      .slice(1)
      .join('=') ?? null
  )
}

async function mayWrite(url: string, isAllowed: boolean): Promise<void> {
  const postgres = new SQL(url, { max: 1 })
  await postgres.unsafe(`ALTER SYSTEM SET default_transaction_read_only = ${isAllowed ? 'off' : 'on'}`)
  await postgres.unsafe('SELECT pg_reload_conf()')
  await postgres.close()
}

async function ready(): Promise<{ status: number; checks: Record<string, string> }> {
  const answer = await fetch(`${environment.installation.apiUrl}/ready`)
  return { ...((await answer.json()) as { checks: Record<string, string> }), status: answer.status }
}

/** Warnings and errors that the service has written, the same ones together. */
function complaints(): Record<string, number> {
  const lines = readFileSync(join(environment.dir, 'service.log'), 'utf8').split('\n')
  const told = lines.flatMap((line) => {
    const { level, msg } = line.startsWith('{')
      ? (JSON.parse(line) as { level: number; msg: string })
      : { level: 0, msg: '' }
    return level >= 40 ? [msg] : []
  })
  return Object.fromEntries(Object.entries(Object.groupBy(told, (msg) => msg)).map(([msg, all]) => [msg, all!.length]))
}

test('a database that takes no writes, as one that is full: nothing is signed or lost, readiness and one line say it', async () => {
  const { devnet, newUserId, intend, ended, executionsOf, routesExecuted } = environment
  const url = postgresUrl()
  if (url === null) return // what makes a mongod read-only is not ours to do
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
  await mayWrite(url, false)
  const down = await until('readiness that says the database is down', 20_000, async () => {
    const found = await ready()
    return found.checks['mongodb'] === 'down' && found
  })
  expect(down).toMatchObject({ status: 503, checks: { nats: 'ok', base: 'ok' } })
  await send()
  await until('the log says it', 20_000, async () => Object.keys(complaints()).length > 0)
  await Bun.sleep(3_000) // long enough for every part to have met it many times
  expect(await routesExecuted()).toEqual([])
  for (const { userId } of users) expect(await executionsOf(userId)).toEqual([])
  for (const [message, times] of Object.entries(complaints())) expect(times, message).toBeLessThanOrEqual(3)

  await mayWrite(url, true)
  await until('readiness again', 20_000, async () => (await ready()).status === 200)
  for (const { userId } of users) {
    const both = await ended(userId, 2, 60_000)
    expect(both.map(({ status, retryCount }) => [status, retryCount])).toEqual([
      ['SUCCESS', 0],
      ['SUCCESS', 0],
    ])
  }
  expect(await routesExecuted()).toHaveLength(6)
}, 180_000)
