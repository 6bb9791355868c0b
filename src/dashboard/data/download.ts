/** Lets the browser save a text as a file. */
export function download(name: string, text: string, type = 'text/csv'): void {
  const url = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }))
  const link = Object.assign(document.createElement('a'), { href: url, download: name })
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 1_000)
}

/** A table as CSV (RFC 4180). A cell that a spreadsheet would run as a formula is made text. */
export const csvOf = (rows: readonly (readonly unknown[])[]): string =>
  rows.map((row) => row.map((cell) => quoted(String(cell ?? ''))).join(',')).join('\r\n')

function quoted(cell: string): string {
  const safe = /^[=+\-@\t\r]/.test(cell) && !/^-?\d+(\.\d+)?$/.test(cell) ? `'${cell}` : cell
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
