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
  /** The least output that an operator approved because the value of the route is unknown. */
  approvedOutMin?: bigint | null
  /** The requester, which decides its share of a provider's rate limit. Absent for a check that can wait. */
  asker?: Asker
}

/**
 * A provider's report about the money that a transaction sent. It is a hint: the destination chain is the evidence.
 */
export type BridgeOutcome =
  /**
   * `delay` is the provider's reason for taking longer than the route estimated, and the usual duration in that case.
   */
  | { kind: 'PENDING'; delay?: { reason: DelayReason; expectedSeconds: number } }
  | { kind: 'DELIVERED'; hash: Hash }
  | { kind: 'DELIVERED_OTHERWISE'; hash: Hash }
  | { kind: 'RETURNED'; hash: Hash | null }
  /**
   * The money was burned. Any account can mint it, once, with this call on the destination chain. `nonce` identifies
   * the burn there.
   */
  | { kind: 'ATTESTED'; mint: AttestedMint }

/**
 * Finds routes and follows sent transactions. There is one adapter per provider, and all pass
 * `test/ports/aggregator.test.ts`.
 */
export interface Aggregator<Name extends string = string> {
  readonly name: Name
  /**
   * Returns the best route, or null if the provider reports that there is none. Throws PROVIDER_ codes and never
   * retries.
   */
  quote(request: RouteRequest, signal: AbortSignal): Promise<Offer | null>
  /**
   * Throws as `quote` would if the route of a request can no longer be carried out. Absent if only a new quote shows
   * that.
   */
  assureCarried?(request: RouteRequest): Promise<void>
  outcome(
    sent: {
      hash: Hash
      fromChainId: ChainId
      toChainId: ChainId
      reference: string | null
      /** The sender. */
      account?: Address
      /** The route's call, which distinguishes our transfer from others in the transaction. */
      call?: Hex | null
      /** Whether the transaction carries only this transfer, if known. */
      isAlone?: boolean
      /** The requester, as for a quote. A deposit always waits for this response. */
      asker?: Asker
      /** The mint call that was returned before, if the destination rejects it as expired. */
      expired?: Hex | null
    },
    signal: AbortSignal,
  ): Promise<BridgeOutcome>
  /** Returns the price of a whole token in USD with 8 decimals; null if unknown. */
  priceUsd(chainId: ChainId, token: Address, signal: AbortSignal): Promise<bigint | null>
}

/** A provider's health over the last minutes (extensions 9.1). */
export type ProviderHealth = {
  provider: string
  /** Whether the provider as a whole responds as it should. */
  healthy: boolean
  /** The pairs of chains that it fails for while it works for others, and since when. */
  failsBetween: (ChainPair & { since: number })[]
  /** Since when it has been failing, if known; null while it is healthy. */
  failingSince: number | null
  /** Whether it fails for all requests, not only for one unusual pair of tokens. */
  isAway: boolean
  /** The share of failed requests, from 0 to 1. */
  errorRate: number
  p50Ms: number | null
  p95Ms: number | null
  /** Since when it has rejected our credentials; null while it accepts them. */
  credentialsRefusedAt: number | null
  /**
   * The part of its responses that cannot be read, as a sentence, if requests stopped because of that; null otherwise.
   */
  unreadable: string | null
  breaker: 'CLOSED' | 'OPEN' | 'HALF_OPEN'
  updatedAt: number | null
}

/** The requests left in a provider's limit, per kind, for all processes together. `key` names an API key. */
export type RequestsLeft = { provider: string; key: string; kind: 'quote' | 'other'; left: number; most: number }
