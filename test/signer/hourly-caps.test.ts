import { expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Hash } from '../../src/domain/chain/hex'
import { TemporarilyUnavailable } from '../../src/domain/unavailable'
import { hourlyCaps } from '../../src/signer/hourly-caps'
import { addressOf } from '../support/signable'

const minuteMs = 60_000
const routeId = (n: number): Hash => `0x${String(n).padStart(64, '0')}`
const [usdc, weth] = [addressOf('usdc'), addressOf('weth')]
const orderOf = (n: number, amountIn: number, token = usdc) =>
  ({ chainId: 8453, routeId: routeId(n), token, amountIn: String(amountIn) }) as const

function world(dailyCap = 1_000n, percent = 50) {
  const state = { now: 1_700_000_000_000 }
  const reached: unknown[] = []
  const caps = hourlyCaps({
    dailyCap: async () => dailyCap,
    percent,
    now: () => state.now,
    onReached: (met) => reached.push(met),
  })
  const outcomeOf = (order: ReturnType<typeof orderOf>) =>
    caps.take(order).then(
      () => 'signed',
      (error) => (error instanceof TemporarilyUnavailable ? error : Promise.reject(error)),
    )
  return { caps, state, reached, outcomeOf }
}

test('when the hour of a token is used up an order waits for the signer, until enough of it has passed; others go on', async () => {
  const { state, reached, outcomeOf } = world()
  expect(await outcomeOf(orderOf(1, 300))).toBe('signed')
  state.now += 50 * minuteMs
  expect(await outcomeOf(orderOf(2, 200))).toBe('signed')
  const wait = await outcomeOf(orderOf(3, 1))
  expect(wait).toMatchObject({ waitingFor: 'SIGNER', askAgainInMs: 10 * minuteMs })
  expect(reached).toEqual([{ chainId: 8453, token: usdc, signedRaw: '500', capRaw: '500' }])
  expect(await outcomeOf(orderOf(4, 500, weth))).toBe('signed')
  state.now += 10 * minuteMs
  expect(await outcomeOf(orderOf(3, 300))).toBe('signed')
  expect(await outcomeOf(orderOf(5, 1))).not.toBe('signed')
})

test('the last order of a route counts alone, since the chain carries out one', async () => {
  const { outcomeOf } = world()
  for (const amount of [400, 500, 450]) expect(await outcomeOf(orderOf(1, amount))).toBe('signed')
  expect(await outcomeOf(orderOf(2, 50))).toBe('signed')
  expect(await outcomeOf(orderOf(3, 1))).not.toBe('signed')
})

test('one order larger than the share does not wait for ever: it is signed in an hour in which nothing else was', async () => {
  const { state, outcomeOf } = world()
  expect(await outcomeOf(orderOf(1, 1))).toBe('signed')
  expect(await outcomeOf(orderOf(2, 900))).not.toBe('signed')
  state.now += 60 * minuteMs
  expect(await outcomeOf(orderOf(2, 900))).toBe('signed')
  expect(await outcomeOf(orderOf(3, 1))).not.toBe('signed')
})

test('what the log says of the last hour counts after a restart, and what is older does not', async () => {
  const { caps, state, outcomeOf } = world()
  caps.note(orderOf(1, 300), state.now - 61 * minuteMs)
  caps.note(orderOf(2, 300), state.now - 59 * minuteMs)
  expect(await outcomeOf(orderOf(3, 201))).not.toBe('signed')
  expect(await outcomeOf(orderOf(3, 200))).toBe('signed')
})

test('a token without a cap on its chain is left to the chain', async () => {
  const { outcomeOf } = world(0n)
  for (const n of [1, 2, 3]) expect(await outcomeOf(orderOf(n, 900))).toBe('signed')
})

test('whatever is asked for at whatever times and at once, no hour has more than the share, or than one order', async () => {
  const asked = fc.record({
    waitMinutes: fc.integer({ min: 0, max: 40 }),
    amounts: fc.array(fc.integer({ min: 1, max: 700 }), { maxLength: 4 }),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(asked, { maxLength: 12 }), async (rounds) => {
      const { state, outcomeOf } = world()
      const signed: { at: number; amount: number }[] = []
      let n = 0
      for (const { waitMinutes, amounts } of rounds) {
        state.now += waitMinutes * minuteMs
        const outcomes = await Promise.all(amounts.map((amount) => outcomeOf(orderOf(n++, amount))))
        for (const [k, outcome] of outcomes.entries())
          if (outcome === 'signed') signed.push({ at: state.now, amount: amounts[k]! })
        const hour = signed.filter(({ at }) => at > state.now - 60 * minuteMs)
        const sum = hour.reduce((total, { amount }) => total + amount, 0)
        expect(sum <= 500 || hour.length === 1).toBe(true)
      }
    }),
    { numRuns: 200 },
  )
})
