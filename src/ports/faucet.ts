import type { ChainKey } from '../domain/chain/chain'
import type { Address, Hash } from '../domain/chain/hex'

/** A gift of the token with this symbol on a chain. `amountRaw` is in atomic units. */
export type Gift = { chainKey: ChainKey; tokenSymbol: string; amountRaw: bigint; to: Address }

/** Gives away tokens of test chains, which have no value. */
export interface Faucet {
  /** @throws {RoutingError} if the faucet does not respond or refuses to send. */
  send(gift: Gift): Promise<Hash>
}
