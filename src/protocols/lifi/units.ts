import { parseAmount } from '../../domain/money/amount'

const hexadecimal = /^0x[0-9a-fA-F]{1,64}$/

/**
 * Parses an amount in decimal or hexadecimal, as providers write it. Anything else is null: a JSON number may have lost
 * digits.
 */
export function parseUnits(text: unknown): bigint | null {
  if (typeof text === 'string' && hexadecimal.test(text)) return BigInt(text)
  return parseAmount(text)
}
