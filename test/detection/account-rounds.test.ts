import { expect, test } from 'bun:test'
import type { AddressMap } from '../../src/detection/intake/address-map'
import { combinedResult, nativeRounds, sweepRounds } from '../../src/detection/sweeps/sweep-rounds'
import { type Address, zeroAddress } from '../../src/domain/chain/hex'
import { addressOf } from '../support/deposits'

const [one, two] = [addressOf(0x71), addressOf(0x72)]
type Swept = { again: Address[]; explained: { account: Address; balanceRaw: bigint }[]; block: number }
const nothing: Swept = { again: [], explained: [], block: 0 }

/** Rounds over some accounts, with what was swept: the token, the first account and their number. */
function world(size: number, tokens: readonly Address[] = [one, two]) {
  const state = { now: 0, scanned: 10, result: nothing, tokens, size }
  const swept: [token: Address, first: Address | undefined, count: number][] = []
  const known: boolean[] = []
  const all = Array.from({ length: 12_000 }, (_, n) => addressOf(n + 1))
  const accounts = {
    get size() {
      return state.size
    },
    slice: (from: number, to: number) => all.slice(from, Math.min(to, state.size)),
  } as AddressMap
  const made = sweepRounds({
    accounts,
    tokens: () => state.tokens,
    scannedTo: async () => state.scanned,
    now: () => state.now,
    hotMs: 60_000,
    sweep: async (token, addresses, isAsBefore) => {
      swept.push([token, addresses[0], addresses.length])
      known.push(isAsBefore?.({ account: addressOf(1), balanceRaw: 5n } as never) ?? false)
      return { unread: [], depositIds: [], ...state.result } as never
    },
    sweepEach: async (each, addresses) => {
      for (const token of each) swept.push([token, addresses[0], addresses.length])
      return each.map(() => ({ unread: [], depositIds: [], ...state.result })) as never
    },
  })
  const sweptBy = async (act: () => Promise<unknown>) => {
    swept.length = 0
    const result = await act()
    return [result, ...swept]
  }
  return { ...made, state, known, sweptBy }
}

test('all accounts are swept 5,000 at a time, for the native coin and for one token after another', async () => {
  const { sweepNative, sweepTokens, sweptBy, pagesOf, state } = world(12_000)
  const pages = [1, 5_001, 10_001, 1].map((first) => [addressOf(first), first > 10_000 ? 2_000 : 5_000] as const)
  for (const page of pages) expect(await sweptBy(sweepNative)).toEqual(['RESPONDED', [zeroAddress, ...page]])
  for (const token of [one, two, one])
    for (const page of pages.slice(0, 3)) expect(await sweptBy(sweepTokens)).toEqual(['RESPONDED', [token, ...page]])
  const counts = [0, 1, 5_000, 5_001, 10_000, 10_001].map((size) => {
    state.size = size
    return pagesOf()
  })
  expect(counts).toEqual([1, 1, 1, 2, 2, 3])
})

test('a page that has gained accounts is read again, and without tokens there is nothing to sweep', async () => {
  const { sweepNative, sweepTokens, sweptBy, state } = world(3)
  for (const size of [3, 4]) {
    state.size = size
    expect(await sweptBy(sweepNative)).toEqual(['RESPONDED', [zeroAddress, addressOf(1), size]])
  }
  state.tokens = []
  expect(await sweptBy(sweepTokens)).toEqual(['IDLE'])
})

test('a round may take three times its duration and five minutes more', async () => {
  const { sweepNative, sweepTokens, isGoingRound, state } = world(5_001)
  const slackMs = 300_000
  state.now = slackMs + 3 * 2 * 2 * 1_000
  expect(isGoingRound(2_000, 1_000)).toBe(true)
  state.now += 1
  expect([isGoingRound(2_000, 1_000), isGoingRound(2_001, 1_000)]).toEqual([false, false])
  for (let n = 0; n < 2; n++) await sweepNative()
  expect(isGoingRound(2_000, 1_000)).toBe(false) // the tokens’ round is late too
  for (let n = 0; n < 4; n++) await sweepTokens()
  expect(isGoingRound(1)).toBe(true)
  state.now += slackMs + 3 * 2 * 2 + 1
  expect(isGoingRound(1_000, 1)).toBe(false)
})

test('a named account is swept in each block until its transfer is confirmed, from the block of its money on', async () => {
  const { requestSweep, sweepNamed, sweptBy, state } = world(0)
  expect(await sweptBy(sweepNamed)).toEqual(['IDLE'])
  requestSweep(addressOf(5), one, 11)
  requestSweep(addressOf(6), one)
  expect(await sweptBy(sweepNamed)).toEqual(['RESPONDED', [one, addressOf(6), 1]])
  expect(await sweptBy(sweepNamed)).toEqual(['IDLE'])
  state.scanned = 11
  expect(await sweptBy(sweepNamed)).toEqual(['RESPONDED', [one, addressOf(5), 2]])
  state.now = 60_000
  state.scanned = 12
  expect(await sweptBy(sweepNamed)).toEqual(['RESPONDED', [one, addressOf(5), 2]])
  state.now += 1
  state.scanned = 13
  expect(await sweptBy(sweepNamed)).toEqual(['IDLE'])
})

test('an account that could not be judged, or was explained, is swept again two seconds later', async () => {
  for (const result of [
    { ...nothing, again: [addressOf(5)] },
    { ...nothing, explained: [{ account: addressOf(5), balanceRaw: 1n }] },
  ]) {
    const { requestSweep, sweepNamed, sweptBy, state } = world(0)
    requestSweep(addressOf(5), one)
    state.result = result
    await sweepNamed()
    state.result = nothing
    state.scanned += 1
    state.now = 1_999
    expect(await sweptBy(sweepNamed)).toEqual(['IDLE'])
    state.now = 2_000
    expect(await sweptBy(sweepNamed)).toEqual(['RESPONDED', [one, addressOf(5), 1]])
  }
})

test('an explained balance counts as explained for twenty seconds while it is the same, for its token', async () => {
  const { sweepNative, sweepTokens, state, known } = world(1)
  const explain = async (balanceRaw: bigint) => {
    state.result = { ...nothing, explained: [{ account: addressOf(1), balanceRaw }] }
    await sweepNative()
    state.result = nothing
  }
  const isKnown = async (ms: number, sweep = sweepNative) => {
    state.now += ms
    await sweep()
    return known.at(-1)
  }
  expect(await isKnown(0)).toBe(false)
  await explain(5n)
  expect([await isKnown(19_999), await isKnown(1)]).toEqual([true, false])
  await explain(5n)
  expect([await isKnown(0, sweepTokens), await isKnown(0)]).toEqual([false, true])
  await explain(6n)
  expect(await isKnown(0)).toBe(false)
})

test('a sweep of a chain that is not scanned yet did nothing', async () => {
  const { sweepNative, state, sweptBy } = world(1)
  state.result = { ...nothing, block: -1 }
  expect((await sweptBy(sweepNative))[0]).toBe('IDLE')
  expect([combinedResult([]), combinedResult(['IDLE', 'RESPONDED']), combinedResult(['IDLE'])]).toEqual([
    ...(['IDLE', 'RESPONDED', 'IDLE'] as const),
  ])
})

test('a new account is swept for every token a round after it joined, by the process that sweeps', async () => {
  const { join, sweepNewcomers, sweptBy } = world(0)
  join([addressOf(7), addressOf(8)])
  expect(await sweptBy(() => sweepNewcomers(true))).toEqual(['IDLE'])
  const each = [zeroAddress, one, two].map((token) => [token, addressOf(7), 2])
  expect(await sweptBy(() => sweepNewcomers(true))).toEqual(['RESPONDED', ...each])
  expect(await sweptBy(() => sweepNewcomers(true))).toEqual(['IDLE'])
  join([addressOf(7)])
  for (let n = 0; n < 3; n++) expect(await sweptBy(() => sweepNewcomers(false))).toEqual(['IDLE'])
})

/** Rounds for native coin over so many pages, with the blocks that were read for recipients. */
function native(pages: number) {
  const state = { pages, paid: [] as Address[], isDown: false }
  const reads: [number, number][] = []
  const requested: Address[] = []
  let swept = 0
  const rounds = nativeRounds(
    {
      chain: {
        nativeRecipients: async (from: number, to: number) => {
          reads.push([from, to])
          return state.paid
        },
      } as never,
      accounts: { has: (address: string) => address !== addressOf(9) },
    },
    {
      pagesOf: () => state.pages,
      requestSweep: (account: Address, token: Address) => token === zeroAddress && requested.push(account),
      sweepNative: async () => {
        if (state.isDown) throw new Error('down')
        swept += 1
        return 'RESPONDED'
      },
    } as never,
  )
  const pagesSwept = async () => {
    swept = 0
    await rounds.sweep()
    return swept
  }
  return { ...rounds, state, reads, requested, pagesSwept }
}

test('few pages are swept whenever the scan has advanced, and no blocks are read', async () => {
  const { isDue, pagesSwept, reads } = native(2)
  expect([await isDue(100), await pagesSwept(), await pagesSwept()]).toEqual([true, 2, 0])
  expect([await isDue(100), await isDue(99), await pagesSwept()]).toEqual([false, false, 0])
  expect([await isDue(101), await pagesSwept(), reads]).toEqual([true, 2, []])
})

test('if reading the new blocks takes fewer requests, their recipients are swept, and one page of all accounts', async () => {
  const { isDue, pagesSwept, reads, state, requested } = native(64)
  expect([await isDue(100), await pagesSwept(), reads]).toEqual([true, 64, []])
  state.pages = 3
  expect([await isDue(103), await pagesSwept(), reads]).toEqual([true, 3, []])
  state.pages = 4
  expect([await isDue(106), await pagesSwept(), reads.splice(0)]).toEqual([false, 1, [[104, 106]]])
  state.paid = [addressOf(9), addressOf(5)]
  expect([await isDue(109), requested, reads.splice(0)]).toEqual([true, [addressOf(5)], [[107, 109]]])
  state.pages = 65
  expect([await isDue(1_000), reads.splice(0)]).toEqual([true, [[937, 1_000]]])
})

test('the first poll reads as many blocks as it may, from the first block of the chain on', async () => {
  const first = native(65)
  expect([await first.isDue(100), first.reads]).toEqual([false, [[37, 100]]])
  const young = native(65)
  expect([await young.isDue(20), young.reads]).toEqual([false, [[0, 20]]])
})

test('pages that could not be swept stay due', async () => {
  const { isDue, sweep, pagesSwept, state } = native(2)
  await isDue(100)
  state.isDown = true
  await expect(sweep()).rejects.toThrow('down')
  state.isDown = false
  expect(await pagesSwept()).toBe(2)
})
