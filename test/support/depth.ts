import { test } from 'bun:test'
import { appendFileSync } from 'node:fs'

/** Whether everything runs, as at night. Otherwise what takes too long leaves a sample in the run. */
export const isNightly = process.env['TEST_DEPTH'] === 'full'

/** All rows at night, otherwise `count` of them: the first, the last, and others at even distances. */
export function sample<Row>(all: readonly Row[], count: number): readonly Row[] {
  if (isNightly || all.length <= count) return all
  noteLeft(`${all.length - count} of ${all.length} rows in ${Bun.main.replace(`${process.cwd()}/`, '')}`)
  if (count === 1) return all.slice(0, 1)
  return Array.from({ length: count }, (_, n) => all[Math.round((n * (all.length - 1)) / (count - 1))]!)
}

/** A test of a rule that the normal run proves at a smaller scale, or by another test. It runs at night only. */
export function nightly(name: string, run: () => unknown, timeoutMs?: number): void {
  if (isNightly) test(name, run as () => Promise<void>, timeoutMs)
  else noteLeft(`${Bun.main.replace(`${process.cwd()}/`, '')}: ${name}`)
}

/** Notes what this run leaves out. The runner prints it at its end. */
function noteLeft(what: string): void {
  const notes = process.env['TEST_LEFT_OUT']
  if (notes) appendFileSync(notes, `${what}\n`)
}
