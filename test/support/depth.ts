import { test } from 'bun:test'
import { appendFileSync } from 'node:fs'

/** Whether every test runs, as at night. Otherwise slow tests run a sample. */
export const isNightly = process.env['TEST_DEPTH'] === 'full'

/**
 * Returns all rows at night. Otherwise returns `count` rows at even distances, including the first and the last.
 *
 * @param what names the rows. The report of a run merges samples of one name in one file.
 */
export function sample<Row>(what: string, all: readonly Row[], count: number): readonly Row[] {
  if (isNightly || all.length <= count) return all
  noteLeft(`${count} of ${all.length} ${what}`)
  if (count === 1) return all.slice(0, 1)
  return Array.from({ length: count }, (_, n) => all[Math.round((n * (all.length - 1)) / (count - 1))]!)
}

/**
 * Returns all rows on each call at night. Otherwise returns one row, and the next row on the next call. A walk of many
 * places with few faults then meets every place and every fault, but not every pair.
 */
export function inTurn<Row>(what: string, all: readonly Row[]): () => readonly Row[] {
  if (isNightly) return () => all
  noteLeft(`1 of ${all.length} ${what} at each place`)
  let n = 0
  return () => [all[n++ % all.length]!]
}

/** Returns the amount of work of the nightly run, or that of a usual one, which is noted. */
export function amount(what: string, { usual, full }: { usual: number; full: number }): number {
  if (isNightly) return full
  noteLeft(`${usual} of ${full} ${what}`)
  return usual
}

/** Declares a test that runs only at night. The normal run proves its rule at a smaller scale or by another test. */
export function nightly(name: string, run: () => unknown): void {
  if (isNightly) test(name, run as () => Promise<void>)
  else noteLeft(name)
}

/** Records what this run leaves out. The runner prints the records at its end. */
function noteLeft(what: string): void {
  const notes = process.env['TEST_LEFT_OUT']
  if (notes) appendFileSync(notes, `${Bun.main.replace(`${process.cwd()}/`, '')}: ${what}\n`)
}
