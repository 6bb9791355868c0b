import { expect, test } from 'bun:test'
import { pollPace, throttled } from '../../src/detection/pace'
import { chains } from '../../src/domain/chain/chain'
import { testAll } from '../support/test-all'

const pace = { closeMs: 4_500, wideMs: 60_000, spentMs: 110_000 }
const confirmations = 10

/** A chain with this block time, and a pace that polls it. @returns the times of the polls. */
function world({ blockSeconds = 2 } = {}) {
  const clock = { at: 0 }
  const feed = { isFed: true, isSpent: false }
  const paced = pollPace({
    chainId: chains.base.id,
    confirmations,
    pace,
    isFed: () => feed.isFed,
    isSpent: () => feed.isSpent,
    now: () => clock.at,
  })
  const headAt = (ms: number) => Math.floor(ms / (blockSeconds * 1_000))
  /** @returns the times of whole polls, and of those that found the head too low. */
  function passing(seconds: number) {
    const [looks, early]: [number[], number[]] = [[], []]
    for (const end = clock.at + seconds * 1_000; clock.at < end; clock.at += 250) {
      if (!paced.isDue()) continue
      paced.begun()
      const number = headAt(clock.at)
      const isEarly = paced.isEarly({ number })
      const scannedBlock = isEarly ? -1 : number - confirmations + 1
      paced.saw({ number, hash: '0x', time: number * blockSeconds }, scannedBlock)
      ;(isEarly ? early : looks).push(clock.at)
    }
    return { looks, early }
  }
  const pass = (seconds: number): number[] => passing(seconds).looks
  return { clock, feed, paced, pass, passing, headAt }
}

test('a chain is polled once a minute while webhooks report, and every few seconds otherwise', () => {
  const { feed, pass } = world()
  expect(pass(600)).toHaveLength(10)
  feed.isFed = false
  const looks = pass(600)
  expect(looks.length).toBeGreaterThan(600 / 5)
  expect(looks.length).toBeLessThan(600 / 4)
})

testAll([0.25, 1, 2, 12])(
  'the transfers of a block are read when it is confirmed, for any block time',
  (blockSeconds) => {
    const { clock, paced, pass, passing, headAt } = world({ blockSeconds })
    pass(601)
    const block = headAt(clock.at)
    const confirmedAt = (block + confirmations - 1) * blockSeconds * 1_000
    paced.want(block)
    const { looks, early } = passing(confirmedAt / 1_000 - clock.at / 1_000 + 5)
    expect(looks.some((at) => at >= confirmedAt && at <= confirmedAt + 2_000 + blockSeconds * 1_000)).toBe(true)
    // including the poll that is due once a minute
    expect(looks.length).toBeLessThanOrEqual(blockSeconds === 12 ? 3 : 2)
    expect(early.length).toBeLessThanOrEqual(2)
    expect(pass(50).length).toBeLessThanOrEqual(1)
  },
)

test('a poll for one deposit leaves other due work to its own time, which is soon if only polls find it', () => {
  const { clock, feed, paced, pass, headAt } = world()
  pass(601)
  const doneAt = clock.at - 1_000
  expect(paced.isSpared(doneAt)).toBe(false) // the last poll covered everything
  paced.want(headAt(clock.at) - confirmations + 2)
  expect(pass(5)).toHaveLength(1)
  expect([paced.isSpared(doneAt), paced.isSpared(clock.at - 60_000)]).toEqual([true, false])
  feed.isFed = false
  expect(paced.isSpared(clock.at - 5_000)).toBe(false)
})

test('a requested poll happens once, immediately', () => {
  const { paced, pass, clock } = world()
  pass(30)
  paced.requestPoll()
  expect(pass(1)).toEqual([clock.at - 1_000])
  expect(pass(20)).toEqual([])
})

test('an exhausted budget slows every poll except those that alone find deposits', () => {
  const { feed, pass } = world()
  feed.isFed = false
  const usual = pass(600).length
  feed.isSpent = true
  expect(Math.abs(pass(600).length - usual)).toBeLessThanOrEqual(1)
  feed.isFed = true
  expect(pass(600).length).toBeLessThanOrEqual(6)
})

test('a slow poll is followed by a pause of twice its duration, at most a second', () => {
  const { clock, feed, paced } = world()
  feed.isFed = false
  const lookFor = (ms: number): void => {
    paced.begun()
    clock.at += ms
    paced.ended()
    paced.requestPoll()
  }
  lookFor(0)
  expect(paced.isDue()).toBe(true)
  for (const [took, rest] of [
    [100, 200],
    [400, 800],
    [9_000, 1_000],
  ] as const) {
    lookFor(took)
    clock.at += rest - 1
    expect(paced.isDue()).toBe(false)
    clock.at += 1
    expect(paced.isDue()).toBe(true)
  }
})

/** A chain, with 12 seconds a block by default, whose node pushes the given heads. */
const following = (told: (head: number, second: number) => readonly number[], blockSeconds = 12) => {
  const made = world({ blockSeconds })
  made.feed.isFed = false
  const looks: number[] = []
  const pass = (seconds: number): number[] => {
    looks.length = 0
    for (let second = 0; second < seconds; second++) {
      for (const number of told(made.headAt(made.clock.at), second)) made.paced.pushed(number)
      looks.push(...made.pass(1))
    }
    return [...looks]
  }
  return { ...made, pass }
}

testAll([
  [1, 600 / 5],
  [2, 600 / 6],
  [3, 600 / 6],
  [12, 600 / 12],
])('a chain whose node pushes heads is polled at a head after a pause', (seconds, looks) => {
  const { pass } = following((head) => [head], seconds)
  pass(60)
  expect(Math.abs(pass(600).length - looks)).toBeLessThanOrEqual(1)
})

test('a chain whose node pushes heads is polled once per block', () => {
  const { pass, clock } = following((head) => [head])
  pass(60)
  const begun = clock.at
  const looks = pass(600)
  expect(looks).toHaveLength(600 / 12)
  for (const at of looks) expect((at - begun) % 12_000).toBeLessThan(1_000)
})

test('a pushed head that confirms a wanted block starts a poll immediately, whatever the block time', () => {
  const { paced, pass, clock, headAt } = following((head) => [head])
  pass(121)
  const block = headAt(clock.at)
  paced.want(block)
  const confirmedAt = (block + confirmations - 1) * 12_000
  const looks = pass(confirmedAt / 1_000 - clock.at / 1_000 + 2)
  expect(looks.at(-1)! - confirmedAt).toBeLessThan(1_000)
})

const lies: [string, Parameters<typeof following>[0]][] = [
  ['is silent', () => []],
  ['repeats an old head', () => [3]],
  ['lags behind', (head) => [head - 2]],
  ['pushes heads far too high', (head, second) => [head + 1_000_000 + second]],
  ['pushes a hundred a second', (head, second) => Array.from({ length: 100 }, (_, n) => head + second * 100 + n)],
  ['goes back and forth', (head, second) => [second % 2 === 0 ? head : head - 50]],
]
testAll(lies)(
  'a node with false heads costs no more polls than polling, and leaves no gap between them',
  (_lie, told) => {
    const { pass, clock } = following(told)
    pass(60)
    const begun = clock.at
    const looks = pass(600)
    expect(looks.length).toBeLessThanOrEqual(600 / 4.5 + 1)
    // Two blocks, a second, and the time between two polls.
    for (const [n, at] of looks.entries()) expect(at - (looks[n - 1] ?? begun)).toBeLessThanOrEqual(25_000 + 4_750)
  },
)

test('a false report of a wanted block causes at most one poll a second, and no conclusion', () => {
  const { paced, clock, headAt } = following(() => [])
  const made = { early: 0 }
  paced.begun()
  paced.saw({ number: 10, hash: '0x', time: 120 }, 5)
  paced.want(10)
  for (const end = clock.at + 20_000; clock.at < end; clock.at += 50) {
    paced.pushed(1_000_000 + clock.at)
    if (!paced.isDue()) continue
    paced.begun()
    if (paced.isEarly({ number: headAt(clock.at) })) made.early++
    paced.ended()
  }
  expect(made.early).toBeLessThanOrEqual(20)
})

test('background work takes at most a tenth of the time, and pauses no longer than allowed', async () => {
  let time = 0
  let takes = 20
  let runs = 0
  const work = throttled(
    async () => {
      runs += 1
      time += takes
      if (takes > 20) throw new Error('away')
    },
    1_500,
    () => time,
  )
  const over = async (ms: number) => {
    for (const until = time + ms; time < until; time += 10) await work().catch(() => {})
    return runs
  }
  expect(await over(1_000)).toBe(5)
  takes = 1_000
  runs = 0
  expect(await over(5_000)).toBe(2)
})
