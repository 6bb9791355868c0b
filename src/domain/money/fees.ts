/** Highest protocol fee, in basis points (interface 8). */
const protocolFeeBpsMax = 1_000

type DepositToSplit = { totalReceivedRaw: bigint; protocolFeeBps: number; gasFeeRaw: bigint }

export type FeeSplit = {
  protocolFeeRaw: bigint
  protocolFeeEffective: bigint
  protocolFeeForgiven: bigint
  gasFeeRaw: bigint
  amountForSwapRaw: bigint
}

/** Why no gas fee was charged (decision 14). */
export const gasFeeSkipReasons = ['NONE', 'SPONSORED', 'ESTIMATION_FAILED'] as const

/** Fees of an execution, in atomic units of its deposit. */
export type Fees = {
  totalReceivedRaw: string
  protocolFeeRaw: string
  protocolFeeEffective: string
  protocolFeeForgiven: string
  gasFeeRaw: string
  amountForSwapRaw: string
  gasFeeSkipReason: (typeof gasFeeSkipReasons)[number]
}

/**
 * Splits a deposit into gas fee, protocol fee and the amount to swap (interface 7.4). Gas is taken first, and any part
 * of the protocol fee that no longer fits is forgiven. Amounts are atomic units of the deposit's token. The protocol
 * fee is rounded down, in favour of the depositor.
 *
 * @param totalReceivedRaw The confirmed balance on chain, never the amount in a webhook.
 * @returns The split. If `amountForSwapRaw` is 0 or less, the caller ends the execution as
 * FAILED_INSUFFICIENT_AFTER_FEES.
 * @throws {RangeError} if `protocolFeeBps` is not an integer from 0 to 1000. It was checked at the boundary.
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
  /** Everything that the relayer pays, in wei: gas, the L1 data fee and the bridge's native fee. */
  costWei: bigint
  /** Price of one whole native coin and of one whole token, in USD with 8 decimals. */
  nativeUsd: bigint
  tokenUsd: bigint
  tokenDecimals: number
}

/** The cost and a buffer of 20 %, in basis points of the cost (interface 8). */
const gasBufferBps = 12_000n

/** Returns the cost with its buffer, in wei, rounded up. */
export const bufferedWei = (costWei: bigint): bigint => (costWei * gasBufferBps + 9_999n) / 10_000n

/**
 * Returns the gas fee with its buffer, in atomic units of the deposit's token (interface 7.4). It is rounded up,
 * because the platform advances the gas.
 *
 * @throws {RangeError} if a price is not positive. It was checked at the boundary.
 */
export function gasFeeOf({ costWei, nativeUsd, tokenUsd, tokenDecimals }: GasCost): bigint {
  if (nativeUsd <= 0n || tokenUsd <= 0n) throw new RangeError('A price is not positive')
  const numerator = costWei * nativeUsd * 10n ** BigInt(tokenDecimals) * gasBufferBps
  const denominator = 10n ** 18n * tokenUsd * 10_000n
  return (numerator + denominator - 1n) / denominator
}

/** Whether a fee covers the measured cost without its buffer. The platform then pays nothing. */
export const coversCost = (feeRaw: bigint, measuredRaw: bigint): boolean =>
  feeRaw * gasBufferBps >= measuredRaw * 10_000n

/** Lowest accepted second estimate, in basis points of the first. */
const agreedBps = 8_000n

/**
 * Decides about a deposit that a node's estimate of gas would end. It ends only if a second node's estimate ends it,
 * too. It goes on with the second estimate if that is at most 20 % lower: between two blocks, gas varies, and the fee's
 * buffer covers the difference. Otherwise one of the nodes is wrong, and the deposit waits: one node must neither end
 * deposits nor have the platform pay for them.
 */
export function endByGas(first: bigint, second: { figure: bigint; ends: boolean }): 'ENDS' | 'GOES_ON' | 'WAITS' {
  if (second.ends) return 'ENDS'
  return second.figure * 10_000n >= first * agreedBps ? 'GOES_ON' : 'WAITS'
}
