const atomicForm = /^(0|-?[1-9][0-9]{0,77})$/
const decimalForm = /^(0|[1-9][0-9]*)(?:\.([0-9]+))?$/

/**
 * Parses an amount of the API into a number for calculations.
 *
 * @param text A whole number of atomic units, such as `"25000000"` for 25 USDC.
 * @throws RangeError if it is anything else. A minus is the only sign allowed; no point, exponent, leading zero or
 * space.
 */
export function parseAmount(text: string): bigint {
  if (!atomicForm.test(text)) throw new RangeError('An amount must be a whole number of atomic units, as a string')
  return BigInt(text)
}

/**
 * Formats an amount in whole units for display: `25500000` with 6 decimals is `"25.5"`. It never rounds.
 *
 * @param amount In atomic units, as a bigint or as the API writes it.
 * @param decimals The token's decimals, 0 to 255.
 */
export function formatUnits(amount: bigint | string, decimals: number): string {
  assureDecimals(decimals)
  const raw = typeof amount === 'string' ? parseAmount(amount) : amount
  const digits = (raw < 0n ? -raw : raw).toString().padStart(decimals + 1, '0')
  const [whole, rest] = [digits.slice(0, digits.length - decimals), digits.slice(digits.length - decimals)]
  const fraction = rest.replace(/0+$/, '')
  return `${raw < 0n ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`
}

/**
 * Parses a typed amount into atomic units: `"25.5"` with 6 decimals is `25500000n`.
 *
 * @throws RangeError if it is not a plain positive decimal number or has more decimals than the token. It never rounds.
 */
export function parseUnits(text: string, decimals: number): bigint {
  assureDecimals(decimals)
  const [, whole, fraction = ''] = decimalForm.exec(text) ?? []
  if (whole === undefined) throw new RangeError('Write the amount as a decimal number, such as 25.5')
  if (fraction.length > decimals) throw new RangeError(`This token has at most ${decimals} decimals`)
  return BigInt(whole + fraction.padEnd(decimals, '0'))
}

function assureDecimals(decimals: number): void {
  if (!Number.isInteger(decimals) || decimals < 0 || decimals > 255)
    throw new RangeError('A token has 0 to 255 decimals')
}
