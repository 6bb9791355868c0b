import { encodeAbiParameters, keccak256, toHex } from 'viem/utils'
import type { ChainId } from '../chain/chain'
import type { Address, Hash, Hex } from '../chain/hex'
import type { IntentSnapshot } from '../deposit/deposit-intent'

/** Limits that a route must keep (interface 2.7). */
export type Policy = {
  slippageBps: number
  minOutputBps: number
  maxDurationSeconds: number
  maxHops: number
  requiresSponsoredGas: boolean
}

export const defaultPolicy: Policy = {
  slippageBps: 50,
  minOutputBps: 9_700,
  maxDurationSeconds: 1_800,
  maxHops: 3,
  requiresSponsoredGas: false,
}

/**
 * How the money leaves the account: paid out on the same chain, swapped there, or bridged. REFUND is also a payment.
 * The RecoveryExecutor makes it, because the RouteExecutor has no cap for the token. The numbers are the contracts'.
 */
export const routeKinds = { DIRECT: 1, SWAP: 2, BRIDGE: 3, REFUND: 1 } as const

type RouteKind = keyof typeof routeKinds

/** Whether the token itself is paid out, without a provider and without an exchange. */
export const isPayment = (kind: RouteKind): boolean => routeKinds[kind] === routeKinds.DIRECT

/** A provider's offer, checked and in our own terms. Amounts are decimal strings in atomic units. */
export type Route = {
  provider: string
  kind: RouteKind
  amountIn: string
  amountOutExpected: string
  amountOutMin: string
  expectedSeconds: number
  hops: number
  slippageBps: number
  /** Call that the account makes; null for a direct payment. */
  call: { target: Address; spender: Address; data: Hex; nativeFee: string } | null
  /** Reference for querying the outcome at the provider, such as the name of a tool or a request id. */
  reference: string | null
  quotedAt: number
}

/** A route as a provider offers it. The requesting process adds the time by its own clock. */
export type Offer = Omit<Route, 'quotedAt'>

/** Returns the route of a deposit that is delivered unchanged: on its own chain, in its own token. */
export const directRoute = ({ amountIn }: { amountIn: bigint }, quotedAt: number): Route => ({
  provider: 'direct',
  kind: 'DIRECT',
  amountIn: String(amountIn),
  amountOutExpected: String(amountIn),
  amountOutMin: String(amountIn),
  expectedSeconds: 0,
  hops: 0,
  slippageBps: 0,
  call: null,
  reference: null,
  quotedAt,
})

export const quoteOutcomes = [
  'CHOSEN',
  'NOT_BEST',
  'OUTSIDE_POLICY',
  'UNJUDGED',
  'REFUSED',
  'NO_ROUTE',
  'NO_ANSWER',
] as const

/** A provider's offer or refusal, and why it was or was not chosen. */
export type Candidate = {
  provider: string
  amountOutExpected: string | null
  amountOutMin: string | null
  expectedSeconds: number | null
  slippageBps: number | null
  hops: number | null
  outcome: (typeof quoteOutcomes)[number]
  reason: string | null
  quotedAt: number
  /** Proves that this provider made this offer, for this execution and amount. */
  seal?: string
}

type RouteSubject = { organizationId: string; userId: string; executionId: string; intent: IntentSnapshot }

/**
 * Returns the idempotency key of an execution, which the chain accepts once. It is computed from the intent's snapshot
 * and stored, and is the same at every retry (decision 22).
 */
export const routeIdOf = ({ organizationId, userId, executionId, intent }: RouteSubject): Hash =>
  keccak256(
    encodeAbiParameters(
      [
        { type: 'string' },
        { type: 'bytes' },
        { type: 'string' },
        { type: 'uint256' },
        { type: 'uint256' },
        { type: 'address' },
        { type: 'address' },
      ],
      [
        organizationId,
        toHex(userId),
        executionId,
        BigInt(intent.version),
        BigInt(intent.targetChainId),
        intent.targetTokenAddress,
        intent.targetAddress,
      ],
    ),
  )

/** Policy values that an organization may set, and their bounds. The platform sets the rest. */
export const policyBounds = {
  slippageBps: { least: 1, most: 1_000 },
  minOutputBps: { least: 5_000, most: 10_000 },
  maxDurationSeconds: { least: 1, most: 86_400 },
  maxHops: { least: 1, most: 10 },
} as const satisfies Partial<Record<keyof Policy, { least: number; most: number }>>

/** Returns the platform's policy with an organization's own values. A value out of bounds is ignored. */
export function policyWith(overrides: Partial<Policy> | null | undefined): Policy {
  const policy: Policy = { ...defaultPolicy }
  if (typeof overrides?.requiresSponsoredGas === 'boolean') policy.requiresSponsoredGas = overrides.requiresSponsoredGas
  for (const [name, { least, most }] of Object.entries(policyBounds) as [keyof typeof policyBounds, AmountBound][]) {
    const value = overrides?.[name]
    if (Number.isInteger(value) && value! >= least && value! <= most) policy[name] = value!
  }
  return policy
}

type AmountBound = { least: number; most: number }

/**
 * An order states what may leave an account. The signature covers the whole intent, the order uses its route once, and
 * the order is invalid after its deadline.
 */
export type Order = {
  /** EIP-712 hash that was signed. */
  id: Hash
  routeId: Hash
  accountSalt: Hash
  account: Address
  chainId: ChainId
  kind: RouteKind
  token: Address
  amountIn: string
  minSpent: string
  protocolFee: string
  gasFee: string
  collector: Address
  intent: { toChainId: ChainId; tokenOut: Address; recipient: Address; minOut: string }
  target: Address
  spender: Address
  nativeFee: string
  minGas: string
  /** Seconds since 1970, by the chain's own clock. */
  deadline: number
  data: Hex
  signature: Hex
  /** Gas limit of its transaction. */
  gasLimit: string
  /** Id of the relayer key that sends it. It is fixed at signing, so a key that is added later takes over no order. */
  sender?: string
}

/**
 * One of our transactions as a block shows it, confirmed or not. `at` is when we first saw it, in milliseconds since
 * 1970.
 */
export type OwnReceipt = {
  hash: Hash
  block: number
  succeeded: boolean
  at: number
  /** A token's issuer had stopped the order when this was read. */
  isStopped?: true
}

/** Returns the receipt of the transaction that the chain reverted, if known; null otherwise. */
export const revertOf = ({
  facts: { receipt, spent },
}: {
  facts: { receipt?: OwnReceipt | null; spent?: unknown }
}): OwnReceipt | null => (receipt && !receipt.succeeded && !spent ? receipt : null)
