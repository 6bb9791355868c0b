import type { ChainId } from '../domain/chain/chain'
import type { Address, Hash, Hex } from '../domain/chain/hex'
import type { AttestedMint } from '../domain/execution/mint'
import type { DelayReason } from '../domain/execution/minting'
import type { Asker } from '../domain/execution/provider-budget'
import type { ChainPair } from '../domain/execution/provider-circuit'
import type { Offer, Policy } from '../domain/execution/route'

export type RouteRequest = {
  fromChainId: ChainId
  fromToken: Address
  amountIn: bigint
  toChainId: ChainId
  toToken: Address
  account: Address
  recipient: Address
  policy: Policy
  /** The least output that an operator approved when nobody can tell what it is worth. */
  approvedOutMin?: bigint | null
  /** Who asks, which decides the order in which a provider's limit is shared. Absent for a check that can wait. */
  asker?: Asker
}

/**
 * What a provider says became of the money that a transaction sent. It is a pointer; the destination chain is the
 * evidence.
 */
export type BridgeOutcome =
  /** `delay` is why the provider takes longer than the route said, and how long a usual transfer then takes. */
  | { kind: 'PENDING'; delay?: { reason: DelayReason; expectedSeconds: number } }
  | { kind: 'DELIVERED'; hash: Hash }
  | { kind: 'DELIVERED_OTHERWISE'; hash: Hash }
  | { kind: 'RETURNED'; hash: Hash | null }
  /**
   * The money was burned, and anybody may have it minted by this call on the destination chain, which does so once.
   * `nonce` is how that chain names it.
   */
  | { kind: 'ATTESTED'; mint: AttestedMint }

/**
 * Finds routes and follows what was sent. There is one adapter per provider, and all pass
 * `test/ports/aggregator.test.ts`.
 */
export interface Aggregator<Name extends string = string> {
  readonly name: Name
  /**
   * Returns the best route, or null when there is none, which is an answer. Throws PROVIDER_ codes and never retries.
   */
  quote(request: RouteRequest, signal: AbortSignal): Promise<Offer | null>
  /**
   * Fails as `quote` would where the route of a request cannot be carried out any more. Absent where only a new quote
   * tells.
   */
  assureCarried?(request: RouteRequest): Promise<void>
  outcome(
    sent: {
      hash: Hash
      fromChainId: ChainId
      toChainId: ChainId
      reference: string | null
      /** Who sent it. */
      account?: Address
      /** The route's call, which tells our transfer from others. */
      call?: Hex | null
      /** Whether the transaction is known to carry no other transfer. */
      isAlone?: boolean
      /** Who asks, as for a quote. Whoever it is, the answer is one that a deposit waits for. */
      asker?: Asker
      /** The call that was told before as a mint's, if the destination refuses it because it has expired. */
      expired?: Hex | null
    },
    signal: AbortSignal,
  ): Promise<BridgeOutcome>
  /** Returns the price of a whole token in USD with 8 decimals; null when it is unknown. */
  priceUsd(chainId: ChainId, token: Address, signal: AbortSignal): Promise<bigint | null>
}

/** How a provider did in the last minutes (extensions 9.1). */
export type ProviderHealth = {
  provider: string
  /** Whether the provider as a whole answers as it should. */
  healthy: boolean
  /** The pairs of chains that it fails for while it answers for others, and since when. */
  failsBetween: (ChainPair & { since: number })[]
  /** Since when it has been failing, as far as that is known; null while it is healthy. */
  failingSince: number | null
  /** Whether it fails for everybody, and not just for one unusual pair of tokens. */
  isAway: boolean
  /** The share of failed requests, from 0 to 1. */
  errorRate: number
  p50Ms: number | null
  p95Ms: number | null
  /** Since when it has refused our credentials; null while it accepts them. */
  credentialsRefusedAt: number | null
  /** What of its answers cannot be read, as a sentence, where it is not asked because of that; null otherwise. */
  unreadable: string | null
  breaker: 'CLOSED' | 'OPEN' | 'HALF_OPEN'
  updatedAt: number | null
}

/** What is left of a provider's limit for a kind of request, for all processes together. `key` names an API key. */
export type RequestsLeft = { provider: string; key: string; kind: 'quote' | 'other'; left: number; most: number }
