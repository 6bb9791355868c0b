import type { ChainId } from '../domain/chain/chain'
import type { Address, Hash } from '../domain/chain/hex'
import { RoutingError } from '../domain/error'
import type { Candidate, Policy, Route } from '../domain/execution/route'
import { Resting } from './unavailable'

export type RouteRequest = {
  fromChainId: ChainId
  fromToken: Address
  amountIn: bigint
  toChainId: ChainId
  toToken: Address
  account: Address
  recipient: Address
  policy: Policy
  /** The least output that an operator has approved where nobody can say what it is worth. */
  approvedOutMin?: bigint | null
}

/** What a provider says became of what a transaction sent. It is a pointer: the destination chain is the evidence. */
export type BridgeOutcome =
  | { kind: 'PENDING' }
  | { kind: 'DELIVERED'; hash: Hash }
  | { kind: 'DELIVERED_OTHERWISE'; hash: Hash }
  | { kind: 'RETURNED'; hash: Hash | null }

/** Finds routes and follows what was sent. One adapter per provider; all pass `test/ports/aggregator.test.ts`. */
export interface Aggregator {
  readonly name: string
  /** The best route, or null when there is none: that is an answer. Throws PROVIDER_ codes; never retries. */
  quote(request: RouteRequest, signal: AbortSignal): Promise<Route | null>
  outcome(
    sent: { hash: Hash; fromChainId: ChainId; toChainId: ChainId; reference: string | null },
    signal: AbortSignal,
  ): Promise<BridgeOutcome>
  /** What the tokens are worth in USD, 8 decimals; null where unknown. */
  priceUsd(chainId: ChainId, token: Address, signal: AbortSignal): Promise<bigint | null>
}

/** It failed so often that it is left alone for a while. Whoever needs it waits; that is no retry. */
export class ProviderResting extends Resting {
  override name = 'ProviderResting'

  constructor(provider: string, askAgainInMs: number, options: { cause?: unknown } = {}) {
    super(provider, askAgainInMs, 'PROVIDER', options)
  }
}

/** Nobody who may be asked has a route, and who is paused might have one. Whoever needs it waits; that is no retry. */
export class ProviderPaused extends Error {
  override name = 'ProviderPaused'

  constructor() {
    super('A provider is paused')
  }
}

/** There are offers, and none of them may be taken: each says why. */
export class OutsidePolicy extends RoutingError {
  constructor(readonly candidates: Candidate[]) {
    super('ROUTE_OUTSIDE_POLICY')
  }
}

/** How a provider did in the last minutes (extensions 9.1). */
export type ProviderHealth = {
  provider: string
  healthy: boolean
  /** Since when it is not, as far as it is known; null while it is. */
  failingSince: number | null
  /** Whether it is not well for anybody: not for one odd pair of tokens alone. */
  isAway: boolean
  /** 0 to 1. */
  errorRate: number
  p50Ms: number | null
  p95Ms: number | null
  /** Since when it refuses our credentials; null while it takes them. */
  credentialsRefusedAt: number | null
  breaker: 'CLOSED' | 'OPEN' | 'HALF_OPEN'
  updatedAt: number | null
}
