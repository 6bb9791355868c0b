import type { ChainId } from '../domain/chain/chain'
import type { Address, Hash } from '../domain/chain/hex'
import type { IntentSnapshot } from '../domain/deposit/deposit-intent'
import type { Execution } from '../domain/execution/execution'
import type { GasRecord, MeasuredGas } from '../domain/money/gas'
import type { Token } from '../domain/money/token'
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
  read(chainId: ChainId, maxAgeMs?: number): Promise<GasRecord>
  /** Stores a measured route, and returns the previous figures. */
  note(chainId: ChainId, measured: MeasuredGas): Promise<GasRecord>
}

/**
 * Runs the steps of a real deposit up to signing, for money that need not exist. It stores and signs nothing.
 *
 * @param deposit A record as the intake would make it.
 * @returns The record with its fees and its route.
 * @throws {RoutingError} The error with which the deposit would fail.
 */
export type Preview = (deposit: Execution, intent: IntentSnapshot, routeId: Hash | undefined) => Promise<Execution>

export type Duration = { typical: number; slow: number }

/** The current status of a chain. `message` gives the reason when one of the two flags is false. */
export type ChainFigures = {
  confirmationTypicalSeconds: number | null
  acceptsDeposits: boolean
  delivers: boolean
  message: string | null
  /** When any of this last changed. */
  updatedAt: number
}

/**
 * Measured durations and current costs of a deposit. They only inform: no step uses them for a decision (extensions
 * 5.1, 5.2).
 */
export interface Figures {
  /** Time of the measurement. */
  at: number
  ofChain(chainId: ChainId): ChainFigures
  /** The same for one token, which can be paused separately. */
  ofToken(token: Token): Omit<ChainFigures, 'confirmationTypicalSeconds'>
  /** Seconds from detection to delivery over the last 7 days; null for fewer than 20 samples. */
  expectedSeconds(fromChainId: ChainId, toChainId: ChainId): Duration | null
  /**
   * The minimum amount in atomic units. A smaller deposit would currently end for insufficient funds after fees. Null
   * if unknown.
   */
  minimumAmountIn(token: Token, toChainId: ChainId, sponsoredGas: boolean): bigint | null
}

/** Returns the current figures, at most a minute old. */
export type FiguresNow = () => Promise<Figures>
