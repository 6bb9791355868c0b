import type { ChainId } from '../domain/chain/chain'
import type { Hash } from '../domain/chain/hex'
import type { IntentSnapshot } from '../domain/deposit/deposit-intent'
import type { Execution } from '../domain/execution/execution'
import type { Token } from '../domain/money/token'

/**
 * Runs the steps of a real deposit up to signing, for money that need not exist. It stores nothing and signs nothing.
 *
 * @param deposit A record as the intake would make it.
 * @returns The record with its fees and its route.
 * @throws {RoutingError} the error that the deposit would fail with.
 */
export type Preview = (deposit: Execution, intent: IntentSnapshot, routeId: Hash | undefined) => Promise<Execution>

export type Duration = { typical: number; slow: number }

/** How a chain is doing at present. `message` says why one of the two flags is false. */
export type ChainFigures = {
  confirmationTypicalSeconds: number | null
  acceptsDeposits: boolean
  delivers: boolean
  message: string | null
  /** When any of this last changed. */
  updatedAt: number
}

/**
 * What was measured, and what a deposit would cost now. It only informs, and no step decides by it (extensions 5.1,
 * 5.2).
 */
export interface Figures {
  /** When this was measured. */
  at: number
  ofChain(chainId: ChainId): ChainFigures
  /** The same for one token, which may be paused by itself. */
  ofToken(token: Token): Omit<ChainFigures, 'confirmationTypicalSeconds'>
  /** Seconds from detection to delivery over the last 7 days; null for fewer than 20 samples. */
  expectedSeconds(fromChainId: ChainId, toChainId: ChainId): Duration | null
  /**
   * The least amount in atomic units. A smaller deposit would at present end for insufficient funds after fees. Null
   * when it is not known.
   */
  minimumAmountIn(token: Token, toChainId: ChainId, sponsoredGas: boolean): bigint | null
  /** What gas for a usual route costs, in atomic units of the token; null when it is not known. */
  gasFee(token: Token): bigint | null
}

/** Returns the figures as they are now. They are at most a minute old. */
export type FiguresNow = () => Promise<Figures>
