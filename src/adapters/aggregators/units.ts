const price = /^(\d{1,12})(?:\.(\d{1,40}))?$/

/** A price in USD as decimal text, with 8 decimals; what is finer is cut off. Null when it is no price. */
export function parseUsd(text: unknown): bigint | null {
  const [, whole, fraction = ''] = (typeof text === 'string' && price.exec(text)) || []
  if (whole === undefined) return null
  const usd = BigInt(whole + fraction.slice(0, 8).padEnd(8, '0'))
  return usd > 0n ? usd : null
}
