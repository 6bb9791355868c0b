import { BoundedMap } from '../../domain/bounded-map'
import type { ChainId } from '../../domain/chain/chain'
import { type Address, zeroAddress } from '../../domain/chain/hex'
import { assetOf, isNative, type TokenList } from '../../domain/money/token'
import {
  type Exchange,
  mostUsdOf,
  type Side,
  type Verdict,
  verdictByAmount,
  verdictByPrices,
} from '../../domain/money/worth'
import type { Chains } from '../../ports/chain-client'
import type { Appraiser, Prices } from '../../ports/prices'

/** Returns the decimals of a token, or null if they cannot be read. */
type DecimalsOf = (chainId: ChainId, token: Address) => Promise<number | null>

export function appraiser(prices: Prices, decimalsOf: DecimalsOf): Appraiser {
  async function sideOf(chainId: ChainId, token: Address): Promise<Side> {
    const [said, decimals] = await Promise.all([prices.said(chainId, token), decimalsOf(chainId, token)])
    return { said, decimals }
  }
  async function judge(exchange: Exchange): Promise<Verdict> {
    const byAmount = verdictByAmount(exchange)
    if (byAmount) return byAmount
    const { fromChainId, fromToken, toChainId, toToken } = exchange
    const [paid, received] = await Promise.all([sideOf(fromChainId, fromToken), sideOf(toChainId, toToken)])
    return verdictByPrices(exchange, paid, received)
  }
  return {
    judge,
    mostUsd: async (chainId, token, amountRaw) => mostUsdOf(amountRaw, await sideOf(chainId, token)),
    async isNoMore(chainId, token, amountRaw, wei) {
      const paid = { fromChainId: chainId, fromToken: zeroAddress, amountIn: wei + 1n }
      const received = { toChainId: chainId, toToken: token, amountOut: amountRaw }
      return (await judge({ ...paid, ...received, shareBps: 10_000, quotedBy: null })) === 'POOR'
    },
  }
}

const rememberedMax = 10_000

/**
 * Returns decimals from the asset table, the token list, or the token itself. They never change, so a token is read
 * once.
 */
export function tokenDecimals(
  tokens: Pick<TokenList, 'find'>,
  chains: { [Id in ChainId]: Pick<Chains[Id], 'tokenMetadata'> },
): DecimalsOf {
  const remembered = new BoundedMap<string, number>(rememberedMax)
  return async (chainId, token) => {
    const listed = isNative(token) ? 18 : (assetOf(chainId, token)?.decimals ?? tokens.find(chainId, token)?.decimals)
    const key = `${chainId}:${token}`
    const at = listed ?? remembered.get(key)
    if (at !== undefined) return at
    const decimals = (await chains[chainId].tokenMetadata(token).catch(() => null))?.decimals ?? null
    if (decimals !== null) remembered.set(key, decimals)
    return decimals
  }
}
