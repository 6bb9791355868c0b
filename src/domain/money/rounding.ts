import { amountOf } from './amount'

/**
 * Tokens that count shares (stETH, aTokens) round each balance down, so an account holds a unit or two less than the
 * log of a transfer says. Up to this many units are rounding.
 */
const unitsMax = 10n
/** Rounding is never more than this part of a deposit, so that no token with few decimals loses an amount of worth. */
const smallestPart = 1_000_000n

/** Returns how much of an amount rounding may take, in atomic units. */
export function roundingOf(amountRaw: bigint): bigint {
  const part = amountRaw / smallestPart
  return part < unitsMax ? part : unitsMax
}

type Measured = { deposit: { amountRaw: string }; facts: { balance?: { totalReceivedRaw: string } } }

/**
 * Returns what a deposit brought, in atomic units: what its transfer says, or the little less that rounding left of it,
 * once its balance is verified. More than the transfer says is residue of other deposits, which brought it.
 */
export function arrivedRawOf({ deposit, facts: { balance } }: Measured): bigint {
  const saidRaw = amountOf(deposit.amountRaw)
  const heldRaw = balance ? amountOf(balance.totalReceivedRaw) : saidRaw
  return heldRaw < saidRaw ? heldRaw : saidRaw
}

/**
 * Returns what of a balance belongs to one deposit, in atomic units; null while it is short of more than rounding
 * takes. Where several deposits lie in one account, no single one bears what rounding took of the others.
 *
 * @param heldRaw What the records explain of the balance.
 * @param othersRaw What the account's other deposits that are there brought.
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
