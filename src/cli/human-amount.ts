import { formatUnits, parseUnits } from 'viem'
import { Failure } from './failure'

const decimal = /^(0|[1-9][0-9]*)(\.[0-9]+)?$/
const digitsMax = 60

/**
 * `12.5` of a token with 6 decimals is 12500000. Nothing is rounded: what the token cannot hold is refused.
 *
 * @throws {Failure} for anything that is not a plain positive decimal number.
 */
export function parseHumanAmount(text: string, decimals: number): bigint {
  const fraction = decimal.exec(text)?.[2] ?? ''
  if (!decimal.test(text) || text.length > digitsMax)
    throw new Failure('The amount must be a plain decimal number, such as 25 or 0.5.')
  if (fraction.length - 1 > decimals) throw new Failure(`This token has ${decimals} decimals: the amount has too many.`)
  const amount = parseUnits(text, decimals)
  if (amount === 0n) throw new Failure('The amount must be more than nothing.')
  return amount
}

export const humanAmount = (amount: bigint, decimals: number): string => formatUnits(amount, decimals)
