import { useQuery } from '@tanstack/react-query'
import type { TokenView } from '../../../http/views/token'
import { ask } from '../../data/api'
import { chainName } from '../../data/format'
import { useHere } from '../../data/session'

export type Token = typeof TokenView.infer

export function useTokens() {
  const { organization } = useHere()
  return useQuery({ queryKey: ['tokens', organization.id], queryFn: () => ask<Token[]>('/tokens'), staleTime: 60_000 })
}

export const chainChoices = (tokens: readonly Token[]) =>
  [...new Map(tokens.map(({ chainId, chainKey }) => [chainId, chainKey]))].map(([id, key]) => ({
    value: String(id),
    label: chainName(key),
  }))

export const tokenChoices = (tokens: readonly Token[], chainId: string | null) =>
  tokens
    .filter((token) => String(token.chainId) === chainId)
    .map(({ tokenAddress, tokenSymbol }) => ({ value: tokenAddress, label: tokenSymbol }))
