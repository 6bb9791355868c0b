import { expect, test } from 'bun:test'
import { chains, perChain } from '../../src/domain/chain/chain'
import { zeroAddress } from '../../src/domain/chain/hex'
import { RoutingError } from '../../src/domain/error'
import { type Execution, isLive } from '../../src/domain/execution/execution'
import { sumOf } from '../../src/domain/money/amount'
import { takeLane } from '../../src/routing/steps/take-lane'
import { verifyBalance } from '../../src/routing/steps/verify-balance'
import { detectionWorld } from '../support/detection'
import { asChain, DetectionChain } from '../support/detection-chain'
import { recordsInMemory } from '../support/records'

const seeds = Number(Bun.env['SEEDS'] ?? 80)

/** mulberry32 */
const diceOf = (seed: number) => () => {
  seed = (seed + 0x6d2b79f5) | 0
  let t = Math.imul(seed ^ (seed >>> 15), 1 | seed)
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
  return ((t ^ (t >>> 14)) >>> 0) / 4294967296
}

/**
 * Coins without logs, parallel balance sweeps, and the real steps that spend. Every query takes a random time, so
 * records, orders and blocks interleave in any order.
 */
async function run(seed: number) {
  const dice = diceOf(seed)
  const below = (n: number) => Math.floor(dice() * n)
  const world = detectionWorld()
  const { chain, executions, scan, detection, another } = world
  const chains = perChain(() => asChain(chain))
  const lanes = recordsInMemory<{ id: string; version: number; holder: string | null; clearFrom: number }>()
  const account = world.accounts.create()
  const wait = async () => {
    for (let n = below(4) === 0 ? below(80) : below(4); n > 0; n--) await null
  }
  const parts = [chain, executions] as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>[]
  for (const part of parts) {
    for (const name of ['confirmed', 'balanceOf', 'holders', 'unspentIn', 'ledgerOf', 'save'] as const) {
      const answer = part[name]?.bind(part)
      if (!answer) continue
      part[name] = async (...args) => {
        await wait()
        const said = await answer(...args)
        await wait()
        return said
      }
    }
  }
  const verify = verifyBalance({
    chains,
    executions,
    blacklist: { isListed: () => false },
    scannedTo: detection.scannedTo,
    pollMs: () => 1,
    now: () => 0,
  })
  const take = takeLane({ lanes, executions } as never)
  const refused: string[] = []
  let deposited = 0n
  let lostToFailure = 0

  const store = async (record: Execution, changes: Partial<Execution>) => executions.save({ ...record, ...changes })

  /** A worker's handling of one record: lane, balance, order, transaction, and later the record that it is spent. */
  async function route(id: string): Promise<void> {
    const record = (await executions.load(id))!
    if (record.facts.spent || record.dueAt === null) return
    if (isLive(record)) {
      const { hash, block, amountRaw } = record.facts.order as unknown as {
        hash: `0x${string}`
        block: number
        amountRaw: string
      }
      if ((await chain.confirmed()).number < block) return
      await store(record, { facts: { ...record.facts, spent: { hash, block, amountRaw, at: 0 } } })
      return
    }
    const lane = await take(record)
    if (!('type' in lane)) return
    try {
      const verified = await verify({ ...record, facts: { ...record.facts, ...lane.facts } })
      if (!('type' in verified)) return
      if (dice() < 0.1) {
        lostToFailure++
        await store(record, { state: 'FAILED_UNROUTABLE_MAIN', dueAt: null, completedAt: 9 })
        return
      }
      const { totalReceivedRaw } = verified.facts!.balance!
      const order = { block: Number.MAX_SAFE_INTEGER, amountRaw: totalReceivedRaw, hash: '0x' }
      const signed = await store(record, { facts: { ...record.facts, order: order as never } })
      if (!signed) return
      const [hash] = chain.mine({ paid: [{ token: zeroAddress, to: account, amountRaw: -BigInt(totalReceivedRaw) }] })
      order.hash = hash!
      order.block = chain.tip.number
      await store(signed, { facts: { ...signed.facts, order: order as never } })
    } catch (error) {
      if (!(error instanceof RoutingError)) throw error
      refused.push(`${id}: ${error.code}`)
      await store(record, { state: 'FAILED_NO_FUNDS', dueAt: null, completedAt: 9 })
    }
  }

  async function turn(isPaying: boolean): Promise<void> {
    if (isPaying && dice() < 0.4) {
      const amountRaw = BigInt(1 + below(100))
      deposited += amountRaw
      chain.mine({ paid: [{ token: zeroAddress, to: account, amountRaw }], isInternal: dice() < 0.5 })
    }
    chain.mineEmpty(below(4))
    world.clock.at += 30_000
    await scan()
    const ids = executions.all().map(({ id }) => id)
    await Promise.all([
      ...sweepers.map((sweeper) => dice() < 0.6 && sweeper.watch.sweepOnce()),
      ...ids.map((id) => dice() < 0.7 && route(id)),
    ])
  }

  const sweepers = [detection, another(), another()]
  await scan()
  for (let n = 0; n < 40; n++) await turn(true)
  for (let n = 0; n < 40; n++) await turn(false)
  return { deposited, lostToFailure, refused, brought: sumOf(world.amounts()), records: executions.all() }
}

test('every coin becomes exactly one deposit and no deposit lacks its coins, in any concurrent order', async () => {
  for (let seed = 1; seed <= seeds; seed++) {
    const { deposited, brought, refused, records } = await run(seed)
    expect({ seed, refused, brought }).toEqual({ seed, refused: [], brought: deposited })
    expect(records.every(({ facts, dueAt }) => facts.spent || dueAt === null)).toBe(true)
  }
})

test('Polygon’s native coin paid through 0x…1010 is found once, by its balance instead of its log', async () => {
  const polygon = new DetectionChain(chains.polygon.id, 5)
  const { accounts, chain, executions, scan, sweep, detection } = detectionWorld({}, polygon)
  const account = accounts.create()
  await scan()
  const alias = '0x0000000000000000000000000000000000001010'
  const paid = [zeroAddress, alias] as const
  const [hash] = chain.mine({ isInternal: true, paid: paid.map((token) => ({ token, to: account, amountRaw: 9n })) })
  chain.mineEmpty(5)
  await detection.rescan(chain.chainId, hash!, 'org_1')
  await scan()
  for (let n = 0; n < 3; n++) await sweep()
  expect(executions.all()).toMatchObject([{ deposit: { token: zeroAddress, amountRaw: '9', detectedBy: ['SWEEP'] } }])
})
