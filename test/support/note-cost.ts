import { afterAll } from 'bun:test'
import { appendFileSync } from 'node:fs'
import { relative } from 'node:path'
import { processorSeconds } from '../commands/test-costs.ts'

const notes = process.env['TEST_COSTS']
let before = 0

// Bun runs this after every file if a process gets several files. The programs that a file started have ended by that
// time.
afterAll(() => {
  if (!notes) return
  const now = processorSeconds() ?? 0
  appendFileSync(notes, `${(now - before).toFixed(2)} ${relative(process.cwd(), Bun.main)}\n`)
  before = now
})
