import type { ChainId } from '../../domain/chain/chain'
import type { Address } from '../../domain/chain/hex'
import type { Token } from '../../domain/money/token'

export type FindToken = (chainId: ChainId, address: Address) => Token | null

const symbolUnknown = 'UNKNOWN'

/** Makes a name from a chain safe to show: at most 32 characters, no control or direction marks (extensions 1.2). */
export const tidyName = (name: string): string => name.replace(/[\p{Cc}\p{Cf}\p{Cs}\uFFFD]/gu, '').slice(0, 32)

/** Returns the symbol of a token: from our list, otherwise as its contract states it. */
export const symbolOf = (findToken: FindToken, chainId: ChainId, token: Address, fallback = ''): string =>
  tidyName(findToken(chainId, token)?.symbol ?? fallback) || symbolUnknown

export const decimalsOf = (findToken: FindToken, chainId: ChainId, token: Address, fallback: number | null = null) =>
  findToken(chainId, token)?.decimals ?? fallback
