import { expect, test } from 'bun:test'
import { Subject } from 'rxjs'
import { followHeads, halfBlock, oneBlock, pacingOn, unlistedPollMsOf, withoutIdle } from '../../src/detection/pace'
import { chains } from '../../src/domain/chain/chain'

const { base, ethereum, arbitrum } = chains

test('a chain is scanned each half block and swept each block, within bounds', () => {
  expect([arbitrum.id, base.id, ethereum.id].map(halfBlock)).toEqual([250, 1_000, 1_000])
  expect([arbitrum.id, base.id, ethereum.id].map(oneBlock)).toEqual([1_000, 2_000, 5_000])
})

test('without settings a chain is polled at every tick, nothing reports its payments, and no budget is spent', () => {
  const pacing = pacingOn(base.id, {})
  const { isFed, isSpent, ...rest } = pacing
  expect([isFed(), isSpent()]).toEqual([false, false])
  expect(rest).toEqual({
    ...{ fromBlock: null, pace: null, newHeads: null, scanEveryMs: 1_000, sweepEveryMs: 2_000 },
    unlistedEveryMs: 120_000,
  })
})

test('each setting is the one of the chain', () => {
  const pace = { closeMs: 1, wideMs: 2, spentMs: 3 }
  const heads = new Subject<number | null>()
  const only =
    <Value>(value: Value, other: Value) =>
    (id: number) =>
      id === base.id ? value : other
  const settings = {
    ...{ pace, fromBlock: only<number | null>(7, null), newHeads: only<typeof heads | null>(heads, null) },
    ...{ isFed: only(true, false), isSpent: only(true, false) },
    ...{ scanEveryMs: only(11, 0), sweepEveryMs: only(12, 0), unlistedEveryMs: only(13, 0) },
  }
  const { isFed, isSpent, ...rest } = pacingOn(base.id, settings)
  expect([isFed(), isSpent()]).toEqual([true, true])
  expect(rest).toEqual({
    ...{ fromBlock: 7, pace, newHeads: heads, scanEveryMs: 11, sweepEveryMs: 12, unlistedEveryMs: 13 },
  })
  expect(pacingOn(ethereum.id, settings)).toMatchObject({ fromBlock: null, newHeads: null, scanEveryMs: 0 })
  expect(unlistedPollMsOf(ethereum.id, settings)).toBe(0)
})

test('work without an idle state has always responded', async () => {
  let runs = 0
  expect(await withoutIdle(async () => runs++)()).toBe('RESPONDED')
  expect(runs).toBe(1)
})

test('pushed heads are followed only while this process watches the chain, and start a poll that is due', () => {
  const [heads, isFollowing, stopped, triggers] = [
    new Subject<number | null>(),
    new Subject<boolean>(),
    new Subject(),
    new Subject<void>(),
  ]
  const pushed: (number | null)[] = []
  let [polls, isDue] = [0, false]
  triggers.subscribe(() => {
    polls += 1
  })
  const pace = { pushed: (number: number | null) => pushed.push(number), isDue: () => isDue } as never
  followHeads(heads, { isFollowing, stopped, pace, triggers }).subscribe()
  heads.next(1)
  isFollowing.next(true)
  isFollowing.next(true)
  heads.next(2)
  isDue = true
  heads.next(3)
  expect([pushed, polls]).toEqual([[2, 3], 1])
  isFollowing.next(false)
  heads.next(4)
  isFollowing.next(true)
  stopped.next(null)
  heads.next(5)
  expect([pushed, polls, heads.observed]).toEqual([[2, 3], 1, false])
})

test('without a node that pushes heads there is nothing to follow', () => {
  const isFollowing = new Subject<boolean>()
  let isOver = false
  const following = { isFollowing, stopped: new Subject(), pace: {} as never, triggers: new Subject<void>() }
  followHeads(null, following).subscribe({ complete: () => (isOver = true) })
  expect([isOver, isFollowing.observed]).toEqual([true, false])
})
