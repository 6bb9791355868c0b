import { type ChainId, type ChainKey, chainKeys, chainOf, chains } from '../../domain/chain/chain'
import { type Address, zeroAddress } from '../../domain/chain/hex'
import { addressOf } from './accounts'

type DevTokenContract =
  | 'DevToken'
  | 'TetherLikeToken'
  | 'FeeOnTransferToken'
  | 'FalseReturningToken'
  | 'GhostToken'
  | 'RevertingToken'
  | 'BlocklistToken'
  | 'RebasingToken'
  | 'PausableToken'
  | 'ReentrantToken'
  | 'Bytes32Token'

export type DevToken = {
  chainId: ChainId
  address: Address
  symbol: string
  name: string
  decimals: number
  contract: DevTokenContract
  priceUsd: string
}

type Row = [symbol: string, name: string, decimals: number, priceUsd: string, contract?: DevTokenContract]

const usdc: Row = ['USDC', 'USD Coin', 6, '1', 'BlocklistToken']
const bridgedUsdc: Row = ['USDC.e', 'Bridged USDC', 6, '1']
const usdt: Row = ['USDT', 'Tether USD', 6, '0.999']
const weth: Row = ['WETH', 'Wrapped Ether', 18, '3000']

/** Test tokens have the addresses of the real ones, so that examples of a documentation work when they are pasted. */
const atRealAddresses: Record<ChainKey, Record<Address, Row>> = {
  ethereum: {
    '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48': usdc,
    '0xdAC17F958D2ee523a2206206994597C13D831ec7': ['USDT', 'Tether USD', 6, '0.999', 'TetherLikeToken'],
    '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2': weth,
  },
  base: {
    '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913': usdc,
    '0xd9aAEc86B65D86f6A7B5B1b0c42FFA531710b6CA': ['USDbC', 'USD Base Coin', 6, '1'],
    '0xfde4C96c8593536E31F229EA8f37b2ADa2699bb2': usdt,
    '0x4200000000000000000000000000000000000006': weth,
  },
  polygon: {
    '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359': usdc,
    '0x2791Bca1f2de4661ED88A30C99A7a9449Aa84174': bridgedUsdc,
    '0xc2132D05D31c914a87C6611C10748AEb04B58e8F': usdt,
    '0x7ceB23fD6bC0adD59E62ac25578270cFf1b9f619': weth,
    '0x0d500B1d8E8eF31E21C99d1Db9A6444d3ADf1270': ['WPOL', 'Wrapped POL', 18, '0.25'],
  },
  arbitrum: {
    '0xaf88d065e77c8cC2239327C5EDb3A432268e5831': usdc,
    '0xFF970A61A04b1cA14834A43f5dE4533eBDDB5CC8': bridgedUsdc,
    '0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9': usdt,
    '0x82aF49447D8a07e3bd95BD0d56f35241523fBab1': weth,
  },
  avalanche: {
    '0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E': usdc,
    '0xA7D7079b0FEaD91F3e65f86E8915Cb59c1a4C664': bridgedUsdc,
    '0x9702230A8Ea53601f5cD2dc00fDBc13d4dF4A8c7': usdt,
    '0x49D5c2BdFfac6CE2BFdB6640F4F80f226bc10bAB': ['WETH.e', 'Wrapped Ether', 18, '3000'],
    '0xB31f66AA3C1e785363F0875A1B74E27b85FD66c7': ['WAVAX', 'Wrapped AVAX', 18, '25'],
  },
}

/** Tokens that force an outcome, the same ones on every chain. `outcomes.ts` and the demo's page say what each does. */
const sandbox: Row[] = [
  ['SY-HOLD', 'Sandbox: the bridge holds it', 6, '1'],
  ['SY-FLAKY', 'Sandbox: the provider fails twice', 6, '1'],
  ['SY-DOWN', 'Sandbox: the provider is down', 6, '1'],
  ['SY-REVERT', 'Sandbox: reverts when mined', 6, '1', 'RevertingToken'],
  ['SY-PARTIAL', 'Sandbox: another token is delivered', 6, '1'],
  ['SY-REFUND', 'Sandbox: the bridge sends it back', 6, '1'],
  ['SY-SCAM', 'Sandbox: on the security list', 6, '1'],
  ['SY-NOROUTE', 'Sandbox: no provider has a route', 6, '1'],
  ['SY-UNPRICED', 'Sandbox: nobody knows its price', 6, '1'],
  ['SY-UNLISTED', 'Sandbox: on no list', 6, '1'],
  ['SY-WEIRD', 'Sandbox: 77 decimals', 77, '1'],
  ['SY-GHOST', 'Sandbox: moves nothing', 6, '1', 'GhostToken'],
  ['SY-FEE', 'Sandbox: keeps 1 % of a transfer', 18, '1', 'FeeOnTransferToken'],
  ['SY-FALSE', 'Sandbox: answers false', 18, '1', 'FalseReturningToken'],
  ['SY-REBASE', 'Sandbox: balances change by themselves', 18, '1', 'RebasingToken'],
  ['SY-PAUSE', 'Sandbox: its owner stops it', 18, '1', 'PausableToken'],
  ['SY-REENTER', 'Sandbox: calls back in a transfer', 18, '1', 'ReentrantToken'],
  ['SY-TINY', 'Sandbox: two decimals', 2, '1'],
  ['SY-OLD', 'Sandbox: a name of 32 bytes', 18, '1', 'Bytes32Token'],
]

const nativePriceUsd: Record<ChainKey, string> = {
  base: '3000',
  ethereum: '3000',
  polygon: '0.25',
  arbitrum: '3000',
  avalanche: '25',
}

const token = (key: ChainKey, address: Address, [symbol, name, decimals, priceUsd, contract]: Row): DevToken => ({
  chainId: chains[key].id,
  address,
  symbol,
  name,
  decimals,
  contract: contract ?? 'DevToken',
  priceUsd,
})

/** The ERC-20 tokens of the devnet. */
export const tokens: readonly DevToken[] = chainKeys.flatMap((key) => [
  ...Object.entries(atRealAddresses[key]).map(([address, row]) => token(key, address as Address, row)),
  ...sandbox.map((row) => token(key, addressOf(`token ${row[0]}`), row)),
])

/** Whether the providers tell its price. A token without one is still exchanged at the price in this table. */
export const hasPrice = ({ symbol }: Pick<PricedToken, 'symbol'>): boolean =>
  symbol !== 'SY-UNPRICED' && isListed({ symbol })

/**
 * Whether the token list and the providers' lists contain it. A request that names the token gets a route either way.
 */
export const isListed = ({ symbol }: Pick<PricedToken, 'symbol'>): boolean => symbol !== 'SY-UNLISTED'

export type PricedToken = Omit<DevToken, 'contract'>

/** The tokens that the bridge can exchange, with the native coins at the zero address. */
export const pricedTokens: readonly PricedToken[] = [
  ...chainKeys.map((key) => ({
    chainId: chains[key].id,
    address: zeroAddress,
    symbol: chains[key].native.symbol,
    name: chains[key].native.name,
    decimals: 18,
    priceUsd: nativePriceUsd[key],
  })),
  ...tokens,
]

/** Finds a token by its address or symbol, in any case. `native` is the coin of the chain. */
export function tokenOf(chainId: ChainId, name: string): PricedToken | undefined {
  const wanted = name.toLowerCase() === 'native' ? zeroAddress : name.toLowerCase()
  return pricedTokens.find(
    (each) => each.chainId === chainId && [each.address.toLowerCase(), each.symbol.toLowerCase()].includes(wanted),
  )
}

export const wrappedNativeOf = (chainId: ChainId): PricedToken =>
  tokenOf(chainId, `W${chainOf(chainId).native.symbol}`)!

/** The token list in the format of tokenlists.org. */
export const tokenList = () => ({
  name: 'Switchyard devnet',
  version: { major: 1, minor: 0, patch: 0 },
  timestamp: '2026-11-22T00:00:00.000Z',
  tokens: tokens
    .filter(isListed)
    .map(({ chainId, address, symbol, name, decimals }) => ({ chainId, address, symbol, name, decimals })),
})
