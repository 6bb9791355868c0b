import { type ChainId, chainIds, chainOf } from '../chain/chain'
import { type Address, zeroAddress } from '../chain/hex'

export type Token = { chainId: ChainId; address: Address; symbol: string; name: string; decimals: number }

export const nativeToken = (chainId: ChainId): Token => {
  const { symbol, name } = chainOf(chainId).native
  return { chainId, address: zeroAddress, symbol, name, decimals: 18 }
}

export const isNative = (address: Address): boolean => address === zeroAddress

/** The tokens that may be sent and received, found by address or by symbol. The native coins are always among them. */
export class TokenList {
  readonly all: readonly Token[]
  private readonly byAddress: Map<string, Token>
  private readonly bySymbol = new Map<string, Token[]>()

  constructor(tokens: Iterable<Token>) {
    const every = [...chainIds.map(nativeToken), ...tokens]
    this.byAddress = new Map(every.map((token) => [keyOf(token.chainId, token.address), token]))
    this.all = [...this.byAddress.values()]
    for (const token of this.all) this.name(token, token.symbol)
    for (const id of chainIds) for (const alias of chainOf(id).native.aliases) this.name(nativeToken(id), alias)
  }

  find(chainId: ChainId, address: string): Token | null {
    return this.byAddress.get(keyOf(chainId, address)) ?? null
  }

  /**
   * Finds a token by its symbol, in any case. Returns null when there is none, or when several tokens share the symbol.
   */
  findBySymbol(chainId: ChainId, symbol: string): Token | null {
    const named = this.bySymbol.get(`${chainId}:${symbol.toUpperCase()}`) ?? []
    return named.length === 1 ? named[0]! : null
  }

  private name(token: Token, symbol: string): void {
    const key = `${token.chainId}:${symbol.toUpperCase()}`
    this.bySymbol.set(key, [...(this.bySymbol.get(key) ?? []), token])
  }
}

const keyOf = (chainId: ChainId, address: string): string => {
  const lower = address.toLowerCase()
  const isNativeCoin = lower === chainOf(chainId).native.tokenAddress?.toLowerCase()
  return `${chainId}:${isNativeCoin ? zeroAddress : lower}`
}
