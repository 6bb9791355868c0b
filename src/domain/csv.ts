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
