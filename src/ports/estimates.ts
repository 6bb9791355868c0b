import type { ChainId } from '../domain/chain/chain'
import type { Hash } from '../domain/chain/hex'
import type { IntentSnapshot } from '../domain/deposit/deposit-intent'
import type { Execution } from '../domain/execution/execution'
import type { Token } from '../domain/money/token'

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
