import type { ChainId } from '../domain/chain/chain'
import type { Address } from '../domain/chain/hex'
import type { Facts } from '../domain/execution/execution'
import type { Exchange, Verdict } from '../domain/money/worth'
import { Resting } from './resting'

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

/** An operator or a source of prices has to act first, and quotes cost providers something, so it is checked rarely. */
const worthLookMs = 60_000

/** Nobody can tell whether the output is worth the policy's share. Whoever needs it waits, which is not a retry. */
export class WorthUnknown extends Resting {
  override name = 'WorthUnknown'

  constructor(
    private readonly why: string,
    facts: Facts = {},
  ) {
    super('a route', worthLookMs, 'WORTH', { cause: new Error(why), facts })
  }

  /** Returns the same with further facts to be stored while it waits. */
  keeping(facts: Facts): WorthUnknown {
    return new WorthUnknown(this.why, { ...this.facts, ...facts })
  }
}
