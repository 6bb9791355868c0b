import type { ChainId } from '../domain/chain/chain'
import type { Address, Hex } from '../domain/chain/hex'
import { acrossV4 } from './across-v4-facet'
import { type BridgeFacet, bridgeRules } from './bridge-facet'
import { polymerCctp } from './polymer-cctp-facet'
import { stargateV2 } from './stargate-v2-facet'
import { swapRules } from './swap-facet'

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

/** LI.FI's Diamond has one address on all five chains. */
export const lifiDiamond: Address = '0x1231DEB6f5749EF6cE6943a275A1D3E7486F4EaE'

/**
 * The list of bridges. A facet belongs here only when its calldata contain everything that decides where the money
 * goes: every receiver, the chain, the token, the minimum output, and the recipient of a refund.
 */
const facets: readonly BridgeFacet[] = [acrossV4, stargateV2, polymerCctp]

/** The bridges that LI.FI may use, by its names: those whose calldata can be read. */
export const lifiBridges: readonly string[] = facets.flatMap(({ tools }) => tools)

/**
 * The calls that are allowed; any other is refused. The executor enforces its own rules on chain, with guards that
 * check the same, and both must agree.
 */
export const lifiRules = (target: Address = lifiDiamond): RouteRule[] =>
  [...facets.flatMap(bridgeRules), ...swapRules].map((rule) => ({ ...rule, target }))
