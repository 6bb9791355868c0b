import type { ChainId } from '../domain/chain/chain'
import type { Address, Hash, Hex } from '../domain/chain/hex'
import type { Fee } from '../domain/chain/relayer'
import type { Execution, Signable } from '../domain/execution/execution'
import type { AttestedMint, Sendable } from '../domain/execution/mint'
import type { Order, Route } from '../domain/execution/route'
import type { LogHead } from '../domain/signer-log'
import type { Organization } from '../domain/tenant/organization'

/** Makes orders that no contract accepts. It needs no key. */
export interface OrderDrafter {
  /** Returns the unsigned order, for estimates, even for deposits that do not exist. */
  draft(execution: Execution, deadline: number): Promise<Order>
}

/** Returns the time, in milliseconds, until which the signer counts as unable to read this call; null if it can. */
export type UnreadUntil = (route: Pick<Route, 'call'>) => number | null

/**
 * Present if another process signs. It can sign without its response arriving, so a request is stored first. It can be
 * of an earlier release, and read fewer calls.
 */
type MaybeSeparate = { readonly isSeparate?: true; unreadUntil?: UnreadUntil }

/** Decides whether money may leave an account: from the stored record alone, never from the caller's input. */
export interface OrderSigner extends OrderDrafter, MaybeSeparate {
  /**
   * @param deadline Seconds since 1970, by the source chain's clock.
   * @throws {RoutingError} SIGNER_REFUSED if the route does not match the intent.
   * @throws {SignerUnable} if the signer refuses what this process's own rules allow.
   * @throws {WorthUnknown} while the signer's own prices do not show that the order meets the policy's share of value.
   */
  sign(execution: Execution, deadline: number): Promise<Order>
}

/**
 * Returns the error in the intent that an execution follows, as a sentence for the log; null if it is exactly the
 * integrator's.
 */
export type VerifyIntent = (execution: Omit<Signable, 'id'>) => Promise<string | null>

/** The whole request for a signature. The signer trusts none of it that it cannot verify itself. */
export type SigningRequest = {
  execution: Signable
  /** Seconds since 1970, by the source chain's clock. */
  deadline: number
  accountSalt: Hash
  /** Its limits, which are sealed if they are below the platform's; null stands for the platform's own. */
  organization: Pick<Organization, 'id' | 'policy' | 'policySeal'> | null
}

/** The signer itself, which reads no store. It runs in the same process or in its own. */
export interface Signing extends MaybeSeparate {
  /** @throws as `OrderSigner.sign`. */
  sign(request: SigningRequest): Promise<Order>
  verifyIntent: VerifyIntent
}

/** The response of a separate signer process: only the parts of an order that the requester cannot make. */
export type OrderSignature = Pick<Order, 'id' | 'deadline' | 'signature'>

/** A separate signer process. Nothing in its response but the signature is trusted. */
export interface RemoteSigning {
  /** @throws as `OrderSigner.sign`. */
  sign(request: SigningRequest): Promise<OrderSignature & { log?: LogHead | undefined }>
  verifyIntent: VerifyIntent
}

/** The last order signed for a route. */
export type SignedOrder = { orderId: Hash; deadline: number }

type SigningOutcome = { executionId: string; organizationId: string; chainId: ChainId; routeId: Hash }

/** An entry of the signing log. Amounts are decimal strings in atomic units. */
export type SigningEntry = SigningOutcome &
  (
    | ({ event: 'SIGNED' } & SignedOrder &
        Pick<Order, 'account' | 'token' | 'amountIn' | 'protocolFee' | 'gasFee' | 'kind' | 'target' | 'intent'>)
    | { event: 'REFUSED'; code: string; why: string }
  )

/** The signer's own append-only record of what it signed and refused. */
export interface SigningLog {
  /** Returns the last order signed for a route, or null. */
  lastSigned(chainId: ChainId, routeId: Hash): SignedOrder | null
  /** Resolves once the entry is durable. */
  append(entry: SigningEntry): Promise<void>
}

/** A secp256k1 key, in any kind of store. */
export interface SigningKey {
  readonly address: Address
  /**
   * Signs a digest: r, s in the lower half, and v, in 65 bytes.
   *
   * @throws {TemporarilyUnavailable} waiting for SIGNER while the key's holder returns no signature.
   */
  sign(digest: Hash): Promise<Hex>
}

/** What signs receipts. */
export type ReceiptSigning = {
  /** Null if this installation signs no receipts. */
  key: SigningKey | null
  /** Addresses that signed earlier receipts. They are published beside the current one. */
  former: readonly Address[]
}

/** One relayer key on one chain. */
export type RelayerAddress = { id: string; address: Address }

/** The addresses of the relayers. A process that only reads needs nothing else. */
export interface RelayerAddresses {
  /** Returns the relayer of a route. Every retry gets the same one. */
  forRoute(chainId: ChainId, routeId: Hash): RelayerAddress
  onChain(chainId: ChainId): RelayerAddress[]
}

/** The relayer keys, which pay gas and send signed orders. */
export interface Relayers extends RelayerAddresses {
  /** @param also The other orders in the transaction, all of which `mayShare`. */
  transaction(
    relayerId: string,
    nonce: number,
    order: Sendable,
    fee: Fee,
    also?: readonly Sendable[],
  ): Promise<{ hash: Hash; bytes: Hex }>
  /**
   * Returns the error in a call that mints what an order burned; null if it mints exactly that.
   *
   * @param chainId The destination.
   */
  mintObjection(
    mint: AttestedMint & { chainId: ChainId },
    order: Pick<Order, 'account' | 'chainId' | 'data'>,
  ): string | null
  /** Whether an order can share a transaction with others, because its contract takes several orders. */
  mayShare(order: Order): boolean
  /** Signs an empty transfer of the relayer to itself, which fills a nonce whose bytes no node accepts. */
  filler(relayerId: string, nonce: number, fee: Fee): Promise<{ hash: Hash; bytes: Hex }>
}
