import { expect, test } from 'bun:test'
import { costReport, processorSeconds, timingsOf, tooCostly } from '../commands/test-costs'

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

test('a file fails a run above a minute and a fifteenth of the run, so a slow machine alone fails none', () => {
  const noted = '60.1 test/long.test.ts\n59.9 test/short.test.ts\n'
  expect(tooCostly(noted, 900)).toEqual([
    'test/long.test.ts, with 60 s of processor, above 60 s and a fifteenth of the run',
  ])
  expect(tooCostly(noted, 902)).toEqual([])
  expect(tooCostly('120.2 test/long.test.ts\n', 1_800)).toHaveLength(1)
  expect(tooCostly('59.9 test/short.test.ts\n', 100)).toEqual([])
})

test('stored times lose the files that no longer exist', () => {
  const stored = '{"version":1,"files":{"test/gone.test.ts":9,"test/here.test.ts":5}}'
  expect(JSON.parse(timingsOf(stored, ['test/here.test.ts', 'test/new.test.ts']))).toEqual({
    version: 1,
    files: { 'test/here.test.ts': 5 },
  })
})

test.skipIf(process.platform !== 'linux')('the processor time of an ended program counts as ours', async () => {
  const before = processorSeconds()!
  const spin = 'while (process.cpuUsage().user < 100_000);'
  await Bun.spawn([process.execPath, '-e', spin]).exited
  expect(processorSeconds()!).toBeGreaterThan(before)
})
