import { expect, test } from 'bun:test'
import { isRewritten, rewrite } from '../../src/domain/concurrency'

type Counter = { id: string; version: number; count: number }

/** A store in which a rival writer wins against each of the first saves. */
function contended(count: number | null, others: number) {
  let stored: Counter | null = count === null ? null : { id: 'a', version: 1, count }
  let left = others
  return {
    load: async () => stored,
    async save(record: Counter) {
      if (left-- > 0) stored = { id: 'a', version: (stored?.version ?? 0) + 1, count: (stored?.count ?? 0) + 10 }
      if (record.version !== (stored?.version ?? 0)) return null
      stored = { ...record, version: record.version + 1 }
      return stored
    },
  }
}

const next = (known: Counter | null): Counter => ({
  id: 'a',
  version: known?.version ?? 0,
  count: (known?.count ?? 0) + 1,
})

test('a change is applied to the other writer’s version after a lost race', async () => {
  expect(await rewrite(contended(null, 0), 'a', next)).toMatchObject({ version: 1, count: 1 })
  expect(await rewrite(contended(5, 2), 'a', next)).toMatchObject({ version: 4, count: 26 })
  const read = { id: 'a', version: 0, count: 0 }
  expect(await rewrite(contended(5, 0), 'a', next, { first: read })).toMatchObject({ version: 2, count: 6 })
})

test('a change that returns null writes nothing and returns the current record', async () => {
  expect(await rewrite(contended(5, 0), 'a', () => null)).toMatchObject({ version: 1, count: 5 })
  expect(await rewrite(contended(null, 0), 'a', () => null)).toBeNull()
})

test('a writer that always loses the race fails with an error', async () => {
  const never = rewrite(contended(5, Number.POSITIVE_INFINITY), 'a', next)
  await expect(never).rejects.toThrow('Other writers changed a 100 times in a row')
})

test('a caller with an optional write learns that it lost the race, and gets every other error', async () => {
  const tried = (others: number) => isRewritten(rewrite(contended(5, others), 'a', next, { triesMax: 3 }))
  expect(await tried(2)).toBe(true)
  expect(await tried(3)).toBe(false)
  const broken = rewrite(contended(5, 0), 'a', () => Promise.reject(new Error('no')))
  await expect(isRewritten(broken)).rejects.toThrow('no')
})
