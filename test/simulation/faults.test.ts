import { expect, test } from 'bun:test'
import { isNightly, sample } from '../support/depth'
import { bugs } from '../support/simulation/bugs'
import { simulate } from '../support/simulation/simulate'

// SEEDS=20000 SEED_FROM=1 for a long run. Each seed is a world of 20 deposits, three workers and ten faulty minutes.
const seeds = Number(process.env['SEEDS'] ?? (isNightly ? 30 : 4))
const seedFrom = Number(process.env['SEED_FROM'] ?? 1)
const perTest = 10
const groups = Array.from({ length: Math.ceil(seeds / perTest) }, (_, n) => seedFrom + n * perTest)

test.each(groups)(
  'simulation: nothing is lost, doubled or stuck, from seed %d',
  async (first) => {
    for (let seed = first; seed < Math.min(first + perTest, seedFrom + seeds); seed++)
      expect((await simulate(seed)).found, `seed ${seed}`).toEqual([])
  },
  600_000,
)

test('simulation: the same seed gives the same run', async () => {
  const [once, again] = [await simulate(7), await simulate(7)]
  expect(once.seconds).toBe(again.seconds)
  expect(once.city.executions.all()).toEqual(again.city.executions.all())
}, 600_000)

const seedsToFind = 100
/**
 * The first seed that finds a bug, if that is not 1. It is tried first. If it no longer finds the bug, all are tried.
 */
const foundBy: Record<string, number> = {
  'each failure of a provider that is away counts as an attempt': 11,
  'an order lapses by our clock': 9,
  'a revert ends an order before its block is confirmed': 3,
  'a nonce is assigned without a condition': 4,
  'a slot is forgotten before its block is confirmed': 5,
  'a deposit stopped by the security list is not skipped': 2,
  'a delivery is not claimed': 6,
  'less than the minimum is called delivered': 5,
  'an order is signed for a key that cannot pay': 7,
  'a leftover is not screened': 4,
  'one node decides about a large deposit': 4,
}

test.each([...sample(Object.keys(bugs), 6)])(
  'simulation: finds it when %s',
  async (name) => {
    const all = Array.from({ length: seedsToFind }, (_, n) => n + 1)
    for (const seed of [foundBy[name] ?? 1, ...all]) if ((await simulate(seed, bugs[name]!)).found.length > 0) return
    expect.unreachable(`not found in ${seedsToFind} seeds`)
  },
  600_000,
)
