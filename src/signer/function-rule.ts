import type { AbiParameter } from 'viem'
import { type DecodeAbiParametersReturnType, decodeAbiParameters, encodeAbiParameters } from 'viem/utils'
import { BoundedMap } from '../domain/bounded-map'
import type { ChainId } from '../domain/chain/chain'
import type { Address, Hex } from '../domain/chain/hex'

/** The required effect of a call. It is derived from the intent and the fees, never from the route. */
export type Demand = {
  account: Address
  fromChainId: ChainId
  token: Address
  amount: bigint
  toChainId: ChainId
  tokenOut: Address
  recipient: Address
  minOut: bigint
  /** The relayer's native coin that is sent with the call, in wei. */
  nativeFee: bigint
  /** The latest time of the call, in seconds since 1970. */
  time: number
}

/**
 * Reads the calldata of one function.
 *
 * @returns How it differs from the demand, or null.
 */
export type Reader = (data: Hex, demand: Demand) => string | null

/** A function that may be called, its reader here, and the guard contract that reads it on chain. */
export type FunctionRule = {
  kind: 'SWAP' | 'BRIDGE'
  selector: Hex
  guard: GuardName
  objection: Reader
  /** Native coin that may come back immediately, in wei: some bridges use fewer decimals. */
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
  /** Largest fee before an amount is bridged, in basis points. LI.FI takes 25. */
  feeBpsMax: 100,
  /** Longest time an Across deposit may wait to be filled, in seconds. Across itself allows six hours. */
  fillWindowMax: 86_400,
  /** Longest time one relayer may hold the exclusive right to fill, in seconds. */
  exclusivityMax: 900,
  /** Longest time an order with Relay and its refunds may stay open, in seconds. Relay itself uses seven days. */
  relayWindowMax: 864_000,
  /** Number of refunds that an order with Relay may name. */
  relayRefundsMax: 4,
} as const

/** Number of cached results: quote, draft and signature decode the same call. The result depends only on the bytes. */
const readsMax = 200
/** Longer calls are decoded each time, to limit memory. Useful routes are far shorter. */
const rememberedCharactersMax = 40_000
const reads = new WeakMap<readonly AbiParameter[], BoundedMap<Hex, readonly unknown[] | null>>()

/**
 * Decodes the arguments of a call. Returns null if their encoding is not canonical: a contract might read such data
 * differently.
 */
export function decodeStrictly<const Parameters extends readonly AbiParameter[]>(
  parameters: Parameters,
  data: Hex,
): DecodeAbiParametersReturnType<Parameters> | null {
  const cached = reads.get(parameters) ?? new BoundedMap(readsMax)
  reads.set(parameters, cached)
  const read = cached.get(data)
  const decoded = read === undefined ? decodedOf(parameters, `0x${data.slice(10)}`) : read
  if (read === undefined && data.length <= rememberedCharactersMax) cached.set(data, decoded)
  return decoded as DecodeAbiParametersReturnType<Parameters> | null
}

function decodedOf(parameters: readonly AbiParameter[], encoded: Hex): readonly unknown[] | null {
  const decoded = decodeAbiParameters(parameters, encoded)
  return encodeAbiParameters(parameters, decoded) === encoded ? decoded : null
}

/**
 * How a call is that the rules cannot read. Unlike a call that differs from the demand, another release or other
 * settings might read it. A signer sends these texts to workers of other releases, so they never change.
 */
export const unusual = 'is encoded in an unusual way'
export const unlisted = 'is not on the allow-list'
export const undecodable = 'cannot be decoded'
export const orderless = 'does not contain its order'
/** The order is rebuilt with the solver that the settings name. */
export const otherOrder = 'has another order than the intent'
export const unknownFinality = 'is attested at an unknown finality'
export const unreadable: readonly string[] = [unusual, unlisted, undecodable, orderless, otherOrder, unknownFinality]
