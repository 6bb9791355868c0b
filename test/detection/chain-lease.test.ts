import { expect, test } from 'bun:test'
import { chainLease, coverageOn, isSilentBy } from '../../src/detection/chains/chain-lease'
import { perChain } from '../../src/domain/chain/chain'
import { RoutingError } from '../../src/domain/error'
import type { ChainLease } from '../../src/ports/detection'
import { base, detectionWorld, usdc } from '../support/detection'
import { asChain, DetectionChain } from '../support/detection-chain'
import { recordsOf } from '../support/records'
import { testAll } from '../support/test-all'
import { until } from '../support/until'

const leaseMs = 8_000

/** Processes that share one record. */
function processes(...holders: string[]) {
  const clock = { at: 1_000_000 }
  const leases = recordsOf<ChainLease>('chainLeases')
  const made = holders.map((holder) => chainLease({ chainId: base, leases, holder, leaseMs, now: () => clock.at }))
  /** Every process keeps trying to hold the lease for this long. @returns the holders at the end. */
  async function pass(ms: number, alive = holders): Promise<string[]> {
    for (const end = clock.at + ms; clock.at < end; ) {
      clock.at += 500
      for (const [n, lease] of made.entries()) if (alive.includes(holders[n]!)) await lease.hold(0)
    }
    return holders.filter((holder, n) => alive.includes(holder) && made[n]!.isHeld())
  }
  return { clock, leases, made, pass }
}

test('only one of many processes watches a chain, for as long as it lives', async () => {
  const { pass } = processes('a', 'b', 'c')
  for (let n = 0; n < 20; n++) expect(await pass(10_000)).toEqual(['a'])
})

test('another process takes over within ten seconds when the one that watches a chain dies', async () => {
  const { pass } = processes('a', 'b', 'c')
  await pass(60_000)
  expect(await pass(10_000, ['b', 'c'])).toHaveLength(1)
})

test('a process that slept past its lease detects the loss and does not take the lease back', async () => {
  const { pass, made } = processes('a', 'b')
  await pass(60_000)
  await pass(10_000, ['b'])
  expect(made[0]!.isHeld()).toBe(false)
  expect(await pass(60_000)).toEqual(['b'])
})

test('a stopping process releases its lease immediately and does not take it back', async () => {
  const { pass, made } = processes('a', 'b')
  await pass(60_000)
  await made[0]!.end()
  expect(await pass(leaseMs / 2, ['a'])).toEqual([])
  expect(await pass(leaseMs / 2)).toEqual(['b'])
})

test('a waiting process takes a free lease early, except one that it gave up itself', async () => {
  const { pass, made } = processes('a', 'b', 'c')
  await pass(60_000)
  expect(await made[1]!.isFree()).toBe(false)
  await made[0]!.giveUp()
  expect(await Promise.all(made.map((lease) => lease.isFree()))).toEqual([false, true, true])
  expect(await made[1]!.hold(0)).toBe(true)
  expect(await made[2]!.isFree()).toBe(false)
})

/** Two scanners on real timers that poll the chain once a minute, and a node that responds on command. */
function runningScanners() {
  const chain = new DetectionChain(base, 10)
  const leases = recordsOf<ChainLease>('chainLeases')
  const held = Promise.withResolvers<void>()
  let isHanging = false
  const hanging = new Proxy(asChain(chain), {
    get: (good, name) =>
      name === 'head' && isHanging ? () => held.promise.then(() => good.head()) : Reflect.get(good, name),
  })
  const minute = () => 60_000
  const world = detectionWorld(
    { chains: perChain(() => hanging), scanEveryMs: minute, sweepEveryMs: minute, now: Date.now },
    chain,
  )
  const scanner = (holder: string) => world.another({ turns: { leases, holder, leaseMs: () => 600_000 } })
  const untilHeldBy = (holder: string | null) =>
    until(`a lease held by ${holder ?? 'nobody'}`, async (note) => note(await leases.load('base'))?.holder === holder)
  return { ...world, leases, scanner, untilHeldBy, hang: () => (isHanging = true), answer: held.resolve }
}

test('another scanner takes the chain soon after one is stopped, even with rare polls', async () => {
  const { scanner, untilHeldBy } = runningScanners()
  const [one, two] = [scanner('one'), scanner('two')]
  one.start()
  await untilHeldBy('one')
  two.start()
  await one.stop()
  await untilHeldBy('two')
  await two.stop()
  await untilHeldBy(null)
})

test('a scanner that stops releases the chain without waiting for its node', async () => {
  const { scanner, untilHeldBy, hang, answer } = runningScanners()
  const [one, two] = [scanner('one'), scanner('two')]
  hang()
  one.start()
  await untilHeldBy('one')
  two.start()
  const stopped = one.stop()
  await untilHeldBy('two')
  answer()
  await Promise.all([stopped, two.stop()])
})

test('the block that a process waits for is passed to the lease’s holder, and to the next holder', async () => {
  const { pass, made } = processes('a', 'b')
  await pass(60_000)
  await made[1]!.want(77)
  await made[1]!.want(70)
  await pass(leaseMs)
  expect(made[0]!.lastRead.wantedBlock).toBe(77)
  await pass(10_000, ['b'])
  expect(made[1]!.lastRead.wantedBlock).toBe(77)
})

test('webhooks count as silent from the first deposit they missed to the next one they report', async () => {
  const { clock, made, leases } = processes('a', 'b')
  const isSilent = () => isSilentBy(leases.get('base'))
  await made[0]!.notePointed()
  expect(isSilent()).toBe(false)
  clock.at += 1
  await made[1]!.noteMissed()
  expect(isSilent()).toBe(true)
  clock.at += 1
  await made[1]!.notePointed()
  expect(isSilent()).toBe(false)
})

test('two processes that watch a chain at the same time create one record of each deposit', async () => {
  const { accounts, chain, executions, another } = detectionWorld()
  const account = accounts.create()
  const [one, two] = [another(), another()]
  const { signal } = new AbortController()
  await Promise.all([one.watch.scanOnce(signal), two.watch.scanOnce(signal)])
  for (let n = 1; n <= 20; n++) {
    chain.mine({ paid: [{ token: usdc, to: account, amountRaw: BigInt(n) }] })
    chain.mineEmpty(3)
    await Promise.all([one.watch.scanOnce(signal), two.watch.scanOnce(signal), one.watch.sweepOnce()])
  }
  chain.mineEmpty(10)
  await Promise.all([one.watch.scanOnce(signal), two.watch.scanOnce(signal), two.watch.sweepOnce()])
  expect(executions.all().map(({ deposit }) => Number(deposit.amountRaw))).toEqual(
    Array.from({ length: 20 }, (_, n) => n + 1),
  )
})

testAll(['head', 'transfers'])(
  'a process that alone cannot read a chain’s head or transfers leaves it to another within two minutes',
  async (unread) => {
    const chain = new DetectionChain(base, 10)
    let isBroken = false
    const broken = new Proxy(asChain(chain), {
      get: (good, name) => {
        const method = Reflect.get(good, name)
        if (name !== unread || typeof method !== 'function') return method
        return async (...asked: unknown[]) => {
          if (isBroken) throw new RoutingError('RPC_FAILED')
          return method.apply(good, asked)
        }
      },
    })
    const leases = recordsOf<ChainLease>('chainLeases')
    const world = detectionWorld(
      { pace: { closeMs: 4_500, wideMs: 60_000, spentMs: 110_000 }, isFed: () => false },
      chain,
    )
    const another = (holder: string, node: typeof broken) =>
      world.another({ chains: perChain(() => node), turns: { leases, holder, leaseMs: () => leaseMs } })
    const both = [another('broken', broken), another('sound', asChain(chain))]
    const pass = async (seconds: number) => {
      for (let n = 0; n < seconds; n++) {
        world.clock.at += 1_000
        chain.mine()
        for (const { watch } of both) await watch.scanDue(new AbortController().signal).catch(() => {})
      }
    }
    await pass(60)
    expect(leases.get('base').holder).toBe('broken')
    const { scannedBlock } = world.cursors.get('base')
    isBroken = true
    await pass(120)
    expect(leases.get('base').holder).toBe('sound')
    expect(world.cursors.get('base').scannedBlock).toBeGreaterThan(scannedBlock + 30)
  },
)

test('a single process that could not read the chain continues a few seconds later', async () => {
  const { made, pass } = processes('a')
  await pass(60_000)
  await made[0]!.giveUp()
  expect(await pass(5_000)).toEqual([])
  expect(await pass(leaseMs)).toEqual(['a'])
})

test('a chain lags by the blocks and the time from the last scanned block to the head, and never by less than none', async () => {
  const coverage = async (number: number, time: number, scanned: { time: number } | null) => {
    const node = { head: async () => ({ number, time }), blockAt: async () => scanned }
    const cursors = { load: async () => ({ scannedBlock: 7, scannedBlockHash: '0x7', updatedAt: 5 }) }
    const { lagBlocks, lagSeconds } = (await coverageOn({ [base]: node } as never, cursors as never)(base))!
    return [lagBlocks, lagSeconds]
  }
  expect([await coverage(9, 30, { time: 26 }), await coverage(6, 24, { time: 26 })]).toEqual([
    [2, 4],
    [0, 0],
  ])
  expect(await coverage(9, 30, null)).toEqual([2, null])
})
