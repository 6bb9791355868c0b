const decimal = /^(0|[1-9][0-9]{0,77})$/
/** The most that a token can have. */
export const amountMax = 2n ** 256n - 1n

/** An amount in atomic units as it crosses a boundary: decimal digits and nothing else. Null for anything else. */
export function parseAmount(text: unknown): bigint | null {
  if (typeof text !== 'string' || !decimal.test(text)) return null
  const amount = BigInt(text)
  return amount <= amountMax ? amount : null
}

/** No token has as much: the largest supplies that are traded are below a hundred-thousandth of it. */
export const amountOfNoToken = 2n ** 128n

/** The same for what we stored ourselves: a malformed amount is a bug. */
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
