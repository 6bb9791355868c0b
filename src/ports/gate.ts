import type { ChainId, ChainPair } from '../domain/chain/chain'
import type { Address, Hash, Hex } from '../domain/chain/hex'
import type { DelayReason } from '../domain/execution/execution'
import type { AttestedMint } from '../domain/execution/mint'
import type { Offer, Policy, Route } from '../domain/execution/route'
import type { Requester } from '../domain/limits/provider-budget'

export type RouteRequest = {
  fromChainId: ChainId
  fromToken: Address
  amountIn: bigint
  toChainId: ChainId
  toToken: Address
  account: Address
  recipient: Address
  policy: Policy
  /** The minimum output that an operator approved because the value of the route is unknown. */
  approvedOutMin?: bigint | null
  /** The requester, which decides its share of a provider's rate limit. Absent for a check that can wait. */
  requester?: Requester
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

/** A sent transaction, to query its outcome. */
export type SentTransaction = {
  hash: Hash
  fromChainId: ChainId
  toChainId: ChainId
  reference: string | null
  /** The sender. */
  account?: Address
  /** The route's call, which distinguishes our transfer from others in the transaction. */
  call?: Hex | null
  /** Whether the transaction carries only this transfer, if that was established. */
  isAlone?: boolean
  /** The requester, as for a quote. A deposit always waits for this response. */
  requester?: Requester
  /** The mint call that was returned before, if the destination rejects it as expired. */
  expired?: Hex | null
}

declare const readable: unique symbol
/** A route that the signer's rules can read. Only a gate makes one. */
export type ReadableOffer = Offer & { readonly [readable]: true }
export type ReadableRoute = Route & { readonly [readable]: true }

/**
 * The cause of a provider's failure for a deposit. REQUEST: the provider answers a usual request, so the deposit's
 * tokens are the cause. UNKNOWN: no usual request could be sent.
 */
export type Blame = 'REQUEST' | 'PROVIDER' | 'UNKNOWN'

/** The only way to a provider: within its limit, while it answers, and only with routes that can be signed. */
export interface Gate<Name extends string = string> {
  readonly name: Name
  /**
   * Returns the best route, or null if the provider reports that there is none.
   *
   * @throws {RoutingError} with the provider's failure. It also fails if the signer could not read its route.
   * @throws {ProviderUnavailable} if the provider gets no requests now. The wait is not a retry.
   * @throws {ProviderPaused} if an operator paused the provider.
   */
  quote(request: RouteRequest, signal: AbortSignal): Promise<ReadableOffer | null>
  /** Throws as `quote` would if the route of a request can no longer be carried out. */
  assureCarried?(request: RouteRequest): Promise<void>
  /** Decides the cause after a deposit got no offer. It can take as long as a quote. */
  blame(request: RouteRequest, error: unknown): Promise<Blame>
  outcome(sent: SentTransaction, signal: AbortSignal): Promise<BridgeOutcome>
  priceUsd(chainId: ChainId, token: Address, signal: AbortSignal): Promise<bigint | null>
  /** Tests the shut scopes that are due. Call it at a regular interval. */
  probe(): Promise<void>
  health(): Promise<ProviderHealth>
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
  /** The part of its responses that cannot be read, as a sentence; null if all can be read. */
  unreadable: string | null
  breaker: 'CLOSED' | 'OPEN'
  updatedAt: number | null
}

/** The requests left in a provider's limit, per kind, for all processes together. `key` names an API key. */
export type RequestsLeft = { provider: string; key: string; kind: 'quote' | 'other'; left: number; most: number }
