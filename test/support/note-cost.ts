import { afterAll, beforeAll } from 'bun:test'
import { appendFileSync } from 'node:fs'
import { relative } from 'node:path'
import { processorSeconds } from '../commands/test-costs.ts'

let before = 0

// Bun runs these around every file if a process gets several files. The programs that a file started have ended by the
// end of it.
beforeAll(() => note('TEST_STARTED', ''))
afterAll(() => {
  const now = processorSeconds() ?? 0
  note('TEST_COSTS', `${(now - before).toFixed(2)} `)
  before = now
})

function note(variable: string, what: string): void {
  const notes = process.env[variable]
  if (notes) appendFileSync(notes, `${what}${relative(process.cwd(), Bun.main)}\n`)
}
