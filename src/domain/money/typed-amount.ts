/**
 * Parses an amount that a person typed, to atomic units. The decimal sign is a point or a comma. Returns null if it is
 * not a positive amount, finer than the token, or ambiguous: `1,500` is one and a half to some, and fifteen hundred to
 * others.
 */
export function typedAmount(text: string, decimals: number): bigint | null {
  const [, whole, part = ''] = /^(\d{1,30})(?:[.,](\d{1,18}))?$/.exec(text) ?? []
  if (whole === undefined || part.length > decimals || isAmbiguous(text)) return null
  const raw = BigInt(whole + part.padEnd(decimals, '0'))
  return raw > 0n ? raw : null
}

/** Whether the comma could separate thousands. After a leading zero it cannot. */
const isAmbiguous = (text: string): boolean => /^[1-9]\d{0,2},\d{3}$/.test(text)

/** Rounds an estimate in atomic units to some significant digits. */
export function roughly(raw: bigint, digits = 3): bigint {
  const unit = 10n ** BigInt(Math.max(raw.toString().length - digits, 0))
  return ((raw + unit / 2n) / unit) * unit
}
