import type { ChainId } from '../domain/chain/chain'
import type { Address } from '../domain/chain/hex'
import type { Said } from '../domain/money/worth'

/** Prices of tokens, in USD with 8 decimals. */
export interface Prices {
  /**
   * Returns one price.
   *
   * @throws {RoutingError} a PROVIDER_ code when no source knows it.
   */
  usd(chainId: ChainId, token: Address): Promise<bigint>
  /**
   * Returns what the sources say: two that agree, or all that know the token. A source that cannot be reached is left
   * out.
   */
  said(chainId: ChainId, token: Address): Promise<readonly Said[]>
}

/** A source of prices. It returns null for a token that it does not know. */
export interface PriceSource {
  readonly name: string
  priceUsd(chainId: ChainId, token: Address, signal: AbortSignal): Promise<bigint | null>
}

/** Whether anybody prices an unlisted token; null when nobody can be asked now. */
export type IsPriced = (chainId: ChainId, token: Address) => Promise<boolean | null>
