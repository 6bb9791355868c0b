import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { bufferedWei, coversCost, gasFeeOf, splitDeposit } from '../../src/domain/money/fees'
import { testAll } from '../support/test-all'

// Columns: received, bps, gas; then collected, forgiven, to swap.
testAll([
  ['no fees: everything is swapped', 1_000n, 0, 0n, 0n, 0n, 1_000n],
  ['rule 1: the fee is a share of the deposit', 1_000n, 100, 0n, 10n, 0n, 990n],
  ['rule 1: a fraction of a unit is not taken', 99n, 100, 0n, 0n, 0n, 99n],
  ['rule 1: the cap is a tenth', 1_000n, 1_000, 0n, 100n, 0n, 900n],
  ['rule 5: gas is taken before the fee', 1_000n, 100, 500n, 10n, 0n, 490n],
  ['rule 5: the fee yields to gas', 1_000n, 1_000, 950n, 50n, 50n, 0n],
  ['rule 7: gas takes all and the fee is forgiven', 1_000n, 1_000, 1_000n, 0n, 100n, 0n],
  ['rule 7: gas alone exceeds the deposit', 500n, 100, 501n, 0n, 5n, -1n],
  ['rule 7: one unit', 1n, 1_000, 0n, 0n, 0n, 1n],
] as const)(
  'splitDeposit: takes gas first, then the fee up to its cap, and swaps the rest',
  (_rule, totalReceivedRaw, protocolFeeBps, gasFeeRaw, collected, forgiven, swap) => {
    const split = splitDeposit({ totalReceivedRaw, protocolFeeBps, gasFeeRaw })

    expect(split.protocolFeeEffective).toBe(collected)
    expect(split.protocolFeeForgiven).toBe(forgiven)
    expect(split.amountForSwapRaw).toBe(swap)
    expect(collected + gasFeeRaw + swap).toBe(totalReceivedRaw)
  },
)

const raw = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n })
const bps = fc.integer({ min: 0, max: 1_000 })

test('splitDeposit: the parts add up to the deposit for all amounts', () => {
  fc.assert(
    fc.property(raw, bps, raw, (totalReceivedRaw, protocolFeeBps, gasFeeRaw) => {
      const split = splitDeposit({ totalReceivedRaw, protocolFeeBps, gasFeeRaw })
      expect(split.protocolFeeEffective + split.gasFeeRaw + split.amountForSwapRaw).toBe(totalReceivedRaw)
      expect(split.protocolFeeEffective + split.protocolFeeForgiven).toBe(split.protocolFeeRaw)
      expect(split.protocolFeeEffective).toBeGreaterThanOrEqual(0n)
      expect(split.protocolFeeRaw * 10n).toBeLessThanOrEqual(totalReceivedRaw)
      if (split.protocolFeeForgiven > 0n) expect(split.amountForSwapRaw).toBeLessThanOrEqual(0n)
    }),
    { numRuns: 2_000 },
  )
})

test('splitDeposit: a larger deposit never leaves less to swap', () => {
  fc.assert(
    fc.property(raw, fc.bigInt({ min: 0n, max: 10n ** 30n }), bps, raw, (received, more, protocolFeeBps, gasFeeRaw) => {
      const left = (totalReceivedRaw: bigint) => splitDeposit({ totalReceivedRaw, protocolFeeBps, gasFeeRaw })
      expect(left(received + more).amountForSwapRaw).toBeGreaterThanOrEqual(left(received).amountForSwapRaw)
    }),
  )
})

testAll([-1, 1_001, 0.5, Number.NaN])('splitDeposit: a fee above the cap is refused', (protocolFeeBps) => {
  expect(() => splitDeposit({ totalReceivedRaw: 1n, protocolFeeBps, gasFeeRaw: 0n })).toThrow(RangeError)
})

const usd = (whole: number) => BigInt(Math.round(whole * 1e8))

// Columns: cost in wei, native USD, token USD, decimals; then the fee in atomic units of the token.
testAll([
  ['a tenth of a cent in USDC, with the buffer', 333_333_333_333n, usd(3_000), usd(1), 6, 1_200n],
  ['rounded up: the platform advances it', 1n, usd(3_000), usd(1), 6, 1n],
  ['no cost, no fee', 0n, usd(3_000), usd(1), 6, 0n],
  ['in a token of 18 decimals', 10n ** 15n, usd(3_000), usd(3_000), 18, 1_200_000_000_000_000n],
] as const)(
  'gasFeeOf: returns the cost with its buffer in units of the token, rounded up',
  (_rule, costWei, nativeUsd, tokenUsd, tokenDecimals, fee) => {
    expect(gasFeeOf({ costWei, nativeUsd, tokenUsd, tokenDecimals })).toBe(fee)
  },
)

test('gasFeeOf: covers the cost and the buffer without a unit more', () => {
  const price = fc.bigInt({ min: 1n, max: 10n ** 14n })
  fc.assert(
    fc.property(
      fc.bigInt({ min: 0n, max: 10n ** 20n }),
      price,
      price,
      fc.integer({ min: 0, max: 36 }),
      (costWei, nativeUsd, tokenUsd, tokenDecimals) => {
        const fee = gasFeeOf({ costWei, nativeUsd, tokenUsd, tokenDecimals })
        const worth = (units: bigint) => units * tokenUsd * 10n ** 18n * 10n
        const owed = costWei * nativeUsd * 10n ** BigInt(tokenDecimals) * 12n
        expect(worth(fee)).toBeGreaterThanOrEqual(owed)
        if (fee > 0n) expect(worth(fee - 1n)).toBeLessThan(owed)
      },
    ),
  )
})

testAll([
  [0n, 1n],
  [1n, 0n],
  [-1n, 1n],
  [1n, -1n],
] as const)('gasFeeOf: a zero or negative price is refused', (nativeUsd, tokenUsd) => {
  expect(() => gasFeeOf({ costWei: 1n, nativeUsd, tokenUsd, tokenDecimals: 6 })).toThrow('A price is not positive')
})

test('gasFeeOf: the smallest price is one unit of its last decimal', () => {
  expect(gasFeeOf({ costWei: 10n ** 18n, nativeUsd: 1n, tokenUsd: 1n, tokenDecimals: 6 })).toBe(1_200_000n)
})

testAll([
  [0n, 0n],
  [1n, 2n],
  [5n, 6n],
  [6n, 8n],
  [10_000n, 12_000n],
  [10_001n, 12_002n],
] as const)('bufferedWei: returns the cost and a fifth, rounded up to a whole wei', (costWei, buffered) => {
  expect(bufferedWei(costWei)).toBe(buffered)
})

testAll([
  [10n, 12n, true],
  [10n, 13n, false],
  [9n, 11n, false],
  [10n ** 18n, 12n * 10n ** 17n, true],
  [10n ** 18n, 12n * 10n ** 17n + 1n, false],
  [0n, 0n, true],
] as const)(
  'coversCost: a fee with its buffer may be less than the measured cost by the buffer only',
  (fee, cost, covers) => {
    expect(coversCost(fee, cost)).toBe(covers)
  },
)
