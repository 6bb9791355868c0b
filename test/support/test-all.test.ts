import { expect, test } from 'bun:test'
import { expectAllToKeep, testAll } from './test-all'

const failureOf = (...rule: Parameters<typeof expectAllToKeep>) =>
  expectAllToKeep(...rule).then(
    () => null,
    (error: Error) => error.message,
  )

test('the failure lists exactly the rows that break the rule, with their numbers and reasons', async () => {
  const checked: number[] = []
  const failure = await failureOf([4, 5, 6, 7], async (n: number) => {
    checked.push(n)
    await Promise.resolve()
    if (n % 2 === 1) throw new Error(`${n} is odd`)
  })
  expect(checked).toEqual([4, 5, 6, 7])
  expect(failure).toContain('row 2, 5: 5 is odd')
  expect(failure).toContain('row 4, 7: 7 is odd')
  expect(failure).not.toMatch(/row [13],/)
})

test('a row that throws something other than an Error is listed too', async () => {
  expect(
    await failureOf(['a'], () => {
      throw 'no error'
    }),
  ).toContain("row 1, 'a': no error")
})

test('a rule without rows fails', async () => {
  expect(await failureOf([], () => {})).toContain('rows that the rule was tried on')
})

test('a rule that every row keeps passes', async () => {
  expect(await failureOf([1, 2], (n: number) => expect(n).toBeGreaterThan(0))).toBeNull()
})

const seen: unknown[][] = []
testAll<unknown[]>([['a', 1], ['b'], []])(
  'a row that is a list is passed as arguments',
  (...row) => void seen.push(row),
)
testAll([undefined, null, 'c'])('a row that is not a list is the only argument', (row) => void seen.push([row]))
test('each row is passed once, in order', () => {
  expect(seen).toEqual([['a', 1], ['b'], [], [undefined], [null], ['c']])
})
