import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { humanAmount, parseHumanAmount } from '../../src/cli/terminal/human-amount'
import { testAll } from '../support/test-all'

testAll([
  ['25', 6, 25_000_000n],
  ['0.5', 18, 5n * 10n ** 17n],
  ['0.000001', 6, 1n],
  ['7', 0, 7n],
])('an amount is read with the decimals of its token', (text, decimals, atomic) =>
  expect(parseHumanAmount(text, decimals)).toBe(atomic),
)

testAll(['', '0', '0.0', '-1', '+1', '1e3', '0x10', '1,5', '1.', '.5', ' 1', '01', 'Infinity', '١'])(
  'a malformed amount is refused',
  (text) => expect(() => parseHumanAmount(text, 6)).toThrow(),
)

test('an amount with more decimals than the token is refused and never rounded', () =>
  expect(() => parseHumanAmount('1.0000001', 6)).toThrow('this token has 6'))

test('an amount that no token can hold is refused with a sentence', () => {
  expect(parseHumanAmount('0.5', 77)).toBe(5n * 10n ** 76n)
  expect(() => parseHumanAmount('25', 77)).toThrow(
    'The amount is too large: this token has 77 decimals, so 1.1579 is the most it can hold.',
  )
})

test('formatting and parsing an amount gives the same amount', () =>
  fc.assert(
    fc.property(fc.bigInt(1n, 10n ** 40n), fc.integer({ min: 0, max: 18 }), (amount, decimals) =>
      expect(parseHumanAmount(humanAmount(amount, decimals), decimals)).toBe(amount),
    ),
  ))
