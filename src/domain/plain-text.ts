/**
 * Makes untrusted text safe to show. It removes invisible characters and those that reverse the text direction, then
 * cuts the text to `lengthMax` characters.
 */
export const plainText = (text: string, lengthMax: number): string =>
  [...text.replace(/[\p{C}\p{Zl}\p{Zp}\uFFFD]/gu, '')].slice(0, lengthMax).join('').trim()

/** Decodes a percent-encoded text. Returns any other text unchanged. */
export function decodedText(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Escapes a text for a regular expression that matches exactly this text. */
export const literally = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')

/**
 * Formats a table as CSV (RFC 4180). A leading apostrophe turns a cell that a spreadsheet would run as a formula into
 * text.
 */
export const csvOf = (rows: readonly (readonly unknown[])[]): string =>
  rows.map((row) => row.map((cell) => quoted(String(cell ?? ''))).join(',')).join('\r\n')

function quoted(cell: string): string {
  const safe = /^[=+\-@\t\r]/.test(cell) && !/^-?\d+(\.\d+)?$/.test(cell) ? `'${cell}` : cell
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
