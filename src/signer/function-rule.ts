import type { AbiParameter } from 'viem'
import { type DecodeAbiParametersReturnType, decodeAbiParameters, encodeAbiParameters } from 'viem/utils'
import { BoundedMap } from '../domain/bounded-map'
import type { ChainId } from '../domain/chain/chain'
import type { Address, Hex } from '../domain/chain/hex'

/** What a call must do. It is derived from the intent and the fees, never from the route. */
export type Demand = {
  account: Address
  fromChainId: ChainId
  token: Address
  amount: bigint
  toChainId: ChainId
  tokenOut: Address
  recipient: Address
  minOut: bigint
  /** The native coin of the relayer that is sent with the call, in wei. */
  nativeFee: bigint
  /** The latest time of the call, in seconds since 1970. */
  time: number
}

/**
 * Reads the calldata of one function.
 *
 * @returns how it differs from the demand, or null.
 */
export type Reader = (data: Hex, demand: Demand) => string | null

/** A function that may be called, its reader here, and the guard contract that reads it on chain. */
export type FunctionRule = {
  kind: 'SWAP' | 'BRIDGE'
  selector: Hex
  guard: GuardName
  objection: Reader
  /** How much native coin may come back at once, in wei: some bridges use fewer decimals. */
  nativeDustWei?: bigint
}

export type RouteRule = FunctionRule & { target: Address }

export type GuardName =
  | 'LifiAcrossGuard'
  | 'LifiStargateGuard'
  | 'LifiPolymerGuard'
  | 'LifiSwapGuard'
  | 'RelayDepositGuard'
  | 'CctpBurnGuard'

/**
 * The limits on calldata for all readers. `contracts/src/guards/Limits.sol` states the same on chain, and
 * `test/signer/limits.test.ts` compares the two.
 */
export const limits = {
  /** The largest fee before an amount is bridged, in basis points. LI.FI takes 25. */
  feeBpsMax: 100,
  /** How long an Across deposit may wait to be filled, in seconds. Across itself allows six hours. */
  fillWindowMax: 86_400,
  /** How long one relayer may hold the exclusive right to fill, in seconds. */
  exclusivityMax: 900,
  /** How long an order with Relay and its refunds may stay open, in seconds. Relay itself uses seven days. */
  relayWindowMax: 864_000,
  /** How many refunds an order with Relay may name. */
  relayRefundsMax: 4,
} as const

/**
 * Quote, draft and signature read the same call, and each reading encodes it anew. What is read depends on nothing but
 * the bytes, all of which are in the key.
 */
const readsMax = 200
/** Far longer than any route of use. A provider that sends more costs the time of a reading, and no memory. */
const rememberedCharactersMax = 40_000
const reads = new WeakMap<readonly AbiParameter[], BoundedMap<Hex, readonly unknown[] | null>>()

/**
 * Decodes the arguments of a call, or returns null when they are not in canonical encoding: a contract might read data
 * in another order or from another place differently.
 */
export function decodeStrictly<const Parameters extends readonly AbiParameter[]>(
  parameters: Parameters,
  data: Hex,
): DecodeAbiParametersReturnType<Parameters> | null {
  const known = reads.get(parameters) ?? new BoundedMap(readsMax)
  reads.set(parameters, known)
  const read = known.get(data)
  const decoded = read === undefined ? decodedOf(parameters, `0x${data.slice(10)}`) : read
  if (read === undefined && data.length <= rememberedCharactersMax) known.set(data, decoded)
  return decoded as DecodeAbiParametersReturnType<Parameters> | null
}

function decodedOf(parameters: readonly AbiParameter[], encoded: Hex): readonly unknown[] | null {
  const decoded = decodeAbiParameters(parameters, encoded)
  return encodeAbiParameters(parameters, decoded) === encoded ? decoded : null
}

export const unusual = 'is encoded in an unusual way'
