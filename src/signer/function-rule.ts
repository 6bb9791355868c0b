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
