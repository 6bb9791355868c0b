/**
 * Parses an amount that a person typed, to atomic units. Returns null if it is not a positive amount, or finer than the
 * token.
 */
export function typedAmount(text: string, decimals: number): bigint | null {
  const [, whole, part = ''] = /^(\d{1,30})(?:\.(\d{1,18}))?$/.exec(text) ?? []
  if (whole === undefined || part.length > decimals) return null
  const raw = BigInt(whole + part.padEnd(decimals, '0'))
  return raw > 0n ? raw : null
}

const figuresMax = 3

/** Rounds an estimate in atomic units to three significant digits. */
export function roughly(raw: bigint): bigint {
  const unit = 10n ** BigInt(Math.max(raw.toString().length - figuresMax, 0))
  return ((raw + unit / 2n) / unit) * unit
}
