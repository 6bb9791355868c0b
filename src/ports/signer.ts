import type { ChainId } from '../domain/chain/chain'
import type { Address, Hash, Hex } from '../domain/chain/hex'
import type { Fee } from '../domain/chain/relayer'
import type { Execution } from '../domain/execution/execution'
import type { AttestedMint, Sendable } from '../domain/execution/mint'
import type { Order } from '../domain/execution/route'
import type { Signable } from '../domain/execution/signable'
import type { LogHead } from '../domain/signer-log'
import type { Organization } from '../domain/tenant/organization'

/** Makes orders that no contract accepts. It needs no key. */
export interface OrderDrafter {
  /** Returns the order as it would be signed, for estimates, even for deposits that do not exist. */
  draft(execution: Execution, deadline: number): Promise<Order>
}

/** Decides whether money may leave an account: by the stored record alone, and never by the caller's word. */
export interface OrderSigner extends OrderDrafter {
  /**
   * @param deadline Seconds since 1970, by the source chain's clock.
   * @throws {RoutingError} SIGNER_REFUSED when the route does not do what the intent says.
   * @throws {WorthUnknown} while the signer's own prices do not show that the order is worth the policy's share.
   */
  sign(execution: Execution, deadline: number): Promise<Order>
}

/**
 * Tells what is wrong with the intent that an execution follows, in a sentence for the log, or null when the integrator
 * gave exactly that intent.
 */
export type VerifyIntent = (execution: Omit<Signable, 'id'>) => Promise<string | null>

/** All that a signature is asked for with. The signer believes nothing of it that it cannot verify by itself. */
export type SigningRequest = {
  execution: Signable
  /** Seconds since 1970, by the source chain's clock. */
  deadline: number
  accountSalt: Hash
  /** Its limits, which are sealed where they are below the platform's; null stands for the platform's own. */
  organization: Pick<Organization, 'id' | 'policy' | 'policySeal'> | null
}

/** The signer itself, which reads no store: it stands in the same process, or in one of its own. */
export interface Signing {
  /** @throws as `OrderSigner.sign`. */
  sign(request: SigningRequest): Promise<Order>
  verifyIntent: VerifyIntent
}

/** What a signer in a process of its own answers: of an order only what whoever asked cannot make. */
export type OrderSignature = Pick<Order, 'id' | 'deadline' | 'signature'>

/** A signer in a process of its own, of which nothing but a signature is believed. */
export interface RemoteSigning {
  /** @throws as `OrderSigner.sign`. */
  sign(request: SigningRequest): Promise<OrderSignature & { log?: LogHead | undefined }>
  verifyIntent: VerifyIntent
}

/** What was signed last for a route. */
export type SignedOrder = { orderId: Hash; deadline: number }

type SigningOutcome = { executionId: string; organizationId: string; chainId: ChainId; routeId: Hash }

/** An entry of the signing log. Amounts are decimal strings in atomic units. */
export type SigningEntry = SigningOutcome &
  (
    | ({ event: 'SIGNED' } & SignedOrder &
        Pick<Order, 'account' | 'token' | 'amountIn' | 'protocolFee' | 'gasFee' | 'kind' | 'target' | 'intent'>)
    | { event: 'REFUSED'; code: string; why: string }
  )

/** The signer's own record of what it signed and refused, to which it only ever adds. */
export interface SigningLog {
  /** Returns what was signed last for a route, or null. */
  lastSigned(chainId: ChainId, routeId: Hash): SignedOrder | null
  /** Resolves once the entry is durable. */
  append(entry: SigningEntry): Promise<void>
}

/** A key that signs with secp256k1, wherever it is held. */
export interface SigningKey {
  readonly address: Address
  /**
   * Signs a digest: r, s in the lower half, and v, in 65 bytes.
   *
   * @throws {TemporarilyUnavailable} waiting for SIGNER while what holds the key gives no signature.
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

/** The addresses of the relayers, which is all that a process needs that only reads. */
export interface RelayerAddresses {
  /** Returns the relayer of a route, which is the same at every retry. */
  forRoute(chainId: ChainId, routeId: Hash): RelayerAddress
  onChain(chainId: ChainId): RelayerAddress[]
}

/** The relayer keys, which pay gas and send signed orders. */
export interface Relayers extends RelayerAddresses {
  /** @param also The other orders that the transaction carries, all of which `mayShare`. */
  transaction(
    relayerId: string,
    nonce: number,
    order: Sendable,
    fee: Fee,
    also?: readonly Sendable[],
  ): Promise<{ hash: Hash; bytes: Hex }>
  /**
   * Tells what is wrong with a call that is to mint what an order burnt, or null when it mints that and nothing else.
   *
   * @param chainId The destination.
   */
  mintObjection(
    mint: AttestedMint & { chainId: ChainId },
    order: Pick<Order, 'account' | 'chainId' | 'data'>,
  ): string | null
  /** Whether an order may go with others in one transaction: it is for the contract that takes many at once. */
  mayShare(order: Order): boolean
  /** Signs an empty transfer of the relayer to itself, which fills a nonce whose bytes no node accepts. */
  filler(relayerId: string, nonce: number, fee: Fee): Promise<{ hash: Hash; bytes: Hex }>
}
