import { type ChainId, type ChainKey, chainKeys, chainOf, chains } from '../../domain/chain/chain'
import { type Address, zeroAddress } from '../../domain/chain/hex'
import { pinnedTokens, type Token } from '../../domain/money/token'
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

function token(key: ChainKey, address: Address, [symbol, name, decimals, priceUsd, contract]: Row): DevToken {
  return { chainId: chains[key].id, address, symbol, name, decimals, contract: contract ?? 'DevToken', priceUsd }
}

/** The price of a token by its symbol, the same on every chain. */
const pricesUsd: Record<string, string> = {
  USDC: '1',
  'USDC.E': '1',
  USDBC: '1',
  USDT: '0.999',
  ETH: '3000',
  WETH: '3000',
  'WETH.E': '3000',
  POL: '0.25',
  WPOL: '0.25',
  AVAX: '25',
  WAVAX: '25',
}

function priceOf(symbol: string): string {
  const priceUsd = pricesUsd[symbol.toUpperCase()]
  if (priceUsd === undefined) throw new Error(`The devnet has no price of ${symbol}: give it one in chains/tokens.ts`)
  return priceUsd
}

/** The contract of a pinned token: real USDC has a blocklist, and Ethereum's USDT returns nothing from a transfer. */
function contractOf({ chainId, symbol }: Token): DevTokenContract {
  if (symbol === 'USDC') return 'BlocklistToken'
  return symbol === 'USDT' && chainId === chains.ethereum.id ? 'TetherLikeToken' : 'DevToken'
}

/** Test tokens have the addresses of the real ones, so examples from the documentation work when they are pasted. */
const atRealAddresses: readonly DevToken[] = [
  ...pinnedTokens.map((each) => ({ ...each, contract: contractOf(each), priceUsd: priceOf(each.symbol) })),
  token('avalanche', '0xA7D7079b0FEaD91F3e65f86E8915Cb59c1a4C664', ['USDC.e', 'Bridged USD Coin', 6, '1']),
]

/** The one token of the devnet without a cap: no order moves it, and it leaves by the RecoveryExecutor. */
const uncapped = 'SY-NOCAP'

/** Tokens that force an outcome, the same on every chain. `outcomes.ts` and the demo's page describe each effect. */
const sandbox: Row[] = [
  ['SY-HOLD', 'Sandbox: the bridge holds it', 6, '1'],
  ['SY-FLAKY', 'Sandbox: the provider fails twice', 6, '1'],
  ['SY-DOWN', 'Sandbox: the provider is down', 6, '1'],
  ['SY-REVERT', 'Sandbox: reverts when mined', 6, '1', 'RevertingToken'],
  ['SY-PARTIAL', 'Sandbox: another token is delivered', 6, '1'],
  ['SY-REFUND', 'Sandbox: the bridge sends it back', 6, '1'],
  ['SY-SCAM', 'Sandbox: on the security list', 6, '1'],
  ['SY-NOROUTE', 'Sandbox: no provider has a route', 6, '1'],
  [uncapped, 'Sandbox: the contracts move it back only', 6, '1'],
  ['SY-UNPRICED', 'Sandbox: has no price', 6, '1'],
  ['SY-UNLISTED', 'Sandbox: on no list', 6, '1'],
  ['SY-WEIRD', 'Sandbox: 77 decimals', 77, '1'],
  ['SY-GHOST', 'Sandbox: moves nothing', 6, '1', 'GhostToken'],
  ['SY-FEE', 'Sandbox: keeps 1 % of a transfer', 18, '1', 'FeeOnTransferToken'],
  ['SY-FALSE', 'Sandbox: answers false', 18, '1', 'FalseReturningToken'],
  ['SY-REBASE', 'Sandbox: balances change on their own', 18, '1', 'RebasingToken'],
  ['SY-PAUSE', 'Sandbox: its owner stops it', 18, '1', 'PausableToken'],
  ['SY-REENTER', 'Sandbox: calls back in a transfer', 18, '1', 'ReentrantToken'],
  ['SY-TINY', 'Sandbox: two decimals', 2, '1'],
  ['SY-OLD', 'Sandbox: a name of 32 bytes', 18, '1', 'Bytes32Token'],
]

/** The ERC-20 tokens of the devnet. */
export const tokens: readonly DevToken[] = chainKeys.flatMap((key) => [
  ...atRealAddresses.filter(({ chainId }) => chainId === chains[key].id),
  ...sandbox.map((row) => token(key, addressOf(`token ${row[0]}`), row)),
])

export const hasCap = ({ symbol }: Pick<DevToken, 'symbol'>): boolean => symbol !== uncapped

/** Whether the providers return its price. A token without a price is still exchanged at the price in this table. */
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
    priceUsd: priceOf(chains[key].native.symbol),
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

export const devnetWrappedNativeOf = (chainId: ChainId): PricedToken =>
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
