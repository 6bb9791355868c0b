import { expect, test } from 'bun:test'
import { type ChainKey, chainIds, chains } from '../../src/domain/chain/chain'
import { zeroAddress } from '../../src/domain/chain/hex'
import { priceFeedOf, priceFeeds } from '../../src/domain/money/price-feeds'
import { pinnedTokens, TokenList, tokenBySymbol } from '../../src/domain/money/token'
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

test('each built-in symbol has one name and one number of decimals, on every chain', () => {
  const facts: Record<string, [name: string, decimals: number]> = {
    USDC: ['USD Coin', 6],
    'USDC.e': ['Bridged USD Coin', 6],
    USDbC: ['USD Base Coin', 6],
    USDT: ['Tether USD', 6],
    USDt: ['Tether USD', 6],
    WETH: ['Wrapped Ether', 18],
    'WETH.e': ['Wrapped Ether', 18],
    WPOL: ['Wrapped POL', 18],
    WAVAX: ['Wrapped AVAX', 18],
  }
  for (const { symbol, name, decimals } of pinnedTokens)
    expect([symbol, [name, decimals]]).toEqual([symbol, facts[symbol]!])
  const symbols: Partial<Record<ChainKey, string>> = {
    base: 'USDC USDbC USDT WETH',
    ethereum: 'USDC USDT WETH',
    polygon: 'USDC USDC.e USDT WPOL WETH',
    arbitrum: 'USDC USDC.e USDT WETH',
    avalanche: 'USDC USDt WAVAX WETH.e',
  }
  for (const [key, expected] of Object.entries(symbols)) {
    const { id } = chains[key as ChainKey]
    expect(pinnedTokens.flatMap(({ chainId, symbol }) => (chainId === id ? symbol : [])).join(' ')).toBe(expected)
  }
})

test('each feed prices its tokens by the pair of their asset, and is as old as Chainlink allows it', () => {
  const pairOf = (symbol: string) =>
    symbol.includes('POL')
      ? ['POL / USD', 'MATIC / USD']
      : [`${/USD[CTt]|ETH|AVAX/.exec(symbol)![0].toUpperCase()} / USD`]
  for (const { chainId, tokens, pairs } of priceFeeds)
    for (const token of tokens) expect([chainId, pairs]).toEqual([chainId, pairOf(list.find(chainId, token)!.symbol)])
  const { base, ethereum, arbitrum, avalanche } = chains
  const heartbeat = (id: (typeof chainIds)[number], symbol: string) =>
    priceFeedOf(id, tokenBySymbol(id, symbol).address)?.heartbeatSeconds
  for (const symbol of ['ETH', 'WETH'])
    expect([base, ethereum, arbitrum].map(({ id }) => heartbeat(id, symbol))).toEqual([1_200, 3_600, 86_400])
  for (const id of [base.id, ethereum.id, polygon, arbitrum.id, avalanche.id]) {
    expect(heartbeat(id, 'USDC')).toBe(86_400)
    expect(heartbeat(id, id === avalanche.id ? 'USDt' : 'USDT')).toBe(86_400)
  }
  for (const symbol of ['POL', 'WPOL', 'WETH']) expect(heartbeat(polygon, symbol)).toBe(86_400)
  for (const symbol of ['AVAX', 'WAVAX', 'WETH.e']) expect(heartbeat(avalanche.id, symbol)).toBe(86_400)
  expect(priceFeedOf(polygon, tokenBySymbol(polygon, 'USDC.e').address)).toBeNull()
})

test('plainText: removes invisible characters and cuts the text to its limit', () => {
  expect(plainText('\u202eUSDC\u0000\n', 32)).toBe('USDC')
  expect(plainText('😀'.repeat(40), 32)).toBe('😀'.repeat(32))
  expect(plainText('\u200b\ufffd', 32)).toBe('')
})
