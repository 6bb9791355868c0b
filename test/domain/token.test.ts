import { expect, test } from 'bun:test'
import { chainIds, chains } from '../../src/domain/chain/chain'
import { zeroAddress } from '../../src/domain/chain/hex'
import { pinnedTokens, TokenList } from '../../src/domain/money/token'
import { plainText } from '../../src/domain/plain-text'

const list = new TokenList(pinnedTokens)
const polygon = chains.polygon.id

test('TokenList: every chain has its native coin, by address and by symbol', () => {
  for (const id of chainIds) {
    const native = list.find(id, zeroAddress)!
    expect(list.findBySymbol(id, native.symbol.toLowerCase())).toEqual(native)
  }
})

test('TokenList: Polygon’s token-like native coin is the native coin', () => {
  expect(list.find(polygon, '0x0000000000000000000000000000000000001010')?.address).toBe(zeroAddress)
  expect(list.findBySymbol(polygon, 'matic')?.address).toBe(zeroAddress)
})

test('TokenList: a token is also found by its contract’s new symbol, on its chain only', () => {
  for (const id of [chains.arbitrum.id, polygon])
    expect(['USDT0', 'usd₮0'].map((symbol) => list.findBySymbol(id, symbol)?.symbol)).toEqual(['USDT', 'USDT'])
  expect(list.findBySymbol(chains.ethereum.id, 'USDT0')).toBeNull()
})

test('TokenList: plain USDC is the native one, and addresses match in any case', () => {
  for (const id of chainIds) {
    const usdc = list.findBySymbol(id, 'usdc')!
    expect(list.find(id, usdc.address.toUpperCase().replace('0X', '0x'))).toEqual(usdc)
  }
})

test('TokenList: a symbol shared by two tokens finds neither', () => {
  const twin = { ...pinnedTokens[0]!, address: `0x${'12'.repeat(20)}` as const }
  expect(new TokenList([...pinnedTokens, twin]).findBySymbol(twin.chainId, twin.symbol)).toBeNull()
})

test('plainText: removes invisible characters and cuts the text to its limit', () => {
  expect(plainText('\u202eUSDC\u0000\n', 32)).toBe('USDC')
  expect(plainText('😀'.repeat(40), 32)).toBe('😀'.repeat(32))
  expect(plainText('\u200b\ufffd', 32)).toBe('')
})
