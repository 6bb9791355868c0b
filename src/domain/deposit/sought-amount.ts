import type { Token } from '../money/token'

type Named = Pick<Token, 'symbol' | 'decimals'>
const form = /^(\d{1,30}(?:[.,]\d{1,18})*)(?:\s+(\S{1,32}))?$/

/** An amount as a person says it, in the atomic units of every token that it could be of. `symbol` is null for any. */
type SoughtAmount = { amountsRaw: string[]; symbol: string | null }

/**
 * Reads `500`, `25.5`, `1,500` or `500 USDC` as an amount. A comma is read as a decimal sign and as a separator of
 * thousands. Returns null for any other text, and if no token can have the amount.
 */
export function soughtAmount(text: string, tokens: readonly Named[]): SoughtAmount | null {
  const [, digits, name] = form.exec(text.trim()) ?? []
  if (digits === undefined) return null
  const named = name === undefined ? tokens : tokens.filter((one) => one.symbol.toLowerCase() === name.toLowerCase())
  const decimals = [...new Set(named.map((one) => one.decimals))]
  const amounts = decimals.flatMap((each) => readings(digits).flatMap((reading) => rawOf(reading, each)))
  if (amounts.length === 0) return null
  return { amountsRaw: [...new Set(amounts)], symbol: name === undefined ? null : named[0]!.symbol }
}

/** Returns the numbers that a text can mean, with a point as decimal sign. */
function readings(digits: string): string[] {
  const asDecimal = digits.replace(',', '.')
  const isGrouped = /^\d{1,3}(,\d{3})+(\.\d+)?$/.test(digits)
  return [...(/^\d+(\.\d+)?$/.test(asDecimal) ? [asDecimal] : []), ...(isGrouped ? [digits.replaceAll(',', '')] : [])]
}

function rawOf(number: string, decimals: number): string[] {
  const [whole = '', part = ''] = number.split('.')
  if (part.length > decimals) return []
  const raw = BigInt(whole + part.padEnd(decimals, '0'))
  return raw > 0n ? [String(raw)] : []
}
