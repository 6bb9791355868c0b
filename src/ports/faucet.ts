import type { ChainKey } from '../domain/chain/chain'
import type { Address, Hash } from '../domain/chain/hex'

/** `tokenSymbol` of the token on that chain; `amountRaw` in its atomic units. */
export type Gift = { chainKey: ChainKey; tokenSymbol: string; amountRaw: bigint; to: Address }

/** Gives away money of test chains, which is worth nothing. */
export interface Faucet {
  /** @throws {RoutingError} where it does not answer, or would not send. */
  send(gift: Gift): Promise<Hash>
}
