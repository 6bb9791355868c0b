import { expect, test } from 'bun:test'
import { parseSearchAmount } from '../../src/domain/deposit/search-text'
import { userIdParts } from '../../src/domain/tenant/user-id-parts'

const tokens = [
  { symbol: 'USDC', decimals: 6 },
  { symbol: 'USDT', decimals: 6 },
  { symbol: 'WBTC', decimals: 8 },
]

test('an amount is read in the units of every token, or of the named one', () => {
  expect(parseSearchAmount('25.5', tokens)).toEqual({ amountsRaw: ['25500000', '2550000000'], symbol: null })
  expect(parseSearchAmount('25.5 wbtc', tokens)).toEqual({ amountsRaw: ['2550000000'], symbol: 'WBTC' })
  expect(parseSearchAmount('0.0000001', tokens)).toEqual({ amountsRaw: ['10'], symbol: null })
  expect(parseSearchAmount('1,234,567.5 usdc', tokens)?.amountsRaw).toEqual(['1234567500000'])
  expect(parseSearchAmount('1,500 usdc', tokens)?.amountsRaw).toEqual(['1500000', '1500000000'])
})

test('a text that is no amount of any token is none', () => {
  for (const text of ['', 'user-1', '0', '0.00', '1e3', '-1', '1.2.3', '1 2 USDC', '5 EURC', '0.000000001', '1,'])
    expect([text, parseSearchAmount(text, tokens)]).toEqual([text, null])
})

test('the parts of a user id begin at its words, in lower case, and are few', () => {
  expect(userIdParts('Dash-Customer@Example.com')).toEqual([
    'dash-customer@example.com',
    'customer@example.com',
    'example.com',
    'com',
  ])
  expect(userIdParts('Jörg Öhm')).toEqual(['jörg öhm', 'öhm'])
  expect(userIdParts('a')).toEqual(['a'])
  expect(userIdParts('-a-')).toEqual(['-a-', 'a-'])
  expect(userIdParts('x.'.repeat(60))).toHaveLength(4)
})
