import { typedAmount } from '../../../domain/money/amount'
import type { SimulationView } from '../../../http/views/simulation'
import type { Token } from './tokens'

/** A target that overrides the stored intent. Absent fields keep the stored values. */
export type OtherTarget = { chainId: string | null; token: string | null; recipient: string }
export type SimulatedDeposit = { user: string; token: Token; amountInAtomic: string; target: OtherTarget }

export type Simulated = typeof SimulationView.infer

/** Parses a typed amount: `12.5` of a token with 6 decimals is `12500000`; null for invalid or ambiguous text. */
export const atomicOf = (text: string, decimals: number): string | null =>
  typedAmount(text.trim(), decimals)?.toString() ?? null

/** The protocol fee is the part that is neither gas nor routed. */
export function partsOf({ amountInAtomic, gasFeeRaw, amountForSwapAtomic, gasFeeSkipReason }: Simulated) {
  const fee = BigInt(amountInAtomic) - BigInt(gasFeeRaw) - BigInt(amountForSwapAtomic)
  return {
    totalReceivedRaw: amountInAtomic,
    gasFeeRaw,
    protocolFeeEffective: String(fee > 0n ? fee : 0n),
    protocolFeeForgiven: '0',
    amountForSwapRaw: amountForSwapAtomic,
    gasFeeSkipReason,
  }
}
