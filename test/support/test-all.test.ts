import { expect, test } from 'bun:test'
import { expectAllToKeep, testAll } from './test-all'

const failureOf = (...rule: Parameters<typeof expectAllToKeep>) =>
  expectAllToKeep(...rule).then(
    () => null,
    (error: Error) => error.message,
  )

test('a rule that rows break lists each of them with its number and its reason, and no other', async () => {
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

test('what is thrown and is no error is listed too', async () => {
  expect(
    await failureOf(['a'], () => {
      throw 'no error'
    }),
  ).toContain("row 1, 'a': no error")
})

test('a rule that is tried on no row fails', async () => {
  expect(await failureOf([], () => {})).toContain('rows that the rule was tried on')
})

test('a rule that every row keeps passes', async () => {
  expect(await failureOf([1, 2], (n: number) => expect(n).toBeGreaterThan(0))).toBeNull()
})

const seen: unknown[][] = []
testAll<unknown[]>([['a', 1], ['b'], []])(
  'a row that is a list is handed over as arguments',
  (...row) => void seen.push(row),
)
testAll([undefined, null, 'c'])('a row that is no list is the argument', (row) => void seen.push([row]))
test('and each row is handed over once, in order', () => {
  expect(seen).toEqual([['a', 1], ['b'], [], [undefined], [null], ['c']])
})
