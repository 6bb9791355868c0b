import { expect, test } from 'bun:test'
import { NEVER } from 'rxjs'
import { backfill, gapsOf } from '../../src/detection/sweeps/backfill'
import { type Address, zeroAddress } from '../../src/domain/chain/hex'
import type { AssetTransfer, ScanCursor } from '../../src/ports/detection'
import { addressOf, hashOf } from '../support/deposits'
import { recordsInMemory } from '../support/records'

const [base, ethereum, polygon] = [8453, 1, 137] as const
const fromBlock = 10

/** Fills the gaps of two chains for some accounts. `payments`: what the source of a chain yields for each account. */
async function filled(
  accounts: number,
  payments: Partial<Record<number, AssetTransfer[][]>>,
  { gaps = [base, ethereum] as (1 | 137 | 8453)[], isDown = false } = {},
) {
  const seen = { refreshes: 0, asked: [] as unknown[], pointers: [] as unknown[], measured: [] as unknown[] }
  const troubles: string[] = []
  const addresses = Array.from({ length: accounts }, (_, n) => addressOf(n + 1))
  const sourceOf = (chainId: number) => ({
    async *to(address: Address, from: number) {
      seen.asked.push([chainId, address, from])
      const pages = payments[chainId]
      if (!pages) throw new Error('down')
      yield* pages
    },
  })
  await backfill(
    gaps.map((chainId) => ({ chainId, fromBlock })),
    {
      size: accounts,
      joined: NEVER,
      refresh: async () => void seen.refreshes++,
      slice: (from, to) => addresses.slice(from, to),
    },
    {
      transfersOf: { [base]: sourceOf(base), [ethereum]: sourceOf(ethereum) },
      pointers: {
        async publish(all) {
          if (isDown) throw new Error('down')
          seen.pointers.push(...all)
        },
      },
      requestSweep: (...asked) => seen.measured.push(asked),
      now: () => 7,
      onTrouble: (work) => troubles.push(work),
    },
  )
  return { ...seen, troubles }
}
const none = { [base]: [], [ethereum]: [] }

test('a chain has a gap once its scanner has stood still for more than two minutes', async () => {
  const cursors = recordsInMemory<ScanCursor>()
  const store = (id: string, scannedBlock: number, updatedAt: number) =>
    cursors.save({ id, version: 0, scannedBlock, scannedBlockHash: hashOf(1), updatedAt })
  await store('base', 9, 1_000)
  await store('ethereum', 9, 1_001)
  await store('polygon', -1, 0)
  expect(await gapsOf(cursors, 121_001)).toEqual([
    { chainId: base, fromBlock },
    { chainId: polygon, fromBlock: 0 },
  ])
})

test('each transaction of a gap is read once, and an account that received coin is measured', async () => {
  const [one, two] = [hashOf(1), hashOf(2)]
  const pages = [
    [
      { hash: one, isNative: false },
      { hash: one, isNative: true },
    ],
    [{ hash: two, isNative: false }],
  ]
  const { asked, pointers, measured, troubles } = await filled(1, { ...none, [base]: pages })
  expect(asked).toEqual([base, ethereum].map((chainId) => [chainId, addressOf(1), fromBlock]))
  expect(pointers).toEqual([one, two].map((txHash) => ({ chainId: base, txHash, seenAt: 7 })))
  expect(measured).toEqual([[base, addressOf(1), zeroAddress]])
  expect(troubles).toEqual([])
})

test('the newest 2,000 accounts are requested, the newest first', async () => {
  const { asked } = await filled(2_001, none, { gaps: [base] })
  expect([asked.length, asked[0], asked.at(-1)]).toEqual([
    2_000,
    [base, addressOf(2_001), fromBlock],
    [base, addressOf(2), fromBlock],
  ])
})

test('a source that fails is reported and queried no further, and the other chains are searched', async () => {
  const { asked, troubles } = await filled(20, { [ethereum]: [] })
  const askedOf = (chainId: number) => asked.filter((each) => (each as number[])[0] === chainId).length
  expect([askedOf(base), askedOf(ethereum)]).toEqual([4, 20])
  expect(new Set(troubles)).toEqual(new Set(['backfill of base']))
  const lost = await filled(1, { ...none, [base]: [[{ hash: hashOf(1), isNative: false }]] }, { isDown: true })
  expect(lost.troubles).toEqual(['backfill of base'])
})

test('without a gap, or without a source for its chain, nothing is requested', async () => {
  expect(await filled(2, none, { gaps: [] })).toMatchObject({ refreshes: 0, asked: [] })
  expect(await filled(2, none, { gaps: [polygon] })).toMatchObject({ refreshes: 1, asked: [] })
})
