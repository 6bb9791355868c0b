import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { countAll, lineCounter, readOutcome } from '../commands/test-outcome'
import { temporaryFolder } from '../support/temporary-folder'

const never = 'async () => { await new Promise(() => {}) }, 50'
const later = "async () => { throw Object.assign(new Error('Not within 1 s'), { name: 'TimeoutError' }) }"
const wrong = '() => expect(1).toBe(2)'
const good = '() => {}'

/** Runs files with these tests as `bun test` does, and parses the output. */
async function ranOf(files: Record<string, readonly string[]>) {
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
  return { code: await child.exited, passed: 1, outcome: await readOutcome(out) }
}

test('tests and checks are counted, and a timeout fails like a wrong result', async () => {
  const run = await ranOf({ hangs: [never, good], waits: [good, later, wrong], fine: [good, good] })
  expect(countAll([run], [true, false])).toEqual({ passed: 5, failed: 4, unexplained: 0 })
})

test('a file that cannot be loaded fails its run, beside files that pass', async () => {
  const whole = await ranOf({ fine: [good] })
  const broken = await ranOf({ fine: [good], broken: ['() => {})\nthrow new Error("no such page"'] })
  expect(countAll([whole, broken])).toEqual({ passed: 2, failed: 1, unexplained: 1 })
})

test('a run whose results could not be written counts as failed', async () => {
  const outcome = await readOutcome(join(temporaryFolder('outcome'), 'never-written.xml'))
  expect(countAll([{ code: 0, passed: 3, outcome }])).toEqual({ passed: 0, failed: 1, unexplained: 1 })
  expect(countAll([{ code: 0, passed: 0, outcome }])).toMatchObject({ failed: 0 })
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
