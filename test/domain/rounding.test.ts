import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { includedResidue, laneLedger } from '../../src/domain/execution/lane'
import { arrivedRawOf, roundingOf, shareOf, sumOf } from '../../src/domain/money/amount'
import { holdingOf } from '../../src/domain/money/holding'
import { executionOf, hashOf } from '../support/deposits'

const amount = fc.bigInt({ min: 1n, max: 10n ** 30n })

test('rounding is at most ten units and at most a millionth of an amount', () => {
  expect([1n, 999_999n, 1_000_000n, 25_000_000n, 25n * 10n ** 18n].map(roundingOf)).toEqual([0n, 0n, 1n, 10n, 10n])
  fc.assert(
    fc.property(amount, (amountRaw) => {
      const rounded = roundingOf(amountRaw)
      return rounded >= 0n && rounded <= 10n && rounded * 1_000_000n <= amountRaw
    }),
  )
})

test('deposits in one account each spend their amount less rounding, and together spend the whole balance', () => {
  const deposits = fc.array(fc.record({ saidRaw: amount, part: fc.nat(100) }), { minLength: 1, maxLength: 8 })
  fc.assert(
    fc.property(deposits, (all) => {
      // Rounding of each deposit, up to the allowed maximum.
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

test('a deposit is missing if the balance falls short by one unit more than the rounding of all deposits there', () => {
  fc.assert(
    fc.property(amount, fc.array(amount, { maxLength: 4 }), (saidRaw, others) => {
      const fullRaw = saidRaw + sumOf(others)
      const roundedRaw = sumOf([saidRaw, ...others].map(roundingOf))
      const enough = shareOf(fullRaw - roundedRaw, saidRaw, others)
      return enough !== null && shareOf(fullRaw - roundedRaw - 1n, saidRaw, others) === null
    }),
  )
})

test('a deposit of a larger balance includes the leftover', () => {
  expect(shareOf(3_000n, 1_000n, [500n])).toBe(2_500n)
  expect(shareOf(999n, 1_000n, [])).toBeNull()
})

const all = 25n * 10n ** 18n
const short = executionOf(
  1,
  { facts: { balance: { totalReceivedRaw: String(all - 2n), block: 5 } } },
  { amountRaw: String(all) },
)

test('the deposited amount is the amount that arrived, without included leftovers', () => {
  expect(arrivedRawOf(short)).toBe(all - 2n)
  expect(arrivedRawOf({ ...short, facts: {} })).toBe(all)
  expect(arrivedRawOf({ ...short, facts: { balance: { totalReceivedRaw: String(all + 7n) } } })).toBe(all)
})

test('the lane’s ledger and the holding count the amount that arrived, so nothing remains after it is spent', () => {
  const spent = { hash: hashOf(7), block: 6, amountRaw: String(all - 2n), at: 0 }
  const gone = { ...short, facts: { ...short.facts, spent } }
  const { broughtRaw, spentRaw } = laneLedger([gone], 9)
  expect(broughtRaw - spentRaw).toBe(0n)
  expect(holdingOf(short)).toMatchObject({ holder: 'DEPOSIT_ACCOUNT', amountRaw: String(all - 2n) })
})

test('a later deposit includes an earlier leftover although rounding reduced both', () => {
  const ended = { ...executionOf(2, { state: 'DEAD_LETTER', completedAt: 1 }, { amountRaw: String(all) }) }
  const taker = {
    ...executionOf(3, { facts: { balance: { totalReceivedRaw: String(2n * all - 3n), block: 5 } } }),
    history: [],
  }
  const own = { ...taker, deposit: { ...taker.deposit, amountRaw: String(all) } }
  expect(includedResidue(own, 2n * all - 3n, [ended])).toEqual([ended.id])
  expect(includedResidue(own, 2n * all - 30n, [ended])).toEqual([])
  const redriven = { ...ended, redrivenBy: `${ended.id}:r1` }
  expect(includedResidue(own, 2n * all, [redriven, { ...ended, id: own.id }])).toEqual([])
  expect(includedResidue({ ...own, redriveOf: ended.id }, 2n * all, [ended])).toEqual([])
})
