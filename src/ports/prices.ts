import type { ChainId } from '../domain/chain'
import type { Address } from '../domain/hex'

/** What things are worth, in USD with 8 decimals. Throws PROVIDER_ codes when nobody can say. */
export interface Prices {
  usd(chainId: ChainId, token: Address): Promise<bigint>
}

/** One who says what things are worth; null where it does not know. */
export interface PriceSource {
  priceUsd(chainId: ChainId, token: Address, signal: AbortSignal): Promise<bigint | null>
}
