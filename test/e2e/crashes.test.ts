import { afterAll, beforeAll, expect } from 'bun:test'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { recipientOf } from '../../src/cli/demo/demo-deposits'
import { accounts, lifiFeeRecipient } from '../../src/devnet/chains/accounts'
import { chainKeys } from '../../src/domain/chain/chain'
import type { Address } from '../../src/domain/chain/hex'
import type { Execution } from '../../src/domain/execution/execution'
import { everyUnitIsAccountedFor, type Owner } from '../support/accounting'
import { isNightly, nightly } from '../support/depth'
import { databasePollMs, type Environment, startEnvironment } from '../support/environment'
import { type Note, until } from '../support/until'

const usersCount = 10
const perLane = 2
const killsMax = 8
const pauseMsMax = 4_000
const stepMax = 20

let environment: Environment
beforeAll(async () => {
  if (!isNightly) return
  environment = await startEnvironment()
})
afterAll(() => environment?.stop())

nightly('100 deposits arrive once each although the service and NATS are killed and NATS loses its data', async () => {
  const { devnet, store, routesExecuted, intend } = environment
  const users = await Promise.all(
    Array.from({ length: usersCount }, async (_, n): Promise<Owner> => {
      const [userId, to] = [`crash-${n}`, chainKeys[n % chainKeys.length]!]
      const { depositAddress } = await intend(userId, { to, receive: 'USDC' })
      return { userId, account: depositAddress, to }
    }),
  )
  await environment.everyChainScanned()
  const holders = [...keptHolders(), ...users.flatMap(({ userId, account }) => [account, recipientOf(userId)])]
  const before = await sums(holders)

  const count = usersCount * chainKeys.length * perLane
  const sending = Promise.all(
    users.flatMap(({ account }, n) =>
      chainKeys.flatMap((chainKey, m) =>
        Array.from({ length: perLane }, (_, k) =>
          devnet.sendDeposit({
            chainKey,
            token: 'USDC',
            amountRaw: BigInt(20e6 + n * 1e5 + m * 1e3 + k),
            to: account,
          }),
        ),
      ),
    ),
  )
  const hashes = new Set(await sending)
  expect(hashes.size).toBe(count)

  const executions = async () => (await Promise.all(users.map(({ userId }) => executionsOf(userId)))).flat()
  const kills = await killAtRandom(environment.countEnded, count)
  expect(kills).toBeGreaterThan(2)

  const all = await executions()
  expect(Object.groupBy(all, ({ status }) => status ?? 'none')).toHaveProperty('SUCCESS')
  expect(
    all.filter(({ status }) => status !== 'SUCCESS').map(({ id, status, cause }) => ({ id, status, cause })),
  ).toEqual([])
  expect(new Set(all.map(({ deposit }) => deposit.txHash))).toEqual(hashes)

  const routes = await routesExecuted()
  expect(routes).toHaveLength(count)
  expect(new Set(routes.map(({ routeId }) => routeId))).toEqual(new Set(all.map(({ facts }) => facts.routeId!)))

  expect(await sums(holders)).toEqual(before)
  await everyUnitIsAccountedFor(environment, users, all)
  const unfinished = await store.executions.due(Number.MAX_SAFE_INTEGER, 0, 10)
  expect(unfinished).toEqual([])
})

const executionsOf = (userId: string): Promise<Execution[]> => environment.executionsOf(userId)

/** Kills the service at random moments while deposits are routed, and NATS once, with its data deleted. */
async function killAtRandom(countEnded: () => Promise<number>, count: number): Promise<number> {
  const { installation, dir } = environment
  let kills = 0
  let ended = 0
  for (; kills < killsMax && ended < count; kills++) {
    const enough = ended + Math.random() * stepMax
    const latest = performance.now() + Math.random() * pauseMsMax
    const isTime = async (note: Note) => {
      const now = note(await countEnded())
      return now >= enough || performance.now() >= latest ? { now } : null
    }
    ended = (await until('the next kill', isTime, { everyMs: databasePollMs })).now
    const { pid, exited } = installation.server('service')
    process.kill(pid!, 'SIGKILL')
    await exited
    if (kills === 2) await loseNats(dir)
    await until('the service is up again', (note) => note(installation.server('service').pid) !== pid)
  }
  await until('all executions ended', async (note) => note(await countEnded()) === count, { everyMs: databasePollMs })
  return kills
}

async function loseNats(dir: string): Promise<void> {
  const { installation } = environment
  const { pid, exited } = installation.server('nats')
  rmSync(join(dir, 'nats', 'jetstream'), { recursive: true, force: true })
  process.kill(pid!, 'SIGKILL')
  await exited
  await until('NATS is up again', (note) => note(installation.server('nats').pid) !== pid)
}

/** Holders of USDC other than the users. */
const keptHolders = (): Address[] => [
  accounts.faucet.address,
  accounts.solver.address,
  accounts.collector.address,
  environment.devnet.contracts.bridge,
  lifiFeeRecipient,
]

async function sums(holders: readonly Address[]): Promise<Record<string, bigint>> {
  const rows = chainKeys.map(async (key) => {
    const balances = await Promise.all(holders.map((holder) => environment.devnet.balanceOf(key, 'USDC', holder)))
    return [key, balances.reduce((sum, balance) => sum + balance, 0n)] as const
  })
  return Object.fromEntries(await Promise.all(rows))
}
