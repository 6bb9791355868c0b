import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { blockClock } from '../../src/domain/chain/block-time'
import { chains } from '../../src/domain/chain/chain'
import { reckonedWaitMsMax } from '../../src/domain/execution/retry'

const begun = 1_800_000_000

/** A chain of 250 ms per block, like Arbitrum, and one of two seconds. */
const honest = { fast: { number: 400_000_000, ms: 250 }, slow: { number: 40_000_000, ms: 2_000 } }
type Honest = (typeof honest)[keyof typeof honest]

/** The newest block of an honest chain. Every reader sees the same time. */
const blockAt = ({ number, ms }: Honest, at: number) => {
  const blocks = Math.floor(at / ms)
  return { number: number + blocks, time: begun + Math.floor((blocks * ms) / 1_000) }
}

const wrongHead = fc.record({
  number: fc.oneof(fc.integer({ min: 0, max: 500_000_000 }), fc.integer({ min: -3_000, max: 3_000 })),
  isNear: fc.boolean(),
  secondsOff: fc.oneof(fc.integer({ min: -700, max: 60 }), fc.integer({ min: -100_000_000, max: 0 })),
})

test('two honest blocks correct the estimate after any wrong heads, and exactly so after one pace interval', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...Object.values(honest)),
      fc.array(fc.option(wrongHead), { maxLength: 30 }),
      fc.integer({ min: 700, max: 1_400 }), // the pace is measured again every ten minutes
      fc.constantFrom(950, 990, 1_000, 1_130),
      (chain, heads, seconds, everyMs) => {
        const clock = blockClock(chain.ms)
        let at = 0
        const noteHonest = (): number => {
          at += everyMs
          const block = blockAt(chain, at)
          clock.note(block, begun * 1_000 + at)
          return block.number
        }
        for (const wrong of heads) {
          const number = noteHonest()
          if (!wrong) continue
          const said = { number: Math.max(0, wrong.isNear ? number + (wrong.number % 3_000) : wrong.number) }
          clock.note({ ...said, time: begun + Math.floor(at / 1_000) + wrong.secondsOff }, begun * 1_000 + at)
        }
        for (let n = 0; n < 61; n++) noteHonest() // a head from the future is accepted for a minute
        noteHonest()
        const soon = clock.untilMs(noteHonest() + 20, begun * 1_000 + at)
        expect(soon).toBeLessThanOrEqual(2 * 20 * chain.ms + 1_250)
        for (let n = 0; n < seconds; n++) noteHonest()
        const number = noteHonest() + 20
        const thereInMs = (number - chain.number) * chain.ms - at
        const exact = clock.untilMs(number, begun * 1_000 + at)!
        expect(Math.abs(exact - thereInMs)).toBeLessThanOrEqual(1_500)
      },
    ),
    {
      examples: [
        [honest.slow, [{ number: -115, isNear: true, secondsOff: -459 }], 700, 1_000],
        // The checked moment is a few seconds after the start of a new span.
        [honest.fast, [...Array(9).fill(null), { number: 0, isNear: false, secondsOff: 0 }], 1_003, 1_130],
      ],
      numRuns: 1_000,
    },
  )
})

test('one head of a different chain is forgotten with the next block, in either order', () => {
  const clock = blockClock(250)
  const now = begun * 1_000
  const wait = () => clock.untilMs(400_000_050, now + 1_000)
  clock.note({ number: 400_000_000, time: begun }, now)
  clock.note({ number: 20_000_000, time: begun + 1 }, now + 1_000)
  expect(wait()).toBeNull()
  clock.note({ number: 20_000_001, time: begun + 1 }, now + 1_000)
  clock.note({ number: 400_000_004, time: begun + 1 }, now + 1_000)
  expect(wait()).toBeNull()
  clock.note({ number: 400_000_004, time: begun + 1 }, now + 1_000)
  expect(wait()).toBeGreaterThan(10_000)
  expect(wait()).toBeLessThan(12_000)
})

test('a low block that gives no valid pace does not block the next measurement', () => {
  const clock = blockClock(2_000)
  const now = begun * 1_000
  clock.note({ number: 1_000, time: begun }, now)
  clock.note({ number: 3, time: begun - 500 }, now) // this would give a pace of half a second
  clock.note({ number: 2, time: begun - 590_000 }, now)
  for (let n = 1; n <= 700; n++) clock.note({ number: 1_000 + n, time: begun + n }, now + n * 1_000)
  expect(Math.abs(clock.untilMs(1_710, now + 700_000)! - 10_000)).toBeLessThanOrEqual(1_000)
})

test('a wait for a confirmation is at most a minute, or two confirmations of a slow chain', () => {
  const longest = Object.values(chains).map(({ id, confirmations, blockSeconds }) => [
    reckonedWaitMsMax(id, confirmations),
    Math.max(60_000, 2_000 * confirmations * blockSeconds),
  ])
  for (const [bound, expected] of longest) expect(bound).toBe(expected!)
})
