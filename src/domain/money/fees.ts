/** Fee bounds (interface 8). */
const protocolFeeBpsMax = 1_000

type DepositToSplit = { totalReceivedRaw: bigint; protocolFeeBps: number; gasFeeRaw: bigint }
export type FeeSplit = {
  protocolFeeRaw: bigint
  protocolFeeEffective: bigint
  protocolFeeForgiven: bigint
  gasFeeRaw: bigint
  amountForSwapRaw: bigint
}

/** Why gas was not charged (decision 14). */
export const gasFeeSkipReasons = ['NONE', 'SPONSORED', 'ESTIMATION_FAILED'] as const
export type GasFeeSkipReason = (typeof gasFeeSkipReasons)[number]

/**
 * Splits a deposit into gas fee, protocol fee and amount to swap. Gas first; what the fee cannot take is forgiven
 * (interface 7.4).
 * Amounts are atomic units of the deposit token. Division rounds down, in favour of the depositor.
 *
 * @param totalReceivedRaw Confirmed on-chain balance, never the amount in the webhook.
 * @returns The split. `amountForSwapRaw` <= 0 means FAILED_INSUFFICIENT_AFTER_FEES; the caller decides.
 * @throws {RangeError} when `protocolFeeBps` is not a whole number of 0 to 1000: it was checked where it came in.
 */
export function splitDeposit({ totalReceivedRaw, protocolFeeBps, gasFeeRaw }: DepositToSplit): FeeSplit {
  if (!Number.isInteger(protocolFeeBps) || protocolFeeBps < 0 || protocolFeeBps > protocolFeeBpsMax)
    throw new RangeError('A protocol fee is not within 0 to 1000 bps')
  const protocolFeeRaw = (totalReceivedRaw * BigInt(protocolFeeBps)) / 10_000n
  const leftAfterGas = totalReceivedRaw > gasFeeRaw ? totalReceivedRaw - gasFeeRaw : 0n
  const protocolFeeEffective = protocolFeeRaw < leftAfterGas ? protocolFeeRaw : leftAfterGas
  const protocolFeeForgiven = protocolFeeRaw - protocolFeeEffective
  const amountForSwapRaw = totalReceivedRaw - protocolFeeEffective - gasFeeRaw
  return { protocolFeeRaw, protocolFeeEffective, protocolFeeForgiven, gasFeeRaw, amountForSwapRaw }
}

type GasCost = {
  /** Gas, L1 data fee and the bridge's own native fee: everything the relayer pays, in wei. */
  costWei: bigint
  /** USD with 8 decimals, for one whole native coin and one whole token. */
  nativeUsd: bigint
  tokenUsd: bigint
  tokenDecimals: number
}

/** 20 %, in basis points of the cost (interface 8). */
const gasBufferBps = 12_000n

/** What is charged for it in the coin itself, rounded up. */
export const bufferedWei = (costWei: bigint): bigint => (costWei * gasBufferBps + 9_999n) / 10_000n

/**
 * What gas costs, in atomic units of the deposit token, the buffer included (interface 7.4). Rounds up: the
 * platform advances it.
 *
 * @throws {RangeError} when a price is not positive: it was checked where it came in.
 */
export function gasFeeOf({ costWei, nativeUsd, tokenUsd, tokenDecimals }: GasCost): bigint {
  if (nativeUsd <= 0n || tokenUsd <= 0n) throw new RangeError('A price is not positive')
  const numerator = costWei * nativeUsd * 10n ** BigInt(tokenDecimals) * gasBufferBps
  const denominator = 10n ** 18n * tokenUsd * 10_000n
  return (numerator + denominator - 1n) / denominator
}
