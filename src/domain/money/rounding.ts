import { amountOf } from './amount'

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

type Measured = { deposit: { amountRaw: string }; facts: { balance?: { totalReceivedRaw: string } } }

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
  if (leftRaw >= saidRaw) return leftRaw
  if (saidRaw - leftRaw > roundedRaw) return null
  const leastRaw = saidRaw - roundingOf(saidRaw)
  return leftRaw > leastRaw ? leftRaw : leastRaw
}
