const decimal = /^(0|[1-9][0-9]{0,77})$/
/** The largest amount that a token can have. */
export const amountMax = 2n ** 256n - 1n

/**
 * Parses an amount in atomic units as it crosses a boundary: decimal digits and nothing else. Returns null for anything
 * else.
 */
export function parseAmount(text: unknown): bigint | null {
  if (typeof text !== 'string' || !decimal.test(text)) return null
  const amount = BigInt(text)
  return amount <= amountMax ? amount : null
}

/** No token has a supply this large: the largest that are traded are below a hundred-thousandth of it. */
export const amountOfNoToken = 2n ** 128n

/**
 * Parses an amount that we stored ourselves.
 *
 * @throws {TypeError} when it is malformed, which is a bug.
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
