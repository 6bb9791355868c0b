import { type ChainId, type ChainKey, chainKeys, chains } from '../../domain/chain/chain'
import { hasPrice, isListed, type PricedToken, pricedTokens, tokenOf } from '../chains/tokens'

/** LI.FI's own key of a chain, which for all of ours is the first three letters of the name. */
const lifiKeyOf = (key: ChainKey): string => key.slice(0, 3)

/** A chain by its number or by LI.FI's name for it. */
export function lifiChain(text: string | null): ChainId | null {
  const key = chainKeys.find((each) => text === `${chains[each].id}` || text?.toLowerCase() === lifiKeyOf(each))
  return key ? chains[key].id : null
}

export const lifiToken = (token: PricedToken) => ({
  address: token.address,
  chainId: token.chainId,
  symbol: token.symbol,
  decimals: token.decimals,
  name: token.name,
  coinKey: token.symbol,
  logoURI: '',
  priceUSD: hasPrice(token) ? token.priceUsd : '0',
})

export const lifiChains = (diamondAddress: string, multicallAddress: string) => ({
  chains: chainKeys.map((key) => {
    const { id, name, native, explorerUrl } = chains[key]
    return {
      id,
      key: lifiKeyOf(key),
      chainType: 'EVM',
      name,
      coin: native.symbol,
      mainnet: true,
      logoURI: '',
      multicallAddress,
      relayerSupported: false,
      diamondAddress,
      nativeToken: lifiToken(tokenOf(id, 'native')!),
      metamask: {
        chainId: `0x${id.toString(16)}`,
        blockExplorerUrls: [explorerUrl],
        chainName: name,
        nativeCurrency: { name: native.name, symbol: native.symbol, decimals: 18 },
        rpcUrls: [],
      },
    }
  }),
})

export function lifiTokens(wanted: string | null) {
  const ids = wanted ? wanted.split(',').map(lifiChain) : chainKeys.map((key) => chains[key].id)
  const of = (id: ChainId) => pricedTokens.filter((token) => token.chainId === id && isListed(token)).map(lifiToken)
  return { tokens: Object.fromEntries(ids.flatMap((id) => (id === null ? [] : [[id, of(id)]]))) }
}
