import type { ChainId } from '../domain/chain/chain'
import type { Address } from '../domain/chain/hex'
import type { Said } from '../domain/money/worth'

/** What things are worth, in USD with 8 decimals. */
export interface Prices {
  /** One price. Throws PROVIDER_ codes when nobody can say. */
  usd(chainId: ChainId, token: Address): Promise<bigint>
  /** Who says what, by the same question: two who agree, or all who know. Who cannot be reached says nothing. */
  said(chainId: ChainId, token: Address): Promise<readonly Said[]>
}

/** One who says what things are worth; null where it does not know. */
export interface PriceSource {
  readonly name: string
  priceUsd(chainId: ChainId, token: Address, signal: AbortSignal): Promise<bigint | null>
}

/** Whether anybody prices a token that is on no list; null where they cannot be asked now. */
export type IsPriced = (chainId: ChainId, token: Address) => Promise<boolean | null>
