import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { amountMax, amountOf, amountOfNoToken, parseAmount, usdText } from '../../src/domain/money/amount'
import { testAll } from '../support/test-all'

testAll([
  '',
  '-1',
  '+1',
  '01',
  '1.0',
  '1e3',
  '0x10',
  ' 1',
  '1 ',
  '1_000',
  '１',
  null,
  1,
  1n,
  undefined,
  String(2n ** 256n),
])('parseAmount: a text that is not an amount is rejected', (text) => expect(parseAmount(text)).toBeNull())

test('parseAmount: every amount survives a round trip', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }), (raw) => expect(parseAmount(String(raw))).toBe(raw)),
  )
})

test('parseAmount: the largest amount is that of 256 bits', () => {
  expect(amountMax).toBe(2n ** 256n - 1n)
  expect(parseAmount(String(amountMax))).toBe(amountMax)
  expect(parseAmount(String(amountMax + 1n))).toBeNull()
})

test('amountOf: a malformed stored amount is a bug', () => {
  expect(amountOf('7')).toBe(7n)
  expect(() => amountOf('07')).toThrow(TypeError)
})

test('an amount of 128 bits or more belongs to no token', () => expect(amountOfNoToken).toBe(2n ** 128n))

testAll([
  [0n, 2, '0.00'],
  [5n, 2, '0.05'],
  [1_234_567n, 6, '1.234567'],
  [1_000_007n, 6, '1.000007'],
  [12_345_678_901n, 8, '123.45678901'],
] as const)('usdText: a value has all its decimals', (value, decimals, text) => {
  expect(usdText(value, decimals)).toBe(text)
})
