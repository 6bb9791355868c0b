import { afterAll, beforeAll, expect } from 'bun:test'
import { chmodSync, closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../../src/devnet/servers/free-port'
import { startMongo } from '../../src/devnet/servers/mongo'
import type { Server } from '../../src/devnet/servers/server'
import { isNightly, nightly } from '../support/depth'
import { type Environment, startEnvironment } from '../support/environment'
import { hasFerretDb, hasOwnMongo } from '../support/servers'
import { complaints, postgresUrl, readiness } from '../support/service-seen'
import { temporaryFolder } from '../support/temporary-folder'
import { testOn, testWith } from '../support/tools'
import { until } from '../support/until'

const run = (...command: string[]): boolean => Bun.spawnSync(command, { stderr: 'ignore' }).exitCode === 0

/** A database disk small enough to fill. Only root can create one. */
const disk = join(temporaryFolder('full-disk'), 'disk')
mkdirSync(disk)
const isOwnDisk = isNightly && hasOwnMongo && run('mount', '-t', 'tmpfs', '-o', 'size=600m,mode=755', 'tmpfs', disk)
const mounted = isNightly ? testWith('right to mount a disk, which root has,', isOwnDisk) : nightly
/** A foreign database has its own disk. */
const onOwnDisk = isNightly && !hasOwnMongo ? testOn('an own database', false) : mounted
/** A mongod without room ends itself in another way. */
const onFerretDb = isNightly && !(await hasFerretDb()) ? testOn('FerretDB', false) : mounted
const ballast = join(disk, 'ballast')

let port: number
let server: Server
let environment: Environment
beforeAll(async () => {
  if (!isOwnDisk) return
  chmodSync(join(disk, '..'), 0o755)
  port = await freePort()
  server = await startMongo({ dataDir: disk, port })
  environment = await startEnvironment({ mongodbUrl: server.url })
})
afterAll(async () => {
  await environment?.stop()
  await server?.stop()
  if (isOwnDisk) run('umount', '--lazy', disk)
})

function fill(): void {
  const file = openSync(ballast, 'w')
  for (const size of [1 << 20, 1 << 12])
    try {
      while (writeSync(file, Buffer.alloc(size, 1)) === size);
    } catch {
      // Smaller files may still fit.
    }
  closeSync(file)
}

async function sendTo(accounts: readonly `0x${string}`[]): Promise<void> {
  for (const to of accounts)
    for (const chainKey of ['base', 'polygon'] as const)
      await environment.devnet.sendDeposit({ chainKey, token: 'USDC', amountRaw: 11_000_000n, to })
}

async function usersOf(name: string) {
  const { newUserId, intend } = environment
  const userIds = [1, 2, 3].map(() => newUserId(name))
  const intents = await Promise.all(userIds.map((userId) => intend(userId, { to: 'arbitrum', receive: 'USDC' })))
  return { userIds, accounts: intents.map(({ depositAddress }) => depositAddress) }
}

async function assureAllArrived(userIds: readonly string[]): Promise<void> {
  for (const userId of userIds)
    expect((await environment.ended(userId, 2)).map(({ status }) => status)).toEqual(['SUCCESS', 'SUCCESS'])
}

const again = () => until('readiness again', async (note) => note(await readiness(environment)).status === 200)

onOwnDisk(
  'a full database disk shows in readiness, responses and the log, and all deposits arrive once there is room',
  async () => {
    expect(isOwnDisk, 'the mount of an own disk').toBe(true)
    const { userIds, accounts } = await usersOf('full')
    fill()
    await sendTo(accounts)
    const down = await until('readiness that says the database is down', async (note) => {
      const found = note(await readiness(environment))
      return found.checks['mongodb'] === 'down' && found
    })
    expect(down).toMatchObject({ status: 503, checks: { nats: 'ok', base: 'ok' } })
    const refused = await until('an intent that finds no room', (note) =>
      environment.intend(environment.newUserId('late'), { to: 'arbitrum', receive: 'USDC' }).then(
        (stored) => void note({ stored }),
        (error: Error) => error.message,
      ),
    )
    expect(refused).toContain('Temporarily unavailable')
    for (const [message, times] of Object.entries(complaints(environment)))
      expect(times, message).toBeLessThanOrEqual(6)
    rmSync(ballast)
    await again()
    await assureAllArrived(userIds)
    expect(await environment.routesExecuted()).toHaveLength(6)
  },
)

onFerretDb('a database ended by its full disk restarts with room, and all deposits arrive', async () => {
  expect(isOwnDisk, 'the mount of an own disk').toBe(true)
  const { userIds, accounts } = await usersOf('ended')
  const url = postgresUrl(server.pid)!
  await withoutRestart(url)
  fill()
  await sendTo(accounts)
  await endByFullLog(url)
  rmSync(ballast)
  server = await startMongo({ dataDir: disk, port })
  await again()
  await assureAllArrived(userIds)
  expect(await environment.routesExecuted()).toHaveLength(12)
})

/**
 * PostgreSQL without room for its log might find some during recovery by removing old log files. A test that waits for
 * its end would then hang.
 */
async function withoutRestart(url: string): Promise<void> {
  const postgres = new Bun.SQL(url, { max: 1 })
  await postgres.unsafe('ALTER SYSTEM SET restart_after_crash = off')
  await postgres.unsafe('SELECT pg_reload_conf()')
  await postgres.close()
}

/** Fills the write-ahead log. PostgreSQL stops when it cannot write its log. */
async function endByFullLog(url: string): Promise<void> {
  const postgres = new Bun.SQL(url, { max: 1 })
  let hasEnded = false
  void server.exited.then(() => {
    hasEnded = true
  })
  await until('the end of a database without room for its log', async (note) => {
    await postgres.unsafe(`SELECT pg_logical_emit_message(true, 'bench', repeat('x', 4000000))`).catch(note)
    return hasEnded
  })
  await postgres.close().catch(() => {})
}
