import { formatUnits, parseUnits } from 'viem'
import { Failure } from './failure'

const decimal = /^(0|[1-9][0-9]*)(\.[0-9]+)?$/
const digitsMax = 60
/** The largest amount of an ERC-20, which has 256 bits. */
const atomicMax = 2n ** 256n - 1n

/**
 * Parses an amount in token units: `12.5` of a token with 6 decimals is 12500000. It never rounds; an amount with more
 * decimals than the token has is refused.
 *
 * @throws {Failure} for anything that is not a plain positive decimal number.
 */
export function parseHumanAmount(text: string, decimals: number): bigint {
  const fraction = decimal.exec(text)?.[2] ?? ''
  if (!decimal.test(text) || text.length > digitsMax)
    throw new Failure('The amount must be a plain decimal number, such as 25 or 0.5.')
  if (fraction.length - 1 > decimals) throw new Failure(`The amount has too many decimals: this token has ${decimals}.`)
  const amount = parseUnits(text, decimals)
  if (amount === 0n) throw new Failure('The amount must be more than zero.')
  if (amount > atomicMax) {
    const most = formatUnits(atomicMax, decimals).slice(0, 6)
    throw new Failure(
      `The amount is too large: this token has ${decimals} decimals, so ${most} is the most it can hold.`,
    )
  }
  return amount
}

export const humanAmount = (amount: bigint, decimals: number): string => formatUnits(amount, decimals)
