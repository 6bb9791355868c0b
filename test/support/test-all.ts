import { expect, test } from 'bun:test'
import { inspect } from 'node:util'

const labelCharactersMax = 120
const reasonLinesMax = 12
const message = (error: unknown) => (error instanceof Error ? error.message : String(error))

/**
 * A row as arguments, typed like those of `test.each`. If rows have one length, each argument has the type found there
 * in any row.
 */
type Flat<Row, Copy extends Row = Row> = { [Key in keyof Row]: Copy[Key] }
type Rule<Row extends readonly unknown[]> = (
  name: string,
  check: (...row: number extends Row['length'] ? Row : [...Flat<Row>]) => unknown,
) => void

/**
 * Declares one test for a rule that many rows must keep. Every row is checked, and the failure lists each row that
 * breaks the rule, with its reason.
 */
export function testAll<Row extends Readonly<[unknown, ...unknown[]]>>(rows: readonly Row[]): Rule<Row>
export function testAll<Row extends readonly unknown[]>(rows: readonly Row[]): Rule<Row>
export function testAll<const Row>(rows: readonly Row[]): Rule<[Row]>
export function testAll(rows: readonly unknown[]) {
  return (name: string, check: (...row: never[]) => unknown): void => test(name, () => expectAllToKeep(rows, check))
}

/** Checks the rows in order, or all at once. Fails if a row breaks the rule, or if there are no rows. */
export async function expectAllToKeep(
  rows: readonly unknown[],
  check: (...row: never[]) => unknown,
  { isAtOnce = false } = {},
): Promise<void> {
  const failureOf = async (row: unknown, n: number): Promise<string[]> => {
    const values: unknown[] = Array.isArray(row) ? row : [row]
    try {
      await check(...(values as never[]))
      return []
    } catch (error) {
      const label = inspect(values[0], { depth: 1, breakLength: Number.POSITIVE_INFINITY })
      return [`row ${n + 1}, ${label.slice(0, labelCharactersMax)}: ${reason(error)}`]
    }
  }
  const failures: string[] = []
  if (isAtOnce) failures.push(...(await Promise.all(rows.map(failureOf))).flat())
  else for (const [n, row] of rows.entries()) failures.push(...(await failureOf(row, n)))
  expect(rows.length, 'rows that the rule was tried on').toBeGreaterThan(0)
  expect(failures).toEqual([])
}

function reason(error: unknown): string {
  return message(error).split('\n').slice(0, reasonLinesMax).join('\n')
}
