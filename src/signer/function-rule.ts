import type { ChainId } from '../domain/chain/chain'
import type { Address, Hex } from '../domain/chain/hex'

/** What a call must do: derived from the intent and the fees, never from the route. */
export type Demand = {
  account: Address
  fromChainId: ChainId
  token: Address
  amount: bigint
  toChainId: ChainId
  tokenOut: Address
  recipient: Address
  minOut: bigint
  /** The relayer's coin that is sent on top, in wei. */
  nativeFee: bigint
  /** When the call is made at the latest, in seconds since 1970. */
  time: number
}

/** Reads the calldata of one function. @returns what it does otherwise than demanded, or null. */
export type Reader = (data: Hex, demand: Demand) => string | null

/** A function that may be called, who reads its calldata here, and the contract that reads it on chain. */
export type FunctionRule = {
  kind: 'SWAP' | 'BRIDGE'
  selector: Hex
  guard: GuardName
  objection: Reader
  /** What of the native coin may come back at once, in wei: some bridges count in fewer decimals. */
  nativeDustWei?: bigint
}

export type RouteRule = FunctionRule & { target: Address }

export type GuardName =
  | 'LifiAcrossGuard'
  | 'LifiStargateGuard'
  | 'LifiPolymerGuard'
  | 'LifiSwapGuard'
  | 'RelayDepositGuard'
