import { parseAmount } from '../../domain/money/amount'

const hexadecimal = /^0x[0-9a-fA-F]{1,64}$/

/** An amount as providers write it, decimal or hexadecimal. Null for anything else: a number has lost digits. */
export function parseUnits(text: unknown): bigint | null {
  if (typeof text === 'string' && hexadecimal.test(text)) return BigInt(text)
  return parseAmount(text)
}
