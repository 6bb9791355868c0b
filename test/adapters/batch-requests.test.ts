import { expect, test } from 'bun:test'
import { batchesOfKeys, batchRequests } from '../../src/adapters/batch-requests'

type Question = { key: string; n: number }

/** Each group is answered on the test's command. */
function asked(groupMax = 100, isOneEach = false) {
  const groups: { questions: Question[]; answer: () => void }[] = []
  const moments: (() => void)[] = []
  const put = batchRequests<Question, number>(
    (questions) =>
      new Promise((resolve) => groups.push({ questions, answer: () => resolve(questions.map(({ n }) => n)) })),
    groupMax,
    ({ key }) => key,
    isOneEach,
    (_ms, act) => void moments.push(act),
  )
  const numbers = () => groups.map(({ questions }) => questions.map(({ n }) => n))
  /** Ends the wait after which a second group may start. */
  const moment = () => moments.shift()?.()
  return { put, groups, numbers, moment }
}

/** Requests of a turn are sent at its end. */
const turn = () => new Promise((resolve) => setImmediate(resolve))

test('requests of one turn are sent together', async () => {
  const { put, groups, numbers } = asked()
  const answers = ['a', 'b', 'c'].map((key, n) => put({ key, n }))
  await Promise.resolve()
  answers.push(put({ key: 'd', n: 3 }))
  expect(numbers()).toEqual([])
  await turn()
  expect(numbers()).toEqual([[0, 1, 2, 3]])
  groups[0]!.answer()
  expect(await Promise.all(answers)).toEqual([0, 1, 2, 3])
})

test('requests during a running group gather until it ends', async () => {
  const { put, groups, numbers, moment } = asked()
  const answers = [put({ key: 'a', n: 0 })]
  await turn()
  for (const [n, key] of ['b', 'c'].entries()) {
    answers.push(put({ key, n: n + 1 }))
    await turn()
  }
  expect(numbers()).toEqual([[0]])
  groups[0]!.answer()
  await answers[0]
  expect(numbers()).toEqual([[0], [1, 2]])
  moment() // nothing is left to send
  expect(numbers()).toEqual([[0], [1, 2]])
  groups[1]!.answer()
  expect(await Promise.all(answers)).toEqual([0, 1, 2])
})

test('a second group starts after a moment, and later requests gather', async () => {
  const { put, groups, numbers, moment } = asked()
  const answers: Promise<number>[] = []
  for (const [n, key] of ['a', 'b', 'c', 'd'].entries()) {
    answers.push(put({ key, n }))
    await turn()
    moment()
  }
  expect(numbers()).toEqual([[0], [1]])
  groups[0]!.answer()
  await answers[0]
  expect(numbers()).toEqual([[0], [1], [2, 3]])
  groups[1]!.answer()
  groups[2]!.answer()
  expect(await Promise.all(answers)).toEqual([0, 1, 2, 3])
})

test('a request for a key waits for the key’s earlier requests, and delays no other key', async () => {
  const { put, groups, numbers, moment } = asked()
  const first = put({ key: 'a', n: 0 })
  await turn()
  const [second, other] = [put({ key: 'a', n: 1 }), put({ key: 'b', n: 2 })]
  await turn()
  moment()
  expect(numbers()).toEqual([[0], [2]])
  groups[1]!.answer()
  expect(await other).toBe(2)
  expect(numbers()).toEqual([[0], [2]])
  groups[0]!.answer()
  expect(await first).toBe(0)
  expect(numbers()).toEqual([[0], [2], [1]])
  groups[2]!.answer()
  expect(await second).toBe(1)
})

test('requests for one key in one turn are sent together, unless a group holds one per key', async () => {
  const { put, numbers } = asked()
  void Promise.all(['a', 'b', 'a'].map((key, n) => put({ key, n })))
  await turn()
  expect(numbers()).toEqual([[0, 1, 2]])
})

test('requests for one key follow each other if a group holds one per key', async () => {
  const { put, groups, numbers } = asked(100, true)
  const answers = ['a', 'b', 'a', 'a'].map((key, n) => put({ key, n }))
  await turn()
  expect(numbers()).toEqual([[0, 1]])
  groups[0]!.answer()
  await answers[0]
  expect(numbers()).toEqual([[0, 1], [2]])
  groups[1]!.answer()
  await answers[2]
  expect(numbers()).toEqual([[0, 1], [2], [3]])
  groups[2]!.answer()
  expect(await Promise.all(answers)).toEqual([0, 1, 2, 3])
})

test('a group has a maximum size', async () => {
  const { put, groups, numbers } = asked(2)
  const answers = [0, 1, 2, 3, 4].map((n) => put({ key: `${n}`, n }))
  await turn()
  expect(numbers()).toEqual([
    [0, 1],
    [2, 3],
  ])
  groups[0]!.answer()
  await answers[0]
  expect(numbers()).toEqual([[0, 1], [2, 3], [4]])
})

test('by key: a slow or failing key delays no other, and each key has one batch at a time', async () => {
  const groups: string[] = []
  const slow = Promise.withResolvers<void>()
  const put = batchesOfKeys<Question>(
    async (key, group) => {
      groups.push(`${key}${group.map(({ n }) => n).join('')}`)
      if (key === 'slow') await slow.promise
      if (key === 'bad') throw new Error('refused')
    },
    100,
    ({ key }) => key,
  )
  const [held, refused] = [put({ key: 'slow', n: 0 }), put({ key: 'bad', n: 0 })]
  await Promise.all([expect(refused).rejects.toThrow('refused'), ...[0, 1].map((n) => put({ key: 'a', n }))])
  const later = put({ key: 'slow', n: 1 })
  await put({ key: 'b', n: 0 })
  expect(groups).toEqual(['slow0', 'bad0', 'a01', 'b0'])
  slow.resolve()
  await Promise.all([held, later])
  expect(groups.at(-1)).toBe('slow1')
})
