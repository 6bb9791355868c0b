import { expect, test } from 'bun:test'
import type { AddressMap } from '../../src/detection/intake/address-map'
import { sweepRounds } from '../../src/detection/sweeps/sweep-rounds'
import type { Address } from '../../src/domain/chain/hex'
import { RoutingError } from '../../src/domain/error'
import { addressOf } from '../support/deposits'
import { base, detectionWorld } from '../support/detection'
import { observationsInMemory } from '../support/observations'

const tickMs = 1_000

/** Accounts with two tokens, and a clock. `fails` names the token that cannot be scanned. */
function rounds(accounts: number, fails: { token: Address | null } = { token: null }) {
  const clock = { now: 0 }
  const swept: Address[][] = []
  const all = Array.from({ length: accounts }, (_, n) => addressOf(n + 1))
  const made = sweepRounds({
    accounts: { size: accounts, slice: (from: number, to: number) => all.slice(from, to) } as AddressMap,
    tokens: () => [addressOf(0x71), addressOf(0x72)],
    scannedTo: async () => 0,
    now: () => clock.now,
    hotMs: 1,
    sweep: async (token, addresses) => {
      swept.push([...addresses])
      if (token === fails.token) throw new Error('The node refuses')
      return { again: [], unread: [], explained: [], depositIds: [], block: 0 }
    },
    sweepEach: async () => [],
  })
  async function ticks(count: number): Promise<void> {
    for (let n = 0; n < count; n++) {
      clock.now += tickMs
      await made.sweepNative()
      await made.sweepTokens().catch(() => {})
    }
  }
  return { ...made, ticks, swept, isGoing: () => made.isGoingRound(tickMs) }
}

test('a balance sweep that completes its rounds reports so, for any number of pages', async () => {
  for (const accounts of [0, 1, 12_000]) {
    const { ticks, isGoing } = rounds(accounts)
    for (let n = 0; n < 20; n++) {
      await ticks(60)
      expect(isGoing()).toBe(true)
    }
  }
})

test('a balance sweep stuck at a page reports no rounds until it continues', async () => {
  const fails: { token: Address | null } = { token: addressOf(0x72) }
  const { ticks, isGoing } = rounds(12_000, fails)
  await ticks(400)
  expect(isGoing()).toBe(false)
  fails.token = null
  await ticks(20)
  expect(isGoing()).toBe(true)
})

test('a named account whose sweep fails is swept again at the same block, and then only at later ones', async () => {
  const fails: { token: Address | null } = { token: addressOf(0x72) }
  const { requestSweep, sweepNamed, swept } = rounds(0, fails)
  requestSweep(addressOf(1), addressOf(0x72))
  await expect(sweepNamed()).rejects.toThrow('The node refuses')
  fails.token = null
  for (let n = 0; n < 2; n++) await sweepNamed()
  expect(swept).toEqual([[addressOf(1)], [addressOf(1)]])
})

test('a token whose sweep fails delays the named accounts of other tokens by one round', async () => {
  const [failing, other] = [addressOf(0x72), addressOf(0x73)]
  const { requestSweep, sweepNamed, swept } = rounds(0, { token: failing })
  requestSweep(addressOf(1), failing)
  requestSweep(addressOf(2), other)
  await expect(sweepNamed()).rejects.toThrow('The node refuses')
  await expect(sweepNamed()).rejects.toThrow('The node refuses')
  expect(swept).toEqual([[addressOf(1)], [addressOf(2)], [addressOf(1)]])
})

test('a working process records the progress of a chain’s balance sweep for all, and a failing one does not', async () => {
  const observations = observationsInMemory()
  const { accounts, clock, scan, sweep, chain } = detectionWorld({ observations })
  accounts.create()
  await scan()
  await sweep()
  const noted = { kind: 'SWEEP', chainId: base, okAt: clock.at }
  const swept = async () => (await observations.all()).filter(({ kind }) => kind === 'SWEEP')
  expect(await swept()).toMatchObject([noted])
  clock.at += 120_000
  chain.failure = new RoutingError('RPC_UNREACHABLE')
  await sweep().catch(() => {})
  expect(await swept()).toMatchObject([noted])
})
