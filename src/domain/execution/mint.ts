import { keccak256 } from 'viem/utils'
import type { ChainId } from '../chain/chain'
import type { Address, Hash, Hex } from '../chain/hex'
import type { Order } from './route'

/**
 * The call that hands out, on its destination chain, what a burn took away on its source chain. Anybody may make it,
 * once, and it pays nobody but the recipient that the burn named. `nonce` is the name that the attesters gave the burn.
 */
export type AttestedMint = { target: Address; data: Hex; nonce: Hash }

/** A mint as a relayer's transaction carries it, beside orders. It needs no signature and no contract of ours. */
type Mint = {
  kind: 'MINT'
  /** It follows from the bytes: an attestation that was renewed is another mint. */
  id: Hash
  chainId: ChainId
  /** The route whose money it is, by which its relayer is chosen. */
  routeId: Hash
  target: Address
  data: Hex
  nativeFee: '0'
  gasLimit: string
  /** Seconds since 1970, by the destination chain's clock. After it, a mint that no block took is given up. */
  deadline: number
  sender?: string
}

/** What a transaction of a relayer carries. */
export type Sendable = Order | Mint

export const isMint = (sendable: Sendable): sendable is Mint => sendable.kind === 'MINT'

/** Unused gas costs nothing. Rollups count the bytes of the attestation as gas as well. */
const gasLimit = '600000'
/** For so long nobody sends the same bytes again in another transaction. */
const lifeSeconds = 1_800

export const mintOf = (
  { target, data }: AttestedMint,
  { chainId, routeId, time }: { chainId: ChainId; routeId: Hash; time: number },
): Mint => ({
  kind: 'MINT',
  id: keccak256(data),
  chainId,
  routeId,
  target,
  data,
  nativeFee: '0',
  gasLimit,
  deadline: time + lifeSeconds,
})
