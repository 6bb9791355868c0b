import { type ChainId, type ChainKey, chainIds, chainKeys, chainOf, chains, network } from '../chain/chain'
import { type Address, zeroAddress } from '../chain/hex'

export type Token = { chainId: ChainId; address: Address; symbol: string; name: string; decimals: number }

const nativeToken = (chainId: ChainId): Token => {
  const { symbol, name } = chainOf(chainId).native
  return { chainId, address: zeroAddress, symbol, name, decimals: 18 }
}

export const isNative = (address: Address): boolean => address === zeroAddress

/** Address that many APIs and wallets use for native coin. No chain has a contract there. */
export const coinByConvention = `0x${'e'.repeat(40)}`

/**
 * Returns the address under which a token is stored. Every alias of a chain's coin becomes the zero address (decision
 * 26).
 */
export function tokenAddressOf(chainId: ChainId, address: Address): Address {
  return isAlias(chainId, address) ? zeroAddress : address
}

function isAlias(chainId: ChainId, address: string): boolean {
  const lower = address.toLowerCase()
  return lower === coinByConvention || lower === chainOf(chainId).native.tokenAddress?.toLowerCase()
}

type NamedToken<Of> = { chainId: ChainId | null; address: Of }

/**
 * Returns the stored form of a token that was named with or without a chain. Without one, an alias of a single chain's
 * coin also names that chain.
 */
export function tokenNamed({ chainId, address }: NamedToken<string>): NamedToken<Address> {
  if (chainId !== null) return { chainId, address: tokenAddressOf(chainId, address as Address) }
  const [first, ...others] = chainIds.filter((id) => isAlias(id, address))
  if (first === undefined) return { chainId, address: address as Address }
  return { chainId: others.length === 0 ? first : null, address: zeroAddress }
}

/**
 * The tokens that can be sent and received, by address or by symbol. The native coins are always included, as the chain
 * table names them.
 */
export class TokenList {
  readonly all: readonly Token[]
  private readonly byAddress: Map<string, Token>
  private readonly bySymbol = new Map<string, Token[]>()

  constructor(tokens: Iterable<Token>) {
    const others = [...tokens].filter(({ chainId, address }) => !isNative(tokenAddressOf(chainId, address)))
    const every = [...chainIds.map(nativeToken), ...others]
    this.byAddress = new Map(every.map((token) => [keyOf(token.chainId, token.address), token]))
    this.all = [...this.byAddress.values()]
    for (const token of this.all)
      for (const symbol of new Set([token.symbol, ...renamedOf(token)])) this.name(token, symbol)
    for (const id of chainIds) for (const alias of chainOf(id).native.aliases) this.name(nativeToken(id), alias)
  }

  find(chainId: ChainId, address: string): Token | null {
    return this.byAddress.get(keyOf(chainId, address)) ?? null
  }

  /** Finds a token by its symbol, in any case. Returns null if no token or more than one has the symbol. */
  findBySymbol(chainId: ChainId, symbol: string): Token | null {
    const named = this.bySymbol.get(`${chainId}:${symbol.toUpperCase()}`) ?? []
    return named.length === 1 ? named[0]! : null
  }

  private name(token: Token, symbol: string): void {
    const key = `${token.chainId}:${symbol.toUpperCase()}`
    this.bySymbol.set(key, [...(this.bySymbol.get(key) ?? []), token])
  }
}

const keyOf = (chainId: ChainId, address: string): string =>
  `${chainId}:${tokenAddressOf(chainId, address as Address).toLowerCase()}`

/** Whether two addresses name one token of a chain. The coin can also have a contract address (decision 26). */
export const isSameToken = (chainId: ChainId, one: Address, other: Address): boolean =>
  keyOf(chainId, one) === keyOf(chainId, other)

/**
 * Assets that several tokens represent: a coin with its wrapped form, and tokens that their issuer redeems one for one.
 * Tokens that a bridge minted (USDC.e, WETH on Polygon) belong to no asset. Their value depends on that bridge, so they
 * have their own price. The issuer of Tether has no token on Base.
 */
type AssetName = 'USD Coin' | 'Tether' | 'Ether' | 'POL' | 'AVAX'

type Row = readonly [symbol: string, name: string, decimals: number, address: Address, asset: AssetName | null]

/**
 * Built-in tokens with their assets, including the wrapped coin of every chain. Source: Uniswap's default list,
 * Across's constants and Aave's address book, which agree.
 */
const mainnet: Record<ChainKey, readonly Row[]> = {
  base: [
    ['USDC', 'USD Coin', 6, '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913', 'USD Coin'],
    ['USDbC', 'USD Base Coin', 6, '0xd9aAEc86B65D86f6A7B5B1b0c42FFA531710b6CA', null],
    ['USDT', 'Tether USD', 6, '0xfde4C96c8593536E31F229EA8f37b2ADa2699bb2', null],
    ['WETH', 'Wrapped Ether', 18, '0x4200000000000000000000000000000000000006', 'Ether'],
  ],
  ethereum: [
    ['USDC', 'USD Coin', 6, '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48', 'USD Coin'],
    ['USDT', 'Tether USD', 6, '0xdAC17F958D2ee523a2206206994597C13D831ec7', 'Tether'],
    ['WETH', 'Wrapped Ether', 18, '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2', 'Ether'],
  ],
  polygon: [
    ['USDC', 'USD Coin', 6, '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359', 'USD Coin'],
    ['USDC.e', 'Bridged USD Coin', 6, '0x2791Bca1f2de4661ED88A30C99A7a9449Aa84174', null],
    ['USDT', 'Tether USD', 6, '0xc2132D05D31c914a87C6611C10748AEb04B58e8F', 'Tether'],
    ['WPOL', 'Wrapped POL', 18, '0x0d500B1d8E8eF31E21C99d1Db9A6444d3ADf1270', 'POL'],
    ['WETH', 'Wrapped Ether', 18, '0x7ceB23fD6bC0adD59E62ac25578270cFf1b9f619', null],
  ],
  arbitrum: [
    ['USDC', 'USD Coin', 6, '0xaf88d065e77c8cC2239327C5EDb3A432268e5831', 'USD Coin'],
    ['USDC.e', 'Bridged USD Coin', 6, '0xFF970A61A04b1cA14834A43f5dE4533eBDDB5CC8', null],
    ['USDT', 'Tether USD', 6, '0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9', 'Tether'],
    ['WETH', 'Wrapped Ether', 18, '0x82aF49447D8a07e3bd95BD0d56f35241523fBab1', 'Ether'],
  ],
  avalanche: [
    ['USDC', 'USD Coin', 6, '0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E', 'USD Coin'],
    ['USDt', 'Tether USD', 6, '0x9702230A8Ea53601f5cD2dc00fDBc13d4dF4A8c7', 'Tether'],
    ['WAVAX', 'Wrapped AVAX', 18, '0xB31f66AA3C1e785363F0875A1B74E27b85FD66c7', 'AVAX'],
    ['WETH.e', 'Wrapped Ether', 18, '0x49D5c2BdFfac6CE2BFdB6640F4F80f226bc10bAB', null],
  ],
}

/** Circle's test USDC, and the most used wrapped coins. Sources: Circle's, Uniswap's and Arbitrum's own lists. */
const testnet: Record<ChainKey, readonly Row[]> = {
  base: [
    ['USDC', 'USD Coin', 6, '0x036CbD53842c5426634e7929541eC2318f3dCF7e', 'USD Coin'],
    ['WETH', 'Wrapped Ether', 18, '0x4200000000000000000000000000000000000006', 'Ether'],
  ],
  ethereum: [
    ['USDC', 'USD Coin', 6, '0x1c7D4B196Cb0C7B01d743Fbc6116a902379C7238', 'USD Coin'],
    ['WETH', 'Wrapped Ether', 18, '0xfFf9976782d46CC05630D1f6eBAb18b2324d6B14', 'Ether'],
  ],
  polygon: [
    ['USDC', 'USD Coin', 6, '0x41E94Eb019C0762f9Bfcf9Fb1E58725BfB0e7582', 'USD Coin'],
    ['WPOL', 'Wrapped POL', 18, '0x0ae690AAD8663aaB12a671A6A0d74242332de85f', 'POL'],
  ],
  arbitrum: [
    ['USDC', 'USD Coin', 6, '0x75faf114eafb1BDbe2F0316DF893fd58CE46AA4d', 'USD Coin'],
    ['WETH', 'Wrapped Ether', 18, '0x980B62Da83eFf3D4576C647993b0c1D7faf17c73', 'Ether'],
  ],
  avalanche: [
    ['USDC', 'USD Coin', 6, '0x5425890298aed601595a70AB815c96711a31Bc65', 'USD Coin'],
    ['WAVAX', 'Wrapped AVAX', 18, '0xd00ae08403B9bbb9124bB305C09058E32C39A48c', 'AVAX'],
  ],
}

const rows = network === 'testnet' ? testnet : mainnet

type PinnedToken = Token & { asset: AssetName | null }

const pinned: readonly PinnedToken[] = chainKeys.flatMap((key) =>
  rows[key].map(([symbol, name, decimals, address, asset]) => {
    const chainId: ChainId = chains[key].id
    return { chainId, symbol, name, decimals, address, asset }
  }),
)

export const pinnedTokens: readonly Token[] = pinned.map(({ asset: _, ...token }) => token)

/** Symbols that contracts adopted after the lists named them: Tether's on Arbitrum and Polygon is now USDT0. */
const renamed = new Map<string, readonly string[]>(
  rows === mainnet
    ? (['arbitrum', 'polygon'] as const).map((key) => [tokenKeyOf(key, 'USDT'), ['USDT0', 'USD₮0']])
    : [],
)
function tokenKeyOf(key: ChainKey, symbol: string): string {
  return keyOf(chains[key].id, rows[key].find((row) => row[0] === symbol)![3])
}
function renamedOf({ chainId, address, symbol }: Token): readonly string[] {
  const isNamed = (other: string) => other.toUpperCase() === symbol.toUpperCase()
  return (renamed.get(keyOf(chainId, address)) ?? []).filter((other) => !isNamed(other))
}

/** Returns the token of this symbol on this chain, including the chain's native coin. */
export const tokenBySymbol = (chainId: ChainId, symbol: string): Token =>
  symbol === chainOf(chainId).native.symbol
    ? nativeToken(chainId)
    : pinnedTokens.find((token) => token.chainId === chainId && token.symbol === symbol)!

export const wrappedNativeOf = (chainId: ChainId): Token => tokenBySymbol(chainId, `W${chainOf(chainId).native.symbol}`)

/** Returns the token of an asset on a chain; null if the chain has none. For a coin it is the wrapped form. */
export const tokenOfAsset = (chainId: ChainId, asset: AssetName): Token | null =>
  pinned.find((token) => token.chainId === chainId && token.asset === asset) ?? null

/** Returns the asset of a token; null for a token with its own price. A coin has the asset of its wrapped form. */
function assetNameOf(chainId: ChainId, token: Address): AssetName | null {
  const address = (isNative(token) ? wrappedNativeOf(chainId).address : token).toLowerCase()
  return pinned.find((each) => each.chainId === chainId && each.address.toLowerCase() === address)?.asset ?? null
}

type Asset = { name: AssetName; decimals: number }

/** Returns the asset of a token with the token's decimals; null for a token with its own price. */
export function assetOf(chainId: ChainId, token: Address): Asset | null {
  const name = assetNameOf(chainId, token)
  return name && { name, decimals: tokenOfAsset(chainId, name)!.decimals }
}
