import { expect, test } from 'bun:test'
import { nextNonce, type Relayer, type Slot } from '../../src/domain/chain/relayer'
import { testAll } from '../support/test-all'
import { order } from '../support/world'

const slotOf = (nonce: number, characters: number): Slot => ({
  nonce,
  orderId: order.id,
  order,
  deadline: 60,
  hashes: [],
  attempts: [{ hash: '0x', bytes: `0x${'0'.repeat(characters)}`, feeCap: '8', tip: '1', at: 0 }],
})
const senderOf = (count: number, characters = 10): Relayer => ({
  id: 'polygon:0',
  version: 1,
  slots: Array.from({ length: count }, (_, nonce) => slotOf(nonce, characters)),
})

// Columns: unconfirmed slots, characters of each, mined nonces; the nonce that is assigned.
testAll<[string, number, number, number, number | null]>([
  ['none is held', 0, 10, 7, 7],
  ['fifteen are not mined', 40, 10, 25, 40],
  ['sixteen are not mined', 40, 10, 24, null],
  ['all are mined but none is confirmed', 511, 10, 511, 511],
  ['too many are not confirmed', 512, 10, 512, null],
  ['long ones are not confirmed', 100, 19_000, 100, 100],
  ['the unconfirmed slots would make a huge document', 100, 20_000, 100, null],
])(
  'nextNonce: returns none while too many slots are unmined or unconfirmed, or the record is too long to store',
  (_case, held, characters, mined, nonce) => {
    expect(nextNonce(senderOf(held, characters), mined)).toBe(nonce)
  },
)

test('nextNonce: a settled slot keeps its nonce while a lagging node reports it as unused', () => {
  const settled: Slot = { ...slotOf(5, 10), order: null, attempts: [] }
  const relayer = (...slots: Slot[]): Relayer => ({ id: 'base:0', version: 1, slots })
  expect(nextNonce(relayer(settled), 5)).toBe(6)
  expect(nextNonce(relayer(settled, { ...settled, nonce: 6 }, slotOf(7, 10)), 5)).toBe(8)
  expect(nextNonce(relayer(settled), 6)).toBe(6)
})

test('nextNonce: returns the lowest nonce that no slot holds, even below held ones', () => {
  const slots = [0, 1, 4, 500].map((nonce) => slotOf(nonce, 10))
  expect([1, 3, 5].map((mined) => nextNonce({ id: 'base:0', version: 1, slots }, mined))).toEqual([2, 3, 5])
})
