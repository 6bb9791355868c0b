import type { ChainId } from '../domain/chain/chain'
import type { Hash } from '../domain/chain/hex'
import type { IntentSnapshot } from '../domain/deposit/deposit-intent'
import type { Execution } from '../domain/execution/execution'
import type { Token } from '../domain/money/token'

/**
 * Runs the steps of a real deposit up to signing, of money that need not exist. Stores nothing, signs nothing.
 *
 * @param deposit a record as intake would make it. @returns the record with its fees and its route.
 * @throws {RoutingError} what the deposit would fail by.
 */
export type Preview = (deposit: Execution, intent: IntentSnapshot, routeId: Hash | undefined) => Promise<Execution>

export type Duration = { typical: number; slow: number }

/** How a chain does at present. `message` says why one of the two is false. */
export type ChainFigures = {
  confirmationTypicalSeconds: number | null
  acceptsDeposits: boolean
  delivers: boolean
  message: string | null
  /** When any of it last changed. */
  updatedAt: number
}

/** What was measured, and what it would cost now. It informs; nothing is decided by it (extensions 5.1, 5.2). */
export interface Figures {
  ofChain(chainId: ChainId): ChainFigures
  /** The same for one of its tokens: it may be paused by itself. */
  ofToken(token: Token): Omit<ChainFigures, 'confirmationTypicalSeconds'>
  /** Detection to delivery over the last 7 days; null under 20 samples. */
  expectedSeconds(fromChainId: ChainId, toChainId: ChainId): Duration | null
  /** Below this a deposit would presently end in insufficient funds after fees; null when unknown. */
  minimumAmountIn(token: Token, toChainId: ChainId, sponsoredGas: boolean): bigint | null
}

/** The figures as they are now: fresh within a minute. */
export type FiguresNow = () => Promise<Figures>
