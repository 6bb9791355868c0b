import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { countsOf, lateFiles, lineCounter, readOutcome } from '../../src/cli/verbs/test-outcome'
import { temporaryFolder } from '../support/temporary-folder'

const never = 'async () => { await new Promise(() => {}) }, 50'
const later = "async () => { throw Object.assign(new Error('Not within 1 s'), { name: 'TimeoutError' }) }"
const wrong = '() => expect(1).toBe(2)'
const good = '() => {}'

/** Runs files with these tests as `bun test` does, and parses the output. */
async function outcomeOf(files: Record<string, readonly string[]>) {
  const cwd = temporaryFolder('outcome')
  const begin = "import { expect, test } from 'bun:test'\n"
  for (const [name, bodies] of Object.entries(files))
    await Bun.write(
      join(cwd, `${name}.test.ts`),
      begin + bodies.map((body, n) => `test('${name} ${n}', ${body})`).join('\n'),
    )
  const out = join(cwd, 'outcome.xml')
  const child = Bun.spawn([process.execPath, 'test', '--reporter=junit', `--reporter-outfile=${out}`], {
    cwd,
    stdout: 'ignore',
    stderr: 'ignore',
  })
  await child.exited
  return readOutcome(out)
}

test('a file whose tests only timed out may run again, and that result counts', async () => {
  const first = await outcomeOf({ hangs: [never, good], waits: [good, later, wrong], fine: [good, good] })
  expect(countsOf(first)).toEqual({ passed: 4, failed: 3 })
  expect(lateFiles(first).toSorted()).toEqual(['hangs.test.ts', 'waits.test.ts'])

  const again = await outcomeOf({ hangs: [good, good], waits: [good, good, wrong] })
  expect(countsOf(first, again)).toEqual({ passed: 6, failed: 1 })
})

test('a wrong result is never retried, and neither is a timeout in the same file', async () => {
  expect(lateFiles(await outcomeOf({ hangs: [never], wrong: [wrong] }))).toEqual([])
  expect(lateFiles(await outcomeOf({ wrongFirst: [wrong, later] }))).toEqual([])
})

test('no file runs again if many timed out', async () => {
  const late = [later]
  expect(lateFiles(await outcomeOf({ a: late, b: late, c: late, d: late }))).toEqual([])
})

test('a file that did not run again stays failed, and one that passed triggers nothing', async () => {
  const first = await outcomeOf({ hangs: [never], fine: [good] })
  expect(countsOf(first, { files: new Map(), skipped: [] })).toEqual({ passed: 1, failed: 1 })
  expect(lateFiles(await outcomeOf({ fine: [good] }))).toEqual([])
})

test('errors outside tests are counted from the last lines of the run', () => {
  const seen = lineCounter()
  for (const line of ['(pass) 2 errors', ' 3 pass', ' 1 fail', ' 1 error', 'Ran 4 tests across 1 file. [1 ms]'])
    seen.read(line)
  expect(seen).toMatchObject({ passed: 1, errors: 1 })
})

test('the output of a failure is kept with its name, before or after the name', () => {
  const reason = ['error: expected 1', '  at file.ts:3']
  for (const failure of [
    [...reason, '(fail) two [2 ms]'],
    ['(fail) two [2 ms]', ...reason],
  ]) {
    const seen = lineCounter()
    const inner = ['1 tests failed:', 'of a run that a test began', '(pass) four']
    const after = ['(pass) three', 'a.test.ts:', '1 tests failed:', '(fail) two [2 ms]', ' 2 pass']
    for (const line of ['a line', ...inner, '(pass) one', ...failure, ...after]) seen.read(line)
    expect(seen).toMatchObject({ passed: 3, failed: 1 })
    expect(seen.failures).toEqual([failure])
  }
})
