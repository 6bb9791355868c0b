import type { Address, Hex } from 'viem'
import type { ChainId } from '../../domain/chain/chain'
import type { PricedToken } from '../chains/tokens'
export type QuoteRequest = {
  fromChain: ChainId
  toChain: ChainId
  fromToken: PricedToken
  toToken: PricedToken
  fromAddress: Address
  toAddress: Address
  amount: bigint
  slippage: number
  integrator: string
  /** The bridges that the request allows; empty for a swap on one chain. */
  bridges: readonly LifiBridge[]
}

export type LifiBridge = {
  key: string
  name: string
  /** The bridge's fee in native coin, in addition to the amount. */
  nativeFeeWei: bigint
  carries(from: PricedToken, to: PricedToken): boolean
  /** Returns the output, and the calldata that bridges for it. */
  offer(request: QuoteRequest, transactionId: Hex, costs: Costs): { output: bigint; data: Hex }
}

/** `net` is the amount less LI.FI's fee, `minimum` the guaranteed output of the quote. */
export type Costs = { net: bigint; fee: bigint; output: bigint; minimum: bigint; now: number; deadline: number }
