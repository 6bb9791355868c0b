const price = /^(\d{1,12})(?:\.(\d{1,40}))?$/

/** Parses a USD price from decimal text to 8 decimals, rounding down. Returns null if the text is not a price. */
export function parseUsd(text: unknown): bigint | null {
  const [, whole, fraction = ''] = (typeof text === 'string' && price.exec(text)) || []
  if (whole === undefined) return null
  const usd = BigInt(whole + fraction.slice(0, 8).padEnd(8, '0'))
  return usd > 0n ? usd : null
}
