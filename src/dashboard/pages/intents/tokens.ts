import type { TokenView } from '../../../http/views/token'
import { chainName } from '../../data/format'
import { useRead } from '../../data/use-read'

export type Token = typeof TokenView.infer

export function useTokens() {
  return useRead<Token[]>(['tokens'], '/tokens', { staleTime: 60_000 })
}

/** The token that a form begins with: USDC on this chain if it is listed. */
export const usualToken = (tokens: readonly Token[], chainKey: Token['chainKey']): Token | undefined =>
  tokens.find((each) => each.tokenSymbol === 'USDC' && each.chainKey === chainKey) ?? tokens[0]

export const chainChoices = (tokens: readonly Token[]) =>
  [...new Map(tokens.map(({ chainId, chainKey }) => [chainId, chainKey]))].map(([id, key]) => ({
    value: String(id),
    label: chainName(key),
  }))

export const tokenChoices = (tokens: readonly Token[], chainId: string | null) =>
  tokens
    .filter((token) => String(token.chainId) === chainId)
    .map(({ tokenAddress, tokenSymbol }) => ({ value: tokenAddress, label: tokenSymbol }))
