import { afterAll, beforeAll, expect } from 'bun:test'
import { join } from 'node:path'
import { recipientOf } from '../../src/cli/demo/demo-deposits'
import { withDatabase } from '../../src/cli/installation/database'
import { startService } from '../../src/cli/installation/service-process'
import { freePort } from '../../src/devnet/servers/free-port'
import type { Server } from '../../src/devnet/servers/server'
import type { ChainKey } from '../../src/domain/chain/chain'
import { isTerminal } from '../../src/domain/execution/status'
import { isNightly, nightly } from '../support/depth'
import { databasePollMs, type Environment, startEnvironment } from '../support/environment'
import { until } from '../support/until'

const amountRaw = 25_000_000n
const [from, to]: [ChainKey, ChainKey] = ['base', 'arbitrum']
/** After how many writes the worker is killed that has the deposit of a user. */
const kills = [
  [12, 'late'],
  [3, 'early'],
] as const
const preload = `--preload=${join(import.meta.dir, '..', 'support', 'dying.ts')}`

let environment: Environment
let restoredName: string
const started: Server[] = []
beforeAll(async () => {
  if (!isNightly) return
  environment = await startEnvironment({ env: { ROLES: 'api,scanner' } })
  restoredName = `${environment.installation.database}_restored`
})
afterAll(async () => {
  await Promise.all(started.map((server) => server.stop()))
  await environment?.connection.getClient().db(restoredName).dropDatabase()
  await environment?.stop()
})

async function start(env: Record<string, string>): Promise<Server> {
  const port = await freePort()
  const variables = { ...environment.installation.serviceEnv(), CHAIN_POLL_MS: '250', ...env, PORT: `${port}` }
  const server = await startService({ env: variables, port, log: join(environment.dir, `restore-${port}.log`) })
  started.push(server)
  return server
}

/** Copies the database as mongodump and mongorestore do. */
async function copyDatabase(): Promise<void> {
  const source = environment.connection.db!
  const target = environment.connection.getClient().db(restoredName)
  for (const { name } of await source.listCollections().toArray()) {
    const documents = await source.collection(name).find().toArray()
    if (documents.length > 0) await target.collection(name).insertMany(documents)
  }
}

async function executionsIn(database: string, userIds: readonly string[]) {
  const found = await environment.connection
    .getClient()
    .db(database)
    .collection('executions')
    .find({ userId: { $in: [...userIds] } })
    .toArray()
  return found.map(({ userId, state, status, cause, deposit }) => ({ userId, state, status, cause, deposit }))
}

nightly('a restored old database with current chains ends every deposit once and pays none twice', async () => {
  const { devnet, installation, intend, ended, routesExecuted } = environment
  const users = ['before', ...kills.map(([, userId]) => userId), 'after']
  const made = await Promise.all(users.map((userId) => intend(userId, { to, receive: 'USDC' })))
  const accountOf = Object.fromEntries(made.map(({ depositAddress }, n) => [users[n]!, depositAddress]))
  const send = (userId: string) =>
    devnet.sendDeposit({ chainKey: from, token: 'USDC', amountRaw, to: accountOf[userId]! })
  const paid = (userId: string) => devnet.balanceOf(to, 'USDC', recipientOf(userId))

  const first = await start({ ROLES: 'worker' })
  await send('before')
  await ended('before', 1)
  await first.stop()
  for (const [n, userId] of kills) {
    const dying = await start({
      ROLES: 'worker',
      BUN_OPTIONS: preload,
      DIE_AFTER_WRITES: `${n}`,
      DIE_NOTE: join(environment.dir, `restore-${n}`),
    })
    await send(userId)
    await dying.exited
  }
  await copyDatabase()

  const last = await start({ ROLES: 'worker' })
  await send('after')
  await Promise.all(users.map((userId) => ended(userId, 1)))
  await last.stop()
  const before = await Promise.all(users.map(paid))
  expect(before.every((amount) => amount > 0n)).toBe(true)
  const routes = (await routesExecuted()).length

  await start({
    ROLES: 'worker,scanner',
    MONGODB_DATABASE: restoredName,
    MONGODB_URL: withDatabase(installation.mongodbUrl, restoredName),
  })
  const restored = await until(
    'every deposit has ended in the restored database as well',
    async (note) => {
      const all = await executionsIn(restoredName, users)
      note(all.map(({ userId, state }) => [userId, state]))
      return all.length >= users.length && all.every(({ state }) => isTerminal(state)) ? all : null
    },
    { everyMs: databasePollMs },
  )
  // The lost record routed what arrived after the copy, so this record finds the account empty.
  expect(Object.fromEntries(restored.map(({ userId, status }) => [userId, status]))).toEqual(
    Object.fromEntries(users.map((userId) => [userId, userId === 'after' ? 'FAILED_NO_FUNDS' : 'SUCCESS'])),
  )
  expect(restored).toHaveLength(users.length)
  expect(await Promise.all(users.map(paid))).toEqual(before)
  expect((await routesExecuted()).length).toBe(routes)

  await send('after')
  await until('a deposit after the restore is paid', async (note) => note(await paid('after')) > before.at(-1)!)
  expect((await routesExecuted()).length).toBe(routes + 1)
})
