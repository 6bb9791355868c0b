import { expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Hash } from '../../src/domain/chain/hex'
import { pollMs } from '../../src/domain/execution/retry'
import { TemporarilyUnavailable } from '../../src/domain/unavailable'
import { hourlyCaps } from '../../src/signer/hourly-caps'
import { addressOf } from '../support/signable'

const minuteMs = 60_000
const routeId = (n: number): Hash => `0x${String(n).padStart(64, '0')}`
const [usdc, weth] = [addressOf('usdc'), addressOf('weth')]
type Order = Parameters<ReturnType<typeof hourlyCaps>['take']>[0]
const orderOf = (n: number, amountIn: number, token = usdc, kind: Order['kind'] = 'BRIDGE'): Order => ({
  ...{ chainId: 8453, executionId: `8453:${routeId(n)}:0`, routeId: routeId(n), token },
  ...{ amountIn: String(amountIn), kind, gasFee: '0', account: addressOf('account'), organizationId: 'org_1' },
})

function world(dailyCap = 1_000n, percent = 50, organizationPercent = 100) {
  const state = { now: 1_700_000_000_000 }
  const reached: unknown[] = []
  const caps = hourlyCaps({
    dailyCap: async () => dailyCap,
    percent,
    organizationPercent,
    now: () => state.now,
    onReached: (met) => reached.push(met),
  })
  const outcomeOf = (order: Order) =>
    caps.take(order).then(
      () => 'signed',
      (error) => (error instanceof TemporarilyUnavailable ? error : Promise.reject(error)),
    )
  return { caps, state, reached, outcomeOf }
}

test('an order waits for the signer while its token’s hourly share is exhausted, and other tokens continue', async () => {
  const { state, reached, outcomeOf } = world()
  expect(await outcomeOf(orderOf(1, 300))).toBe('signed')
  state.now += 50 * minuteMs
  expect(await outcomeOf(orderOf(2, 200))).toBe('signed')
  const wait = await outcomeOf(orderOf(3, 1))
  expect(wait).toMatchObject({ waitingFor: 'SIGNER', retryInMs: 10 * minuteMs })
  expect(reached).toEqual([{ chainId: 8453, token: usdc, signedRaw: '500', capRaw: '500' }])
  expect(await outcomeOf(orderOf(4, 500, weth))).toBe('signed')
  state.now += 10 * minuteMs
  expect(await outcomeOf(orderOf(3, 300))).toBe('signed')
  expect(await outcomeOf(orderOf(5, 1))).not.toBe('signed')
})

test('a route counts with its largest order of the hour, because the chain may have carried out that one', async () => {
  const { state, outcomeOf } = world()
  expect(await outcomeOf(orderOf(1, 490))).toBe('signed')
  state.now += 30 * minuteMs
  for (const amount of [1, 490, 1]) expect(await outcomeOf(orderOf(1, amount))).toBe('signed')
  expect(await outcomeOf(orderOf(2, 11))).not.toBe('signed')
  expect(await outcomeOf(orderOf(2, 10))).toBe('signed')
  state.now += 59 * minuteMs
  expect(await outcomeOf(orderOf(3, 1))).not.toBe('signed')
  state.now += minuteMs
  expect(await outcomeOf(orderOf(3, 499))).toBe('signed')
})

test('an order larger than the share is signed in an hour without other orders', async () => {
  const { state, outcomeOf } = world()
  expect(await outcomeOf(orderOf(1, 1))).toBe('signed')
  expect(await outcomeOf(orderOf(2, 900))).not.toBe('signed')
  state.now += 60 * minuteMs
  expect(await outcomeOf(orderOf(2, 900))).toBe('signed')
  expect(await outcomeOf(orderOf(3, 1))).not.toBe('signed')
})

test('the last hour in the log counts after a restart, and older entries do not', async () => {
  const { caps, state, outcomeOf } = world()
  caps.note(orderOf(1, 300), state.now - 61 * minuteMs)
  caps.note(orderOf(2, 300), state.now - 59 * minuteMs)
  expect(await outcomeOf(orderOf(3, 201))).not.toBe('signed')
  expect(await outcomeOf(orderOf(3, 200))).toBe('signed')
})

test('a route signed again for less counts with its largest order after a restart', async () => {
  const { caps, state, outcomeOf } = world()
  caps.note(orderOf(1, 490), state.now - 59 * minuteMs)
  caps.note(orderOf(1, 1), state.now - 10 * minuteMs)
  expect(await outcomeOf(orderOf(2, 11))).not.toBe('signed')
  state.now += minuteMs
  expect(await outcomeOf(orderOf(2, 499))).toBe('signed')
})

test('only refunds are signed for a token without a cap on chain, because a node may report that wrongly', async () => {
  const { outcomeOf } = world(0n)
  for (const n of [1, 2, 3]) expect(await outcomeOf(orderOf(n, 900, usdc, 'REFUND'))).toBe('signed')
  for (const kind of ['DIRECT', 'SWAP', 'BRIDGE'] as const)
    expect(await outcomeOf(orderOf(4, 1, usdc, kind))).toMatchObject({ waitingFor: 'SIGNER' })
})

test('a share of less than one unit still allows one order per hour', async () => {
  const { outcomeOf } = world(1n)
  expect(await outcomeOf(orderOf(1, 1))).toBe('signed')
  expect(await outcomeOf(orderOf(2, 1))).not.toBe('signed')
  expect(await outcomeOf(orderOf(3, 1, usdc, 'REFUND'))).not.toBe('signed')
})

test('a long-waiting order blocks newer ones while it is requested, and no longer once the requests stop', async () => {
  const { state, outcomeOf } = world()
  expect(await outcomeOf(orderOf(1, 1))).toBe('signed')
  for (let n = 10; n < 15; n++) {
    expect(await outcomeOf(orderOf(2, 900))).not.toBe('signed')
    expect(await outcomeOf(orderOf(n, 1))).toBe('signed')
    state.now += 10 * minuteMs
  }
  expect(await outcomeOf(orderOf(2, 900))).not.toBe('signed')
  expect(await outcomeOf(orderOf(3, 1))).toMatchObject({ waitingFor: 'SIGNER', retryInMs: 10 * minuteMs })
  expect(await outcomeOf(orderOf(4, 1, weth))).toBe('signed')
  state.now += 15 * minuteMs
  expect(await outcomeOf(orderOf(3, 1))).not.toBe('signed')
  state.now += minuteMs
  expect(await outcomeOf(orderOf(3, 1))).toBe('signed')
})

test('an order that is requested only once an hour after half a day is also waited for', async () => {
  const { state, outcomeOf } = world()
  const outcomes: unknown[] = []
  expect(await outcomeOf(orderOf(999, 1))).toBe('signed')
  for (let minute = 0; minute <= 120; minute += 5) {
    if (minute % 60 === 0) outcomes.push((await outcomeOf(orderOf(0, 900))) === 'signed')
    await outcomeOf(orderOf(minute + 1, 1))
    state.now += 5 * minuteMs
  }
  expect(outcomes).toEqual([false, false, true])
})

/** As workers ask: when the signer says, and less often the longer they have waited. */
const asksAgainAt = (since: number, at: number, { retryInMs }: TemporarilyUnavailable) =>
  at + pollMs(at - since, retryInMs)

test('a large order is signed within two hours of steady small orders, and the small ones follow', async () => {
  const smallOnes = fc.array(
    fc.record({ gap: fc.integer({ min: 1, max: 10 }), share: fc.double({ min: 0, max: 1, noNaN: true }) }),
    {
      minLength: 30,
      maxLength: 60,
    },
  )
  await fc.assert(
    fc.asyncProperty(smallOnes, fc.integer({ min: 300, max: 1_000 }), async (gaps, large) => {
      const { state, outcomeOf } = world()
      const begun = state.now
      const asking: { order: Order; since: number; at: number }[] = []
      let at = begun
      for (const [n, { gap, share }] of gaps.entries()) {
        at += gap * minuteMs
        const order = orderOf(n + 1, 1 + Math.floor(share * (7 * gap - 1)))
        asking.push({ order, since: at, at })
      }
      const largeAt = begun + 60 * minuteMs
      asking.push({ order: orderOf(0, large), since: largeAt, at: largeAt })
      const signedAt = new Map<string, number>()
      while (asking.length > 0) {
        const next = asking.reduce((one, other) => (other.at < one.at ? other : one))
        state.now = next.at
        const outcome = await outcomeOf(next.order)
        if (outcome === 'signed') {
          signedAt.set(next.order.routeId, next.at)
          asking.splice(asking.indexOf(next), 1)
        } else next.at = asksAgainAt(next.since, next.at, outcome as TemporarilyUnavailable)
        expect(next.at).toBeLessThan(begun + 24 * 60 * minuteMs)
      }
      expect(signedAt.get(routeId(0))! - largeAt).toBeLessThanOrEqual(120 * minuteMs)
    }),
    { numRuns: 100 },
  )
})

test('several orders larger than the share are signed one after the other', async () => {
  const { state, outcomeOf } = world()
  const begun = state.now
  const asking = Array.from({ length: 400 }, (_, n) => {
    const at = begun + (n < 8 ? 1 : 3 * n) * minuteMs
    return { order: orderOf(n, n < 8 ? 900 : 5), since: at, at }
  })
  const large: number[] = []
  while (asking.some(({ order }) => order.amountIn === '900')) {
    const next = asking.reduce((one, other) => (other.at < one.at ? other : one))
    state.now = next.at
    const outcome = await outcomeOf(next.order)
    if (outcome === 'signed') {
      if (next.order.amountIn === '900') large.push(next.at)
      asking.splice(asking.indexOf(next), 1)
    } else next.at = asksAgainAt(next.since, next.at, outcome as TemporarilyUnavailable)
    expect(next.at - begun).toBeLessThan(14 * 60 * minuteMs)
  }
  expect(large).toHaveLength(8)
})

test('no hour exceeds the share or one order, for any amounts at any times', async () => {
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

const orderFor = (organizationId: string, n: number, amountIn: number): Order => ({
  ...orderOf(n, amountIn),
  organizationId,
})

test('one organization’s circulating money uses up only its own share of the hour and the day', async () => {
  const { state, reached, outcomeOf } = world(10_000n, 50, 50)
  let signed = 0
  const round = async (n: number) => {
    for (let k = 0; k < 20; k++) if ((await outcomeOf(orderFor('busy', 100 * n + k, 500))) === 'signed') signed += 1
  }
  await round(1)
  expect(signed).toBe(5)
  expect(reached[0]).toEqual({ chainId: 8453, token: usdc, signedRaw: '2500', capRaw: '2500', organizationId: 'busy' })
  expect(await outcomeOf(orderFor('victim', 1, 100))).toBe('signed')
  for (let hour = 1; hour < 23; hour++) {
    state.now += 60 * minuteMs
    await round(1 + hour)
    expect(await outcomeOf(orderFor('victim', 1 + hour, 100))).toBe('signed')
  }
  expect(signed).toBe(10)
  state.now += 120 * minuteMs
  await round(30)
  expect(signed).toBe(15)
})

test('an organization waiting for its own share blocks no other, and its largest order waits in its own queue', async () => {
  const { state, outcomeOf } = world(10_000n, 50, 50)
  expect(await outcomeOf(orderFor('busy', 1, 10))).toBe('signed')
  for (let n = 10; n < 15; n++) {
    expect(await outcomeOf(orderFor('busy', 2, 2_600))).not.toBe('signed')
    expect(await outcomeOf(orderFor('busy', n, 1))).toBe('signed')
    expect(await outcomeOf(orderFor('other', n + 100, 1))).toBe('signed')
    state.now += 10 * minuteMs
  }
  expect(await outcomeOf(orderFor('busy', 20, 1))).toMatchObject({ waitingFor: 'SIGNER' })
  expect(await outcomeOf(orderFor('other', 120, 1))).toBe('signed')
})

test('another organization gets the rest of the hour, whatever one organization asks for', async () => {
  const amounts = fc.array(fc.integer({ min: 1, max: 250 }), { maxLength: 30 })
  await fc.assert(
    fc.asyncProperty(amounts, fc.integer({ min: 1, max: 250 }), async (all, amount) => {
      const { outcomeOf } = world(1_000n, 50, 50)
      for (const [n, each] of all.entries()) await outcomeOf(orderFor('busy', n + 1, each))
      expect(await outcomeOf(orderFor('victim', 0, amount))).toBe('signed')
    }),
    { numRuns: 100 },
  )
})

test('a large deposit split into small orders pays at most three heavy gas fees in an hour', async () => {
  const { caps, state, outcomeOf } = world(1_000_000_000n, 100)
  const slice = (n: number, gasFee: string) => ({ ...orderOf(n, 46_000_000), gasFee })
  const signed: unknown[] = []
  for (let n = 0; n < 10; n++) signed.push(await outcomeOf(slice(n, '44900000')))
  expect(signed.filter((one) => one === 'signed')).toHaveLength(3)
  expect(signed[3]).toMatchObject({ waitingFor: 'SIGNER', retryInMs: 10 * minuteMs })
  expect(await outcomeOf(slice(2, '44900000'))).toBe('signed') // the same route again
  expect(await outcomeOf(slice(20, '1380000'))).toBe('signed') // three hundredths are not heavy
  expect(await outcomeOf({ ...slice(21, '44900000'), account: addressOf('another') })).toBe('signed')
  state.now += 60 * minuteMs
  caps.note(slice(30, '44900000'), state.now - 59 * minuteMs) // as read from the log after a restart
  for (const n of [31, 32]) expect(await outcomeOf(slice(n, '44900000'))).toBe('signed')
  expect(await outcomeOf(slice(33, '44900000'))).not.toBe('signed')
})

test('a deposit and its re-drives pay at most three heavy gas fees in a day', async () => {
  const { state, outcomeOf } = world(1_000_000_000n, 100)
  const heavy = (n: number, executionId: string) => ({ ...orderOf(n, 46_000_000), executionId, gasFee: '44900000' })
  const [deposit, another] = [`8453:${routeId(1)}:0`, `8453:${routeId(2)}:0`]
  for (const [n, id] of [deposit, `${deposit}:r1`, `${deposit}:r2`].entries()) {
    expect(await outcomeOf(heavy(n, id))).toBe('signed')
    state.now += 60 * minuteMs
  }
  expect(await outcomeOf(heavy(9, `${deposit}:r3`))).toMatchObject({ waitingFor: 'SIGNER' })
  expect(await outcomeOf(heavy(10, another))).toBe('signed')
  state.now += 21 * 60 * minuteMs
  expect(await outcomeOf(heavy(9, `${deposit}:r3`))).toBe('signed')
})
