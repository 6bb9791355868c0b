import type { ChainId } from '../../domain/chain/chain'
import type { Address } from '../../domain/chain/hex'
import type { Token } from '../../domain/money/token'

export type FindToken = (chainId: ChainId, address: Address) => Token | null

const symbolUnknown = 'UNKNOWN'

/** Chains may say anything: at most 32 characters, none of them a control or direction mark (extensions 1.2). */
export const tidyName = (name: string): string => name.replace(/[\p{Cc}\p{Cf}\p{Cs}\uFFFD]/gu, '').slice(0, 32)

/** What a token is called: by our list, else as it says itself. */
export const symbolOf = (findToken: FindToken, chainId: ChainId, token: Address, said = ''): string =>
  tidyName(findToken(chainId, token)?.symbol ?? said) || symbolUnknown

export const decimalsOf = (findToken: FindToken, chainId: ChainId, token: Address, said: number | null = null) =>
  findToken(chainId, token)?.decimals ?? said
