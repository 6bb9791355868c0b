import type { ChainKey } from '../domain/chain/chain'
import type { Address, Hash } from '../domain/chain/hex'

/** A gift of the token with this symbol on a chain. `amountRaw` is in atomic units. */
export type Gift = { chainKey: ChainKey; tokenSymbol: string; amountRaw: bigint; to: Address }

/** Gives away money of test chains, which is worth nothing. */
export interface Faucet {
  /** @throws {RoutingError} when the faucet does not answer, or would not send. */
  send(gift: Gift): Promise<Hash>
}
