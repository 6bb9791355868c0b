import type { ChainId } from '../domain/chain/chain'
import type { Address } from '../domain/chain/hex'
import type { GasBook, MeasuredGas } from '../domain/money/fees'
import type { Exchange, PriceOpinion, Verdict } from '../domain/money/worth'

/** Prices of tokens, in USD with 8 decimals. */
export interface Prices {
  /**
   * Returns one price.
   *
   * @throws {RoutingError} A PROVIDER_ code if no source has a price.
   */
  usd(chainId: ChainId, token: Address): Promise<bigint>
  /**
   * Returns the prices of the sources: two that agree, or all that know the token. Unreachable sources are left out.
   */
  said(chainId: ChainId, token: Address): Promise<readonly PriceOpinion[]>
}

/** A source of prices. It returns null for a token that it does not know. */
export interface PriceSource {
  readonly name: string
  priceUsd(chainId: ChainId, token: Address, signal: AbortSignal): Promise<bigint | null>
}

/** Whether any source prices an unlisted token; null if none can be reached now. */
export type IsPriced = (chainId: ChainId, token: Address) => Promise<boolean | null>

/**
 * Judges exchanges by the rules of `domain/money/worth.ts`. A price that is unavailable counts as missing; a bug is
 * thrown.
 */
export interface Appraiser {
  judge(exchange: Exchange): Promise<Verdict>
  /** Returns the highest value of an amount that two sources agree on, in USD with 8 decimals; null if none agree. */
  mostUsd(chainId: ChainId, token: Address, amountRaw: bigint): Promise<bigint | null>
  /** Whether an amount is worth at most this much of its chain's coin, at any prices that two sources agree on. */
  isNoMore(chainId: ChainId, token: Address, amountRaw: bigint, wei: bigint): Promise<boolean>
}

/** Gas prices and the gas use of routes, as measured by all processes. */
export interface GasBooks {
  /** Returns the stored figures of a chain, at most `maxAgeMs` old; by default a few seconds. */
  read(chainId: ChainId, maxAgeMs?: number): Promise<GasBook>
  /** Stores a measured route, and returns the previous figures. */
  note(chainId: ChainId, measured: MeasuredGas): Promise<GasBook>
}
