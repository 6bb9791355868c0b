import { afterAll, beforeAll, expect } from 'bun:test'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { startService } from '../../src/cli/installation/service-process'
import { freePort } from '../../src/devnet/servers/free-port'
import type { Server } from '../../src/devnet/servers/server'
import { chainKeys } from '../../src/domain/chain/chain'
import type { Hash } from '../../src/domain/chain/hex'
import type { Execution } from '../../src/domain/execution/execution'
import { isTerminal } from '../../src/domain/execution/status'
import type { Due } from '../../src/ports/executions'
import { everyNonceIsUsed } from '../support/accounting'
import { isNightly, nightly } from '../support/depth'
import { databasePollMs, type Environment, startEnvironment } from '../support/environment'
import { type Note, until } from '../support/until'

/**
 * Longer than a worker's lease, so another worker has taken its executions. `npm run chaos` sleeps a minute, longer
 * than every timeout: lease and dedupe window 15 s, NATS's pings 20 s, its acknowledgements 30 s.
 */
const asleepMs = Number(process.env['ASLEEP_SECONDS'] ?? 17) * 1_000
const usersCount = 3
/** A lease with more time left than this belongs to a worker that is active now. */
const leaseLeastMs = 8_000
/** A worker that is active stores its work again before its lease has less time left than this. */
const leaseLastMs = 2_000

let environment: Environment
const workers: Server[] = []
beforeAll(async () => {
  if (!isNightly) return
  environment = await startEnvironment({ hasOwnMongo: true, env: { ROLES: 'api' } })
  const { installation, dir } = environment
  const starting = [1, 2, 3].map(async (n) => {
    const port = await freePort()
    const env = { ...installation.serviceEnv(), ROLES: 'worker,scanner', PORT: `${port}` }
    return startService({ env, port, log: join(dir, `worker-${n}.log`) })
  })
  workers.push(...(await Promise.all(starting)))
})
afterAll(async () => {
  for (const { pid } of workers) if (pid) signal(pid, 'SIGCONT')
  await Promise.all(workers.map((worker) => worker.stop()))
  await environment?.stop()
})

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // The process has ended already.
  }
}

nightly(
  'all deposits arrive once although a worker sleeps beyond its lease, NATS loses its data and the database dies',
  async () => {
    const { installation, dir, devnet, store, intend, routesExecuted, countEnded } = environment
    const users = await Promise.all(
      Array.from({ length: usersCount }, async (_, n) => {
        const to = chainKeys[n % chainKeys.length]!
        const { depositAddress } = await intend(`worker-${n}`, { to, receive: 'USDC' })
        return { userId: `worker-${n}`, account: depositAddress }
      }),
    )
    const hashes: Hash[] = []
    const wave = async (): Promise<void> => {
      const amountRaw = BigInt(20e6 + hashes.length)
      const sent = users.flatMap(({ account }) =>
        chainKeys.map((chainKey) => devnet.sendDeposit({ chainKey, token: 'USDC', amountRaw, to: account })),
      )
      hashes.push(...(await Promise.all(sent)))
    }
    const executions = async (): Promise<Execution[]> =>
      (await Promise.all(users.map(({ userId }) => environment.executionsOf(userId)))).flat()

    await environment.everyChainScanned()
    const { pid: asleep, held } = await asleepWithWork()
    const sleptAt = performance.now()

    await wave()
    await killed('nats', () => rmSync(join(dir, 'nats', 'jetstream'), { recursive: true, force: true }))
    await wave()
    await killed('mongodb')
    await wave()
    await until('others have taken over its work, and it slept longer than every timeout', async (note) => {
      const records = await Promise.all(held.map(({ id }) => store.executions.load(id)))
      const kept = held.filter(({ version }, n) => records[n]!.version === version)
      const { sleptMs } = note({ kept, sleptMs: performance.now() - sleptAt })
      return kept.length === 0 && sleptMs > asleepMs
    })
    signal(asleep, 'SIGCONT')

    const count = hashes.length
    expect(held.length).toBeGreaterThan(0)
    const isOver = async (note: Note) => note(await countEnded().catch(() => 0)) === count
    await until('all executions have ended', isOver, { everyMs: databasePollMs }).catch(async (late) => {
      const waiting = (await executions()).filter(({ state }) => !isTerminal(state))
      const where = waiting.map(({ id, state, facts, cause, dueAt }) => ({
        id,
        state,
        dueAt,
        cause,
        for: facts.waiting,
      }))
      throw new Error(`${late.message}: ${JSON.stringify({ seen: await countEnded(), of: count, where })}`)
    })
    const all = await executions()
    expect(
      all.filter(({ status }) => status !== 'SUCCESS').map(({ id, status, cause }) => ({ id, status, cause })),
    ).toEqual([])
    expect(new Set(all.map(({ deposit }) => deposit.txHash))).toEqual(new Set(hashes))
    const routes = await routesExecuted()
    expect(routes).toHaveLength(count)
    expect(new Set(routes.map(({ routeId }) => routeId))).toEqual(new Set(all.map(({ facts }) => facts.routeId!)))
    for (const { history, seq } of all) {
      expect(history.map((entry) => entry.seq)).toEqual(history.map((_, n) => n + 1))
      expect(history.at(-1)!.seq).toBe(seq)
      expect(history.filter(({ to }) => isTerminal(to))).toHaveLength(1)
    }
    await everyNonceIsUsed(environment)
    expect(await store.executions.due(Number.MAX_SAFE_INTEGER, 0, 10)).toEqual([])

    /** Suspends workers in turn until one of them sleeps over its executions. */
    async function asleepWithWork(): Promise<{ pid: number; held: Due[] }> {
      let turn = 0
      return until('a worker suspended at work', async (note) => {
        await wave()
        await until('a leased execution', async (note) => note(await leased(leaseLeastMs)).length > 0)
        const pid = workers[turn++ % workers.length]!.pid!
        signal(pid, 'SIGSTOP')
        const before = await leased(leaseLeastMs)
        const held = await until('the active workers have stored their work again', async (note) => {
          const after = new Map((await leased(0)).map((one) => [one.id, one]))
          const unstored = before.filter(({ id, version }) => after.get(id)?.version === version)
          note(unstored)
          return unstored.every(({ dueAt }) => dueAt < Date.now() + leaseLastMs) && unstored
        })
        note({ turn, before, held })
        if (held.length > 0) return { pid, held }
        signal(pid, 'SIGCONT')
        return null
      })
    }

    function leased(leftMs: number): Promise<Due[]> {
      return store.executions.due(Number.MAX_SAFE_INTEGER, Date.now() + leftMs, 500)
    }

    async function killed(name: 'nats' | 'mongodb', meanwhile: () => void = () => {}): Promise<void> {
      const { pid, exited } = installation.server(name)
      meanwhile()
      process.kill(pid!, 'SIGKILL')
      await exited
      await until(`${name} is up again`, (note) => note(installation.server(name).pid) !== pid)
    }
  },
)
