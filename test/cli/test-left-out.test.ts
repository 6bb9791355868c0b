import { expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Glob } from 'bun'
import { emptyOf, leftOutReport, silentReport, unendedOf, unreachedReport } from '../commands/test-left-out'
import { temporaryFolder } from '../support/temporary-folder'

test('a run lists once what it left to the night, or nothing', () => {
  const [head, ...parts] = leftOutReport(
    'test/a.test.ts: a rule\ntest/b.test.ts: 3 of 5 faults\ntest/a.test.ts: a rule\n',
  )
  expect(head).toContain('npm test -- --nightly')
  expect(parts).toEqual(['  test/a.test.ts: a rule', '  test/b.test.ts: 3 of 5 faults'])
  expect(leftOutReport('')).toEqual([])
})

test('two samples of one size are two parts, and each says what it samples', () => {
  const folder = temporaryFolder('samples')
  const depth = join(import.meta.dir, '..', 'support', 'depth')
  const samples = `sample('faults', [1, 2, 3], 1); sample('chains', [1, 2, 3], 1); inTurn('stores', [1, 2])`
  writeFileSync(join(folder, 'a.test.ts'), `import { inTurn, sample } from '${depth}'\n${samples}`)
  const notes = join(folder, 'left-out')
  const env = { ...process.env, TEST_DEPTH: '', TEST_LEFT_OUT: notes }
  Bun.spawnSync([process.execPath, 'test', './a.test.ts'], { cwd: folder, env })
  expect(leftOutReport(readFileSync(notes, 'utf8')).slice(1)).toEqual([
    '  a.test.ts: 1 of 3 faults',
    '  a.test.ts: 1 of 3 chains',
    '  a.test.ts: 1 of 2 stores at each place',
  ])
})

test('no two samples of a test file have one name', () => {
  const repeatedIn = (text: string) => {
    const names = [...text.matchAll(/\b(?:sample|inTurn|amount)(?:<[^(]*>)?\(\s*'([^']+)'/g)].map(([, name]) => name)
    return names.filter((name, n) => names.indexOf(name) !== n)
  }
  const root = join(import.meta.dir, '..')
  const files = [...new Glob('**/*.test.ts').scanSync(root)].filter((path) => path !== 'cli/test-left-out.test.ts')
  const texts = files.map((path) => [path, readFileSync(join(root, path), 'utf8')] as const)
  expect(texts.filter(([, text]) => repeatedIn(text).length > 0).map(([path]) => path)).toEqual([])
  expect(repeatedIn("sample('faults', a, 1); inTurn('faults', b)")).toEqual(['faults'])
})

test('a run of changed files lists how many files it skipped, by folder, the fullest first', () => {
  const all = ['test/tidy.test.ts', 'test/http/a.test.ts', 'test/e2e/a.test.ts', 'test/e2e/b.test.ts']
  const [head, first, second, ...rest] = unreachedReport(all, new Set(['test/tidy.test.ts']), [])
  expect(head).toBe('1 of 4 files ran. The source of the others neither imports nor names what changed:')
  expect([first, second]).toEqual(['  2 in test/e2e', '  1 in test/http'])
  expect(rest).toEqual([])
  expect(unreachedReport(all, new Set(all), [])).toEqual([])
})

test('it then names the files that start the changed service, and a folder instead of all of its files', () => {
  const all = ['test/app/a.test.ts', 'test/app/start.test.ts', 'test/e2e/a.test.ts', 'test/e2e/b.test.ts']
  const started = ['test/app/start.test.ts', 'test/e2e/a.test.ts', 'test/e2e/b.test.ts']
  const [why, command] = unreachedReport(all, new Set(['test/x.test.ts']), started).slice(-2)
  expect(why).toStartWith('3 of them start the service as a process')
  expect(command!.trim()).toBe('npm test -- test/app/start.test.ts test/e2e')
  expect(unreachedReport(all, new Set(started), started).join()).not.toContain('start the service')
})

test('a run of changed files names every folder that it skipped', () => {
  const all = Array.from({ length: 30 }, (_, n) => `test/${n}/a.test.ts`)
  const named = unreachedReport(all, new Set(), []).filter((line) => line.startsWith('  1 in '))
  expect(named).toHaveLength(30)
})

test('a file without a note of its end has not ended', () => {
  expect(unendedOf(['test/a.test.ts', 'test/b.test.ts'], '0.00 test/a.test.ts\n')).toEqual(['test/b.test.ts'])
})

test('a file that declares no test and leaves none to the night is empty', () => {
  const wanted = ['test/a.test.ts', 'test/b.test.ts', 'test/c.test.ts']
  expect(emptyOf(wanted, new Set(['test/a.test.ts']), 'test/b.test.ts: a rule\n')).toEqual(['test/c.test.ts'])
})

test('a run that was stopped in silence names the files that had not ended', () => {
  const all = ['test/http/a.test.ts', 'test/http/b.test.ts', 'test/e2e/a.test.ts']
  const ended = '12.30 test/http/a.test.ts\n'
  const [head, count, ...files] = silentReport(all, [], ended, 360_000)
  expect(head).toContain('no output for 6 minutes')
  expect(count).toStartWith('1 of 3 files had ended.')
  expect(files).toEqual(['  test/e2e/a.test.ts', '  test/http/b.test.ts'])
  expect(silentReport(all, ['test/http'], ended, 360_000).slice(2)).toEqual(['  test/http/b.test.ts'])
})

test('each file notes its start and its end, even without a test, and one that ends its process notes no end', () => {
  const folder = temporaryFolder('notes')
  const files = { ends: 'process.exit(0)', passes: '' }
  for (const [name, work] of Object.entries(files))
    writeFileSync(join(folder, `${name}.test.ts`), `import { test } from 'bun:test'\ntest('it', () => { ${work} })`)
  writeFileSync(join(folder, 'empty.test.ts'), 'export {}')
  const [started, ended] = [join(folder, 'started'), join(folder, 'ended')]
  const preload = `--preload=${join(import.meta.dir, '..', 'support', 'note-cost.ts')}`
  const env = { ...process.env, TEST_STARTED: started, TEST_COSTS: ended }
  Bun.spawnSync([process.execPath, 'test', '--parallel=2', '--no-isolate', preload], { cwd: folder, env })
  const all = ['empty', 'ends', 'passes'].map((name) => `${name}.test.ts`)
  expect(readFileSync(started, 'utf8').trimEnd().split('\n').toSorted()).toEqual(all)
  expect(unendedOf(all, readFileSync(ended, 'utf8'))).toEqual(['ends.test.ts'])
})
