import { expect, test } from 'bun:test'
import { aged } from '../../src/domain/aged'

/** Reads that end when the test says so. Each has the number of its call as its value. */
function slowReads() {
  const calls: { question: string; end: () => void; fail: () => void }[] = []
  const read = (question: string): Promise<number> => {
    const { promise, resolve, reject } = Promise.withResolvers<number>()
    const count = calls.length + 1
    calls.push({ question, end: () => resolve(count), fail: () => reject(new Error('no')) })
    return promise
  }
  return { calls, read }
}

function counting(how: Partial<Parameters<typeof aged<number, string>>[1]> = {}) {
  const clock = { now: 1_000 }
  const { calls, read } = slowReads()
  const values = aged(read, { now: () => clock.now, forMs: 100, from: 'END', ...how })
  /** Asks, and lets the read that this causes end at once. */
  const ask = async (question = 'a', maxAgeMs?: number): Promise<number> => {
    const asked = values.get(question, maxAgeMs)
    calls.at(-1)?.end()
    return asked
  }
  return { clock, calls, values, ask }
}

test('callers at the same time share a read, and callers after it share its value until it is too old', async () => {
  const { clock, calls, values, ask } = counting()
  const both = [values.get('a'), values.get('a')]
  clock.now += 500
  calls[0]!.end()
  expect(await Promise.all(both)).toEqual([1, 1])
  clock.now += 99
  expect(await ask()).toBe(1)
  clock.now += 1
  expect([await ask(), await ask('b')]).toEqual([2, 3])
})

test('an age from the start of a read includes the read, and a read that takes longer is not shared', async () => {
  const { clock, calls, values } = counting({ from: 'START' })
  const first = values.get('a')
  clock.now += 60
  const shared = values.get('a')
  calls[0]!.end()
  expect([await first, await shared]).toEqual([1, 1])
  clock.now += 40
  const second = values.get('a')
  clock.now += 100
  const third = values.get('a')
  calls[2]!.end()
  calls[1]!.end()
  expect([await second, await third, await values.get('a')]).toEqual([2, 3, 3])
})

test('a failed read fails everyone who waits for it, and the next caller reads again', async () => {
  const { calls, values, ask } = counting()
  const both = [values.get('a'), values.get('a')]
  calls[0]!.fail()
  expect((await Promise.allSettled(both)).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect([values.peek('a'), await ask()]).toEqual([undefined, 2])
})

test('a value is refreshed before it is too old while no caller waits, and no caller gets that read’s failure', async () => {
  const { clock, calls, values, ask } = counting({ refreshMs: 50 })
  expect(await ask()).toBe(1)
  clock.now += 50
  expect([await values.get('a'), await values.get('a'), calls.length]).toEqual([1, 1, 2])
  calls[1]!.fail()
  await Promise.resolve()
  expect([await values.get('a'), calls.length]).toEqual([1, 3])
  calls[2]!.end()
  await Promise.resolve()
  expect(await values.get('a')).toBe(3)
})

test('a caller can require a younger value, and a caller that accepts no age reads itself', async () => {
  const { clock, calls, values, ask } = counting({ from: 'START' })
  expect(await ask()).toBe(1)
  clock.now += 10
  expect([await ask('a', 11), await ask('a', 10)]).toEqual([1, 2])
  const running = values.get('a', 0)
  const own = values.get('a', 0)
  for (const { end } of calls) end()
  expect([await running, await own]).toEqual([3, 4])
})

test('the maximum age can depend on the value', async () => {
  const { ask } = counting({ forMs: (value) => (value === 1 ? 0 : 100) })
  expect([await ask(), await ask(), await ask()]).toEqual([1, 2, 2])
})

test('a value stored by a caller counts as read, and can be dropped', async () => {
  const { clock, calls, values, ask } = counting()
  values.set('a', 70)
  expect([await values.get('a'), calls]).toEqual([70, []])
  clock.now += 100
  const reading = values.get('a')
  values.set('a', 71)
  expect(await values.get('a')).toBe(71)
  calls[0]!.end()
  expect([await reading, values.peek('a')]).toEqual([1, 1])
  values.forget('a')
  expect([values.peek('a'), await ask()]).toEqual([undefined, 2])
})

test('queries with one key share a value, and the least recently read key is evicted', async () => {
  const { ask, values } = counting({ keyOf: (question) => question.toLowerCase(), most: 2 })
  expect([await ask('a'), await ask('A'), await ask('b'), await ask('c')]).toEqual([1, 1, 2, 3])
  expect([values.peek('a'), values.peek('b'), values.peek('c')]).toEqual([undefined, 2, 3])
})
