import { expect, test } from 'bun:test'
import { inspect } from 'node:util'

const labelCharactersMax = 120
const reasonLinesMax = 12
const message = (error: unknown) => (error instanceof Error ? error.message : String(error))

/** The arguments of a row, as `test.each` hands them over. */
type Arguments<Row> = Row extends readonly unknown[] ? Row : [Row]

/**
 * One test for one rule that many rows must keep. Every row is checked, and the failure lists each row that breaks the
 * rule, with its reason. Use `test.each` only if each row is a rule of its own.
 */
export function testAll<const Row>(rows: readonly Row[]) {
  return (name: string, check: (...row: Arguments<Row>) => unknown): void =>
    test(name, async () => {
      const failures: string[] = []
      for (const row of rows) {
        const values = (Array.isArray(row) ? row : [row]) as Arguments<Row>
        try {
          await check(...values)
        } catch (error) {
          const label = inspect(values[0], { depth: 1, breakLength: Number.POSITIVE_INFINITY })
          failures.push(`${label.slice(0, labelCharactersMax)}: ${reason(error)}`)
        }
      }
      expect(rows.length, 'rows that the rule was tried on').toBeGreaterThan(0)
      expect(failures).toEqual([])
    })
}

function reason(error: unknown): string {
  return message(error).split('\n').slice(0, reasonLinesMax).join('\n')
}
