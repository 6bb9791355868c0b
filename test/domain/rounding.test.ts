import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { laneBook, takenAlong } from '../../src/domain/execution/lane'
import { sumOf } from '../../src/domain/money/amount'
import { holdingOf } from '../../src/domain/money/holding'
import { arrivedRawOf, roundingOf, shareOf } from '../../src/domain/money/rounding'
import { executionOf, hashOf } from '../support/deposits'

const amount = fc.bigInt({ min: 1n, max: 10n ** 30n })

test('rounding takes ten units at most, and never more than a millionth of an amount', () => {
  expect([1n, 999_999n, 1_000_000n, 25_000_000n, 25n * 10n ** 18n].map(roundingOf)).toEqual([0n, 0n, 1n, 10n, 10n])
  fc.assert(
    fc.property(amount, (amountRaw) => {
      const rounded = roundingOf(amountRaw)
      return rounded >= 0n && rounded <= 10n && rounded * 1_000_000n <= amountRaw
    }),
  )
})

test('deposits that lie together each go with all that is theirs but rounding, and together take what is there', () => {
  const deposits = fc.array(fc.record({ saidRaw: amount, part: fc.nat(100) }), { minLength: 1, maxLength: 8 })
  fc.assert(
    fc.property(deposits, (all) => {
      // What rounding took of each, up to all that it may take.
      const heldRaw = sumOf(all.map(({ saidRaw, part }) => saidRaw - (roundingOf(saidRaw) * BigInt(part)) / 100n))
      let left = heldRaw
      const waiting = all.map(({ saidRaw }) => saidRaw)
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const share = shareOf(left, next, waiting)
        if (share === null || share > left || share > next || share < next - roundingOf(next)) return false
        left -= share
      }
      return left === 0n
    }),
  )
})

test('a deposit that is short of one unit more than rounding takes of all that lie there is missing', () => {
  fc.assert(
    fc.property(amount, fc.array(amount, { maxLength: 4 }), (saidRaw, others) => {
      const fullRaw = saidRaw + sumOf(others)
      const roundedRaw = sumOf([saidRaw, ...others].map(roundingOf))
      const enough = shareOf(fullRaw - roundedRaw, saidRaw, others)
      return enough !== null && shareOf(fullRaw - roundedRaw - 1n, saidRaw, others) === null
    }),
  )
})

test('a deposit with more than it brought takes the residue along, as before', () => {
  expect(shareOf(3_000n, 1_000n, [500n])).toBe(2_500n)
  expect(shareOf(999n, 1_000n, [])).toBeNull()
})

const all = 25n * 10n ** 18n
const short = executionOf(
  1,
  { facts: { balance: { totalReceivedRaw: String(all - 2n), block: 5 } } },
  { amountRaw: String(all) },
)

test('what a deposit brought is what arrived, and never what it takes along', () => {
  expect(arrivedRawOf(short)).toBe(all - 2n)
  expect(arrivedRawOf({ ...short, facts: {} })).toBe(all)
  expect(arrivedRawOf({ ...short, facts: { balance: { totalReceivedRaw: String(all + 7n) } } })).toBe(all)
})

test('the book of a lane and the place of the money count what arrived, so nothing is left when it has gone', () => {
  const spent = { hash: hashOf(7), block: 6, amountRaw: String(all - 2n), at: 0 }
  const gone = { ...short, facts: { ...short.facts, spent } }
  const { broughtRaw, spentRaw } = laneBook([gone], 9)
  expect(broughtRaw - spentRaw).toBe(0n)
  expect(holdingOf(short)).toMatchObject({ holder: 'DEPOSIT_ACCOUNT', amountRaw: String(all - 2n) })
})

test('a later deposit takes along what an earlier one left, although rounding took a unit of both', () => {
  const ended = { ...executionOf(2, { state: 'DEAD_LETTER', completedAt: 1 }, { amountRaw: String(all) }) }
  const taker = {
    ...executionOf(3, { facts: { balance: { totalReceivedRaw: String(2n * all - 3n), block: 5 } } }),
    history: [],
  }
  const own = { ...taker, deposit: { ...taker.deposit, amountRaw: String(all) } }
  expect(takenAlong(own, 2n * all - 3n, [ended])).toEqual([ended.id])
  expect(takenAlong(own, 2n * all - 30n, [ended])).toEqual([])
  const redriven = { ...ended, redrivenBy: `${ended.id}:r1` }
  expect(takenAlong(own, 2n * all, [redriven, { ...ended, id: own.id }])).toEqual([])
  expect(takenAlong({ ...own, redriveOf: ended.id }, 2n * all, [ended])).toEqual([])
})
