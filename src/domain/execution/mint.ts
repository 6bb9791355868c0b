import { keccak256 } from 'viem/utils'
import type { ChainId } from '../chain/chain'
import type { Address, Hash, Hex } from '../chain/hex'
import type { Execution, Minting } from './execution'
import { mintGasOf } from './provider'
import type { Order } from './route'

/**
 * Call on the destination chain that mints the money which a burn removed from its source chain. Anyone can make it,
 * once, and it pays only the recipient that the burn named. `nonce` is the attesters' message nonce.
 */
export type AttestedMint = { target: Address; data: Hex; nonce: Hash }

/**
 * Whether an execution's money is burned and its mint is unproved. Only a mint ends the execution, so it never
 * loses its step.
 */
export const isToBeMinted = ({ facts: { route, spent, delivery } }: Pick<Execution, 'facts'>): boolean =>
  spent !== undefined && delivery === undefined && route !== undefined && mintGasOf(route.provider) > 0n

/** A mint in a relayer's transaction, alongside orders. It needs no signature and no contract of ours. */
type Mint = {
  kind: 'MINT'
  /** Derived from the bytes: a renewed attestation is a different mint. */
  id: Hash
  chainId: ChainId
  /** Route of the money. It determines the relayer. */
  routeId: Hash
  target: Address
  data: Hex
  nativeFee: '0'
  gasLimit: string
  /** Seconds since 1970, by the destination chain's clock. After it, a mint that no block included is given up. */
  deadline: number
  sender?: string
}

/**
 * Returns the state of an attested mint: the earlier state with the current call. `id` remains the id of the last
 * sent call. Whether the destination refuses the current call is tested again.
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

/** Whether the destination has refused the call since it was last sent, or at all if it was never sent. */
export const isRefused = ({ refusedAt, transactions }: Minting): boolean =>
  refusedAt !== undefined && refusedAt > (transactions.at(-1)?.at ?? 0)

/** Content of a relayer's transaction. */
export type Sendable = Order | Mint

export const isMint = (sendable: Sendable): sendable is Mint => sendable.kind === 'MINT'

/** Margin on the gas estimate, in basis points: a rollup's gas for the bytes can rise before the mint is mined. */
const gasMarginBps = 15_000n

/** Lifetime of a mint. During it, the same bytes are not sent in a second transaction. */
const lifeSeconds = 1_800

export const mintIdOf = ({ data }: Pick<AttestedMint, 'data'>): Hash => keccak256(data)

/** @param gas Estimated gas of the mint. */
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
