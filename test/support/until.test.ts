import { expect, test } from 'bun:test'
import { until } from './until'

test('a wait returns the first value found, and zero counts as a value', async () => {
  let looks = 0
  expect(await until('a third look', (note) => (note(++looks) === 3 ? 0 : null), { everyMs: 1 })).toBe(0)
})

test('the failure of a wait shows its condition and the last value seen', async () => {
  const noted = until(
    'a block',
    (note) => {
      note({ head: 7 })
      return null
    },
    { everyMs: 1, waitMs: 20 },
  )
  await expect(noted).rejects.toThrow(/^Not within 0.02 s: a block. What came instead: \{ head: 7 \}$/)
  const silent = until('an answer', (note) => note(null), { everyMs: 1, waitMs: 20 })
  await expect(silent).rejects.toThrow('What came instead: null')
})

test('a wait also ends if its last poll never returns', async () => {
  const hanging = until(
    'an answer',
    (note) => {
      note('asked')
      return new Promise<null>(() => {})
    },
    { waitMs: 20 },
  )
  await expect(hanging).rejects.toThrow(/What came instead: 'asked', and the last look did not end$/)
})

test('the compiler refuses a wait whose look notes nothing', async () => {
  const isOver = () => true
  // @ts-expect-error The failure of this wait could show only "false".
  expect(await until('an end', isOver)).toBe(true)
})
