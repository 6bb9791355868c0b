import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { parseAmount } from '../../src/domain/money/amount'
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
