/** Makes each column as wide as its widest cell, and right-aligns columns of numbers. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, n) => Math.max(title.length, ...rows.map((row) => row[n]!.length)))
  const isNumber = head.map(
    (_, n) => rows.length > 0 && rows.every((row) => /^\d/.test(row[n]!) && !/^0x/.test(row[n]!)),
  )
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, n) => (isNumber[n] ? cell.padStart(widths[n]!) : cell.padEnd(widths[n]!)))
      .join('  ')
      .trimEnd()
  return [line(head), widths.map((width) => '─'.repeat(width)).join('  '), ...rows.map(line)].join('\n')
}

/** Returns the table, or the sentence `none` if there are no rows. */
export const tableOr = (none: string, head: readonly string[], rows: readonly (readonly string[])[]): string =>
  rows.length === 0 ? none : table(head, rows)
