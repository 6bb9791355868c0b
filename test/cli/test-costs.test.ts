import { expect, test } from 'bun:test'
import { costReport, processorSeconds, timingsOf, tooCostly } from '../commands/test-costs'
import { testWith } from '../support/tools'

test('the ten costliest files are listed in order below the cost of the whole run', () => {
  const noted = Array.from({ length: 12 }, (_, n) => `${n + 0.25} test/${n}.test.ts`).join('\n')
  const [whole, ...files] = costReport(`${noted}\n`, 99.6, 61.2)
  expect(whole).toStartWith('100 s of processor in 61 s')
  expect(files).toHaveLength(10)
  expect(files[0]).toBe('   11.3 s  test/11.test.ts')
  expect(files[9]).toBe('    2.3 s  test/2.test.ts')
})

test('a file above a minute of processor time is marked for splitting', () => {
  const [, above, below] = costReport('60.1 test/long.test.ts\n59.9 test/short.test.ts\n', 120, 60)
  expect(above).toEndWith('test/long.test.ts, above 60 s: split it')
  expect(below).toEndWith('test/short.test.ts')
})

test('a file fails a run above a minute and a twentieth of the run, so a slow machine alone fails none', () => {
  const noted = '60.1 test/long.test.ts\n59.9 test/short.test.ts\n'
  expect(tooCostly(noted, 1_200)).toEqual([
    'test/long.test.ts, with 60 s of processor, above 60 s and a twentieth of the run',
  ])
  expect(tooCostly(noted, 1_203)).toEqual([])
  expect(tooCostly('120.2 test/long.test.ts\n', 2_400)).toHaveLength(1)
  expect(tooCostly('59.9 test/short.test.ts\n', 100)).toEqual([])
})

test('stored times lose the files that no longer exist, and new files get the median of their folder', () => {
  const files = { 'test/gone.test.ts': 9, 'test/a/1.test.ts': 5, 'test/a/2.test.ts': 700, 'test/a/3.test.ts': 6 }
  const all = ['test/a/1.test.ts', 'test/a/2.test.ts', 'test/a/3.test.ts', 'test/a/new.test.ts']
  expect(JSON.parse(timingsOf(JSON.stringify({ version: 1, files }), all))).toEqual({
    version: 1,
    files: { 'test/a/1.test.ts': 5, 'test/a/2.test.ts': 700, 'test/a/3.test.ts': 6, 'test/a/new.test.ts': 6 },
  })
})

const onLinux = testWith('Linux', process.platform === 'linux')
onLinux('the processor time of an ended program counts as ours', async () => {
  const before = processorSeconds()!
  const spin = 'while (process.cpuUsage().user < 100_000);'
  await Bun.spawn([process.execPath, '-e', spin]).exited
  expect(processorSeconds()!).toBeGreaterThan(before)
})
