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

/**
 * Most atomic units that count as rounding. Tokens that count shares (stETH, aTokens) round each balance down. An
 * account then holds a unit or two less than the log of a transfer shows.
 */
const unitsMax = 10n
/** Rounding is at most this part of a deposit. Otherwise a token with few decimals could lose an amount of value. */
const smallestPart = 1_000_000n

/** Returns the most that rounding can take from an amount, in atomic units. */
export function roundingOf(amountRaw: bigint): bigint {
  const part = amountRaw / smallestPart
  return part < unitsMax ? part : unitsMax
}

export type Measured = { deposit: { amountRaw: string }; facts: { balance?: { totalReceivedRaw: string } } }

/**
 * Returns the amount that a deposit brought, in atomic units: its logged amount, or slightly less after rounding once
 * its balance is verified. Any excess is leftover balance of other deposits.
 */
export function arrivedRawOf({ deposit, facts: { balance } }: Measured): bigint {
  const saidRaw = amountOf(deposit.amountRaw)
  const heldRaw = balance ? amountOf(balance.totalReceivedRaw) : saidRaw
  return heldRaw < saidRaw ? heldRaw : saidRaw
}

/**
 * Returns the part of a balance that belongs to one deposit, in atomic units. Returns null while more is missing than
 * rounding explains. If several deposits share an account, no single deposit bears the rounding of the others.
 *
 * @param heldRaw The part of the balance that the records explain.
 * @param othersRaw Amounts of the account's other deposits that are still there.
 */
export function shareOf(heldRaw: bigint, saidRaw: bigint, othersRaw: readonly bigint[]): bigint | null {
  let leftRaw = heldRaw
  let roundedRaw = roundingOf(saidRaw)
  for (const otherRaw of othersRaw) {
    leftRaw -= otherRaw
    roundedRaw += roundingOf(otherRaw)
  }
  if (saidRaw - leftRaw > roundedRaw) return null
  const leastRaw = saidRaw - roundingOf(saidRaw)
  return leftRaw > leastRaw ? leftRaw : leastRaw
}

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
