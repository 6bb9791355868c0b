import type { ChainId } from '../domain/chain/chain'
import type { Address } from '../domain/chain/hex'
import type { Facts } from '../domain/execution/execution'
import { worthLookMs } from '../domain/execution/retry'
import type { Exchange, Said, Verdict } from '../domain/money/worth'
import { Resting } from './unavailable'

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

/** Judges exchanges by the rule of `domain/money/worth.ts`. Prices that cannot be had are none; a bug is thrown. */
export interface Appraiser {
  judge(exchange: Exchange): Promise<Verdict>
  /** The most that it is worth by two sources that agree, USD with 8 decimals; null where there are none. */
  mostUsd(chainId: ChainId, token: Address, amountRaw: bigint): Promise<bigint | null>
  /** Whether an amount is worth no more than so much of its chain's coin, by whatever prices two sources agree on. */
  isNoMore(chainId: ChainId, token: Address, amountRaw: bigint, wei: bigint): Promise<boolean>
}

/** Nobody can say whether what would arrive is worth the policy's share. Whoever needs it waits; that is no retry. */
export class WorthUnknown extends Resting {
  override name = 'WorthUnknown'

  constructor(
    private readonly why: string,
    facts: Facts = {},
  ) {
    super('a route', worthLookMs, 'WORTH', { cause: new Error(why), facts })
  }

  /** The same, with more to be stored while it waits. */
  keeping(facts: Facts): WorthUnknown {
    return new WorthUnknown(this.why, { ...this.facts, ...facts })
  }
}
