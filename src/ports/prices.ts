import type { ChainId } from '../domain/chain/chain'
import type { Address } from '../domain/chain/hex'
import type { GasBook, MeasuredGas } from '../domain/money/fees'
import type { Exchange, PriceOpinion, Verdict } from '../domain/money/worth'

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
  said(chainId: ChainId, token: Address): Promise<readonly PriceOpinion[]>
}

/** A source of prices. It returns null for a token that it does not know. */
export interface PriceSource {
  readonly name: string
  priceUsd(chainId: ChainId, token: Address, signal: AbortSignal): Promise<bigint | null>
}

/** Whether anybody prices an unlisted token; null when nobody can be asked now. */
export type IsPriced = (chainId: ChainId, token: Address) => Promise<boolean | null>

/**
 * Judges exchanges by the rules of `domain/money/worth.ts`. A price that cannot be had counts as missing; a bug is
 * thrown.
 */
export interface Appraiser {
  judge(exchange: Exchange): Promise<Verdict>
  /** Returns the most that an amount is worth by two agreeing sources, in USD with 8 decimals; null without them. */
  mostUsd(chainId: ChainId, token: Address, amountRaw: bigint): Promise<bigint | null>
  /** Whether an amount is worth no more than this much of its chain's coin, by whatever prices two sources agree on. */
  isNoMore(chainId: ChainId, token: Address, amountRaw: bigint, wei: bigint): Promise<boolean>
}

/** What gas costs and how much of it routes take, as all processes measured it. */
export interface GasBooks {
  /** Returns what is known of a chain, at most a few seconds old or as old as that. */
  read(chainId: ChainId, maxAgeMs?: number): Promise<GasBook>
  /** Notes a measured route, and returns what was known before it. */
  note(chainId: ChainId, measured: MeasuredGas): Promise<GasBook>
}
