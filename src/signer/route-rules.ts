import { toFunctionSelector } from 'viem/utils'
import type { Address, Hex } from '../domain/hex'
import { bridgeFacet } from './bridge-calldata'
import { swapFacet } from './swap-calldata'

/** What a call must do: derived from the intent and the fees, never from the route. */
export type Demand = {
  token: Address
  amount: bigint
  toChainId: number
  tokenOut: Address
  recipient: Address
  minOut: bigint
}

/** Reads the calldata of one function. @returns what it does otherwise than demanded, or null. */
export type Reader = (data: Hex, demand: Demand) => string | null

export type RouteRule = { kind: 'SWAP' | 'BRIDGE'; target: Address; selector: Hex; objection: Reader }

/** LI.FI's Diamond has one address on all five chains. */
export const lifiDiamond: Address = '0x1231DEB6f5749EF6cE6943a275A1D3E7486F4EaE'

const swapArguments = '(bytes32,string,string,address,uint256,(address,address,address,address,uint256,bytes,bool)[])'
const swaps = [
  'swapTokensGeneric',
  'swapTokensMultipleV3ERC20ToERC20',
  'swapTokensMultipleV3ERC20ToNative',
  'swapTokensMultipleV3NativeToERC20',
]

/**
 * What may be called; anything else is refused. The executor has rules of its own on chain, and both must agree. A
 * facet belongs here only when all that decides where the money goes is read: one with a receiver of its own beside
 * the common one, or with packed arguments, needs its own reader.
 */
export const lifiRules = (target: Address = lifiDiamond): RouteRule[] => [
  { kind: 'BRIDGE', target, ...bridgeFacet },
  ...swaps.map((name) => ({
    kind: 'SWAP' as const,
    target,
    selector: toFunctionSelector(`${name}${swapArguments}`),
    objection: swapFacet,
  })),
]
