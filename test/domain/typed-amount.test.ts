import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { parseUnits } from 'viem'
import { roughly, typedAmount } from '../../src/domain/money/amount'

test('a typed amount is parsed as viem parses it, or rejected', () => {
  const digits = fc.stringMatching(/^\d{1,30}(\.\d{1,18})?$/)
  fc.assert(
    fc.property(digits, fc.integer({ min: 0, max: 24 }), (text, decimals) => {
      const isFine = (text.split('.')[1]?.length ?? 0) <= decimals
      const raw = isFine ? parseUnits(text, decimals) : 0n
      expect(typedAmount(text, decimals)).toBe(raw > 0n ? raw : null)
    }),
  )
  for (const text of ['', ' 1', '1e3', '-1', '+1', '0x1', '1.', '.5', '1,', '1,5,0', '1,5.0', '١', '0', '0.00'])
    expect([text, typedAmount(text, 6)]).toEqual([text, null])
})

test('a comma is a decimal sign unless it could separate thousands', () => {
  for (const [text, raw] of [
    ['1,5', 1_500_000n],
    ['0,125', 125_000n],
    ['1234,125', 1_234_125_000n],
    ['1,5000', 1_500_000n],
    ['1,500', null],
    ['999,999', null],
  ] as const)
    expect([text, typedAmount(text, 6)]).toEqual([text, raw])
})

test('a typed amount of one unit is the smallest', () => {
  expect(typedAmount('0.000001', 6)).toBe(1n)
  expect(typedAmount('0.0000001', 6)).toBeNull()
})

test('an estimate has three digits and is accurate to half of the last digit', () => {
  for (const [raw, shown] of [
    [0n, 0n],
    [7n, 7n],
    [18_432n, 18_400n],
    [99_950n, 100_000n],
    [123_456_789_012_345_678n, 123_000_000_000_000_000n],
  ] as const)
    expect(roughly(raw)).toBe(shown)
  expect(roughly(24_831_711n, 5)).toBe(24_832_000n)
})
