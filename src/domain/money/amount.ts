const decimal = /^(0|[1-9][0-9]{0,77})$/
/** Largest amount of any token. */
export const amountMax = 2n ** 256n - 1n

/** Parses an amount in atomic units from outside: decimal digits only. Returns null for any other value. */
export function parseAmount(text: unknown): bigint | null {
  if (typeof text !== 'string' || !decimal.test(text)) return null
  const amount = BigInt(text)
  return amount <= amountMax ? amount : null
}

/** Larger than any token's supply: the largest that are traded are below a hundred-thousandth of it. */
export const amountOfNoToken = 2n ** 128n

/**
 * Parses an amount that we stored ourselves.
 *
 * @throws {TypeError} if it is malformed, which is a bug.
 */
export function amountOf(text: string): bigint {
  const amount = parseAmount(text)
  if (amount === null) throw new TypeError('A stored amount is malformed')
  return amount
}

export const sumOf = (amounts: Iterable<bigint>): bigint => {
  let sum = 0n
  for (const amount of amounts) sum += amount
  return sum
}

/** Returns a value in USD, given in units of its last decimal, as text with all its decimals. */
export function usdText(value: bigint, decimals: number): string {
  const unit = 10n ** BigInt(decimals)
  return `${value / unit}.${String(value % unit).padStart(decimals, '0')}`
}
