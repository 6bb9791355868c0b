import { expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Address, Hash } from '../../src/domain/chain/hex'
import {
  claimOf,
  othersMax,
  type Unsupported,
  type UnsupportedTransfer,
  unsupportedOf,
  withCounted,
  withPointed,
  withTokens,
} from '../../src/domain/deposit/unsupported'
import { depositIdOf } from '../../src/domain/execution/execution'
import { amountMax } from '../../src/domain/money/amount'

const account: Address = '0x00000000000000000000000000000000000000A1'
const token: Address = '0x00000000000000000000000000000000000000Ee'
const whose = { organizationId: 'org_1', userId: 'user-1', account, chainId: 8453, token } as const
const fresh = (): Unsupported => unsupportedOf(whose, false, 1)
const hashOf = (n: number): Hash => `0x${n.toString(16).padStart(64, '0')}`
const transferOf = (n: number, block: number, amountRaw = 1n): UnsupportedTransfer => ({
  txHash: hashOf(n),
  logIndex: 0,
  block,
  amountRaw: String(amountRaw),
  fromAddress: '0x00000000000000000000000000000000000000AA',
})
const none = { sweptTo: -1, executionId: null, isShown: false, recorded: new Set<string>() }
const sumOf = (transfers: readonly UnsupportedTransfer[]) =>
  transfers.reduce((sum, { amountRaw }) => sum + BigInt(amountRaw), 0n)

/** Transfers on the chain, and the order in which webhooks and scans report them, some of them twice. */
const stories = fc.record({
  blocks: fc.array(fc.integer({ min: 1, max: 30 }), { maxLength: 60 }),
  acts: fc.array(
    fc.oneof(
      fc.record({ kind: fc.constant('webhook' as const), n: fc.nat(59) }),
      fc.record({ kind: fc.constant('scan' as const), to: fc.integer({ min: 0, max: 30 }) }),
      fc.record({ kind: fc.constant('vanished' as const), n: fc.nat(20), block: fc.integer({ min: 1, max: 30 }) }),
    ),
    { maxLength: 60 },
  ),
  sweptTo: fc.integer({ min: -1, max: 30 }),
})

test('a record counts every transfer once and no vanished one, in any order and repetition of reports', () => {
  fc.assert(
    fc.property(stories, ({ blocks, acts }) => {
      const chain = blocks.map((block, n) => transferOf(n, block, BigInt(n + 1)))
      let record = fresh()
      for (const act of acts) {
        if (act.kind === 'scan')
          record = withCounted(
            record,
            chain.filter(({ block }) => block <= act.to),
            act.to,
            -1,
          )
        const told =
          act.kind === 'vanished' ? transferOf(900 + act.n, act.block) : act.kind === 'webhook' && chain[act.n]
        if (told) record = withPointed(record, told) ?? record
        expect(record.newest.length).toBeLessThanOrEqual(20)
        const counted = record.newest.filter(({ block }) => block <= record.countedTo)
        const known = sumOf(counted) + BigInt(record.older.amountRaw)
        expect(known).toBe(sumOf(chain.filter(({ block }) => block <= record.countedTo)))
        const pointed = record.newest.map(({ block }) => block).filter((block) => block > record.countedTo)
        expect(record.pointedFrom).toBe(pointed.length > 0 ? Math.min(...pointed) : null)
      }
      record = withCounted(record, chain, 30, -1)
      expect(claimOf(record, none)).toEqual({ amountRaw: sumOf(chain), count: chain.length })
    }),
  )
})

test('money found by a balance sweep is claimed only by its deposit, in either order of storing', () => {
  fc.assert(
    fc.property(stories, ({ blocks, acts, sweptTo }) => {
      const chain = blocks.map((block, n) => transferOf(n, block, BigInt(n + 1)))
      const left = chain.filter(({ block }) => block > sweptTo)
      let record = fresh()
      let known = -1
      for (const [n, act] of acts.entries()) {
        if (n >= acts.length / 2) known = sweptTo // it is stored from here on, and every scan reads the stored value
        if (act.kind === 'webhook' && chain[act.n]) record = withPointed(record, chain[act.n]!) ?? record
        if (act.kind === 'scan')
          record = withCounted(
            record,
            chain.filter(({ block }) => block <= act.to),
            act.to,
            known,
          )
        const claimed = claimOf(record, { ...none, sweptTo })
        expect(claimed.amountRaw).toBeLessThanOrEqual(sumOf(left))
      }
    }),
  )
})

test('a transfer with its own record is not claimed a second time', () => {
  const record = withCounted(fresh(), [transferOf(1, 5, 7n), transferOf(2, 6, 9n)], 9, -1)
  const recorded = new Set([depositIdOf(8453, hashOf(1), 0)])
  expect(claimOf(record, { ...none, recorded })).toEqual({ amountRaw: 9n, count: 1 })
})

test('ten thousand transfers of one token make one record of a fixed size', () => {
  const chain = Array.from({ length: 10_000 }, (_, n) => transferOf(n, n + 1, 2n))
  const record = withCounted(fresh(), chain, 10_000, -1)
  expect(claimOf(record, none)).toEqual({ amountRaw: 20_000n, count: 10_000 })
  expect(JSON.stringify(record).length).toBeLessThan(8_000)
})

test('the amounts that unlisted tokens report never add up to more than any token can have', () => {
  const record = withCounted(
    fresh(),
    Array.from({ length: 50 }, (_, n) => transferOf(n, 5, amountMax)),
    9,
    -1,
  )
  expect(claimOf(record, none)).toEqual({ amountRaw: amountMax, count: 50 })
})

test('a shared record names each token once, up to its capacity', () => {
  const tokenOf = (n: number): Address => `0x${n.toString(16).padStart(40, '0')}`
  const many = Array.from({ length: othersMax + 5 }, (_, n) => tokenOf(n))
  const record = withTokens(withTokens(unsupportedOf(whose, true, 1), many.slice(0, 7)), many)
  expect(record.others).toEqual(many.slice(0, othersMax))
})
