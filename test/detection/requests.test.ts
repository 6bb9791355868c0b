import { expect, test } from 'bun:test'
import { perChain } from '../../src/domain/chain/chain'
import { zeroAddress } from '../../src/domain/chain/hex'
import { RoutingError } from '../../src/domain/error'
import type { ChainLease } from '../../src/ports/detection'
import { base, detectionWorld, type FlatDetection, usdc } from '../support/detection'
import { asChain, DetectionChain } from '../support/detection-chain'
import { observationsInMemory } from '../support/observations'
import { recordsOf } from '../support/records'
import { testAll } from '../support/test-all'

const pace = { closeMs: 4_500, wideMs: 60_000, spentMs: 110_000 }
const tickMs = 500
const names = ['a', 'b', 'c']

/** Several scanners of one installation on a chain with one block a second, and a node that counts requests. */
function installation(scanners: number, isFed: boolean, changes: Partial<FlatDetection> = {}) {
  const asked = new Map<string, number>()
  const sweptTokens: unknown[] = []
  const chain = new DetectionChain(base, 10)
  const counting = new Proxy(asChain(chain), {
    get(target, name) {
      const member: unknown = Reflect.get(target, name)
      if (typeof member !== 'function') return member
      return (...args: unknown[]) => {
        asked.set(String(name), (asked.get(String(name)) ?? 0) + 1)
        if (name === 'holders' && args[0] !== zeroAddress) sweptTokens.push(args[0])
        return member.apply(chain, args)
      }
    },
  })
  const leases = recordsOf<ChainLease>('chainLeases')
  const world = detectionWorld({ chains: perChain(() => counting), pace, isFed: () => isFed, ...changes }, chain)
  const processes = names
    .slice(0, scanners)
    .map((holder) => world.another({ turns: { leases, holder, leaseMs: () => 8_000 } }))
  const { signal } = new AbortController()

  async function pass(seconds: number, alive = processes): Promise<void> {
    for (let n = 0; n < (seconds * 1_000) / tickMs; n++) {
      world.clock.at += tickMs
      if (n % 2 === 0) chain.mine()
      for (const { watch } of alive) await watch.scanDue(signal)
      for (const { watch } of alive) await watch.sweepDue()
    }
  }
  const total = () => [...asked.values()].reduce((sum, count) => sum + count, 0)
  return { ...world, chain, processes, leases, pass, asked, sweptTokens, total }
}

testAll([true, false])(
  'three scanners send as many requests to a node as one, with webhooks and without',
  async (isFed) => {
    const counts: number[] = []
    for (const scanners of [1, 3]) {
      const { accounts, pass, total } = installation(scanners, isFed)
      accounts.create()
      await pass(600)
      counts.push(total())
    }
    expect(counts[1]).toBe(counts[0]!)
  },
)

test('an idle chain costs a few requests per poll, and no whole block is read', async () => {
  for (const [isFed, looks] of [
    [true, 10],
    [false, 134],
  ] as const) {
    const { accounts, pass, total, asked } = installation(1, isFed)
    accounts.create()
    await pass(600)
    expect(asked.get('head')).toBe(looks)
    expect(total()).toBeLessThanOrEqual(looks * 7 + 20)
    expect(asked.get('nativeRecipients')).toBeUndefined()
  }
})

testAll([1, 3])(
  'five idle chains cost less than 75,000 requests a day with any number of scanners',
  async (scanners) => {
    const { accounts, pass, total } = installation(scanners, true)
    accounts.create()
    await pass(1_200)
    expect(5 * 72 * total()).toBeLessThan(75_000)
  },
)

test('the process that watches a chain records its head for all, with the head’s own time', async () => {
  const observations = observationsInMemory()
  const { accounts, pass, clock, chain } = installation(1, true, { observations })
  accounts.create()
  const head = async () => (await observations.all()).find(({ kind }) => kind === 'HEAD')
  await pass(300)
  const noted = await head()
  expect(noted!.okAt).toBeGreaterThanOrEqual(Math.min(clock.at, chain.tip.time * 1_000) - 61_000)
  chain.failure = new RoutingError('RPC_UNREACHABLE')
  await pass(300).catch(() => {})
  expect((await head())!.okAt).toBe(noted!.okAt)
})

test('a deposit reported by a webhook costs one more whole poll, when its block is confirmed', async () => {
  const { accounts, chain, pass, processes, asked, amounts } = installation(1, true)
  const account = accounts.create()
  await pass(125)
  chain.mine({ paid: [{ token: usdc, to: account, amountRaw: 5n }] })
  const [logs, heads] = [asked.get('transfers')!, asked.get('head')!]
  await processes[0]!.watch.requestScan(chain.tip.number)
  await pass(26) // later, the chain is polled more often, because no webhook reported the deposit itself
  expect(amounts()).toEqual([5n])
  expect(asked.get('transfers')! - logs).toBe(1)
  expect(asked.get('head')! - heads).toBeLessThanOrEqual(3)
})

test('unreported native coin is found within a minute while webhooks report other deposits', async () => {
  const { accounts, chain, pass, processes, amounts } = installation(1, true)
  const account = accounts.create()
  await pass(125)
  const paid = [{ token: `0x${'0'.repeat(40)}` as const, to: account, amountRaw: 9n }]
  chain.mine({ paid, isInternal: true })
  for (let seconds = 0; seconds < 60 + 15; seconds += 5) {
    await processes[0]!.watch.requestScan(chain.tip.number)
    await pass(5)
  }
  expect(amounts()).toEqual([9n])
})

testAll([true, false])(
  'an exhausted budget does not delay deposits, but token balances are read ten times less often, with or without webhooks',
  async (isFed) => {
    const waits: number[][] = []
    const reads: number[] = []
    for (const isSpent of [false, true]) {
      const { accounts, chain, pass, processes, amounts, sweptTokens } = installation(1, isFed, {
        isSpent: () => isSpent,
      })
      const account = accounts.create()
      await pass(1_200)
      reads.push(sweptTokens.length)
      const waited: number[] = []
      for (let n = 1; n <= 3; n++) {
        chain.mine({ paid: [{ token: usdc, to: account, amountRaw: BigInt(n) }] })
        if (isFed) await processes[0]!.watch.requestScan(chain.tip.number)
        let seconds = 0
        for (; amounts().length < n && seconds < 60; seconds++) await pass(1)
        waited.push(seconds)
      }
      expect(amounts()).toEqual([1n, 2n, 3n])
      waits.push(waited)
    }
    expect(Math.max(...waits.flat())).toBeLessThanOrEqual(10 + 10)
    for (const [n, waited] of waits[1]!.entries()) expect(waited).toBeLessThanOrEqual(waits[0]![n]! + 1)
    expect(reads[0]).toBeGreaterThanOrEqual(18)
    expect(reads[1]).toBeLessThanOrEqual(reads[0]! / 9)
  },
)

test('a new account’s balances are scanned for all tokens immediately', async () => {
  const { accounts, chain, pass, processes, asked } = installation(1, true)
  const { watch } = processes[0]!
  await pass(125)
  const account = accounts.create()
  const holders = asked.get('holders') ?? 0
  watch.join([account])
  for (let round = 0; round < 3; round++) await watch.sweepNewcomers()
  expect([(asked.get('holders') ?? 0) - holders, chain.asked.holdersOfEach]).toEqual([1, 1])
})

test('another scanner takes over within ten seconds when one dies, and every deposit is found once', async () => {
  const { accounts, chain, pass, processes, amounts } = installation(3, false)
  const account = accounts.create()
  await pass(26) // later, the chain is polled more often, because no webhook reported the deposit itself
  for (let n = 1; n <= 3; n++) {
    const alive = processes.slice(n % 2)
    chain.mine({ paid: [{ token: usdc, to: account, amountRaw: BigInt(n) }] })
    await pass(10 + 10 + 5, alive)
    expect(amounts()).toHaveLength(n)
  }
})

test('a chain is polled often after webhooks missed a deposit, until they report one again', async () => {
  const { accounts, chain, pass, asked, leases } = installation(1, true)
  const account = accounts.create()
  await pass(120)
  chain.mine({ paid: [{ token: usdc, to: account, amountRaw: 1n }] })
  await pass(120)
  expect(leases.get('base').missedAt).not.toBeNull()
  const before = asked.get('head')!
  await pass(60)
  expect(asked.get('head')! - before).toBeGreaterThan(10)
})

test('native coin without a log is found by its balance one poll after its confirmation', async () => {
  const { accounts, chain, pass, amounts } = installation(1, false)
  const account = accounts.create()
  await pass(26) // later, the chain is polled more often, because no webhook reported the deposit itself
  const paid = [{ token: `0x${'0'.repeat(40)}` as const, to: account, amountRaw: 9n }]
  chain.mine({ paid, isInternal: true })
  await pass(10 + 5)
  expect(amounts()).toEqual([9n])
})

test('native coin paid while no scanner ran is found by the next one, for any number of accounts', async () => {
  const { accounts, chain, pass, processes, amounts } = installation(2, false)
  let last = accounts.create()
  for (let n = 0; n < 25_000; n++) last = accounts.create()
  await pass(30, processes.slice(0, 1))
  chain.mine({ paid: [{ token: `0x${'0'.repeat(40)}` as const, to: last, amountRaw: 9n }] })
  await pass(15, [])
  await pass(10 + 5, processes.slice(1))
  expect(amounts()).toEqual([9n])
})
