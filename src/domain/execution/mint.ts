import { keccak256 } from 'viem/utils'
import type { ChainId } from '../chain/chain'
import type { Address, Hash, Hex } from '../chain/hex'
import type { Execution } from './execution'
import type { Minting } from './minting'
import { mintGasOf } from './provider'
import type { Order } from './route'

/**
 * The call that hands out, on its destination chain, what a burn took away on its source chain. Anybody may make it,
 * once, and it pays nobody but the recipient that the burn named. `nonce` is the name that the attesters gave the burn.
 */
export type AttestedMint = { target: Address; data: Hex; nonce: Hash }

/**
 * Whether an execution's money is burnt and no mint of it is proved. Only a mint ends such an execution, so it never
 * loses its step.
 */
export const isToBeMinted = ({ facts: { route, spent, delivery } }: Pick<Execution, 'facts'>): boolean =>
  spent !== undefined && delivery === undefined && route !== undefined && mintGasOf(route.provider) > 0n

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

/**
 * What is known of a mint that was attested: from what was known before, with the call as it is now. `id` stays that of
 * the call that was sent last, and whether the destination refuses this one is found out anew.
 */
export const attestedNow = (
  { target, data, nonce }: AttestedMint,
  before: Minting | undefined,
  at: number,
): Minting => ({
  id: before && before.transactions.length > 0 ? before.id : mintIdOf({ data }),
  attestedAt: before?.attestedAt ?? at,
  transactions: before?.transactions ?? [],
  nonce,
  call: { target, data },
})

/** Whether the destination refused the call since it was last sent, if it ever was. */
export const isRefused = ({ refusedAt, transactions }: Minting): boolean =>
  refusedAt !== undefined && refusedAt > (transactions.at(-1)?.at ?? 0)

/** What a transaction of a relayer carries. */
export type Sendable = Order | Mint

export const isMint = (sendable: Sendable): sendable is Mint => sendable.kind === 'MINT'

/** The margin on the estimate, in basis points: a rollup's gas for the bytes may rise until it is mined. */
const gasMarginBps = 15_000n
/** For so long nobody sends the same bytes again in another transaction. */
const lifeSeconds = 1_800

export const mintIdOf = ({ data }: Pick<AttestedMint, 'data'>): Hash => keccak256(data)

/** @param gas What the mint was estimated to take. */
export const mintOf = (
  attested: AttestedMint,
  { chainId, routeId, time, gas }: { chainId: ChainId; routeId: Hash; time: number; gas: bigint },
): Mint => ({
  kind: 'MINT',
  id: mintIdOf(attested),
  chainId,
  routeId,
  target: attested.target,
  data: attested.data,
  nativeFee: '0',
  gasLimit: String((gas * gasMarginBps) / 10_000n),
  deadline: time + lifeSeconds,
})
