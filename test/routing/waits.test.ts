import { expect, test } from 'bun:test'
import { RoutingError } from '../../src/domain/error'
import { deadlineOf } from '../../src/domain/execution/deadline'
import type { Execution, Facts } from '../../src/domain/execution/execution'
import type { OverdueKind } from '../../src/domain/execution/overdue'
import type { WaitReason } from '../../src/domain/execution/retry'
import type { Route } from '../../src/domain/execution/route'
import type { ProviderBudget } from '../../src/domain/limits/provider-budget'
import {
  ProviderRateLimited,
  ProviderUnavailable,
  TemporarilyUnavailable,
  Unreadable,
} from '../../src/domain/unavailable'
import { nextOf } from '../../src/http/views/next'
import type { Aggregator } from '../../src/providers/aggregator'
import { limitUpdateOf } from '../../src/providers/limit-headers'
import { rateLimiter, withRateLimit } from '../../src/providers/shared-budget'
import { confirmDelivery } from '../../src/routing/steps/confirm-delivery'
import { narrated } from '../support/narrated'
import { executionsInMemory, recordsInMemory } from '../support/records'
import { testAll } from '../support/test-all'
import { unlimited } from '../support/unlimited'
import { delivery, intent, order, sent, spent, world } from '../support/world'

const [minute, hour] = [60_000, 3_600_000]
const onItsWay: Facts = { intent, routeId: order.routeId, order, transactions: [sent], spent }

// Polling twice a second for hours, for every record, would be most of the database's work.
testAll<[string, string, Facts, () => unknown]>([
  ['a bridge that refuses to say', 'RUNNING', onItsWay, () => new RoutingError('PROVIDER_REFUSED')],
  ['a state of the transfer that is not listed', 'RUNNING', onItsWay, () => new Unreadable('It reports a state.')],
  ['a bug', 'matching intent', {}, () => new TypeError('undefined is not a function')],
  ['a provider that is left alone', 'RUNNING', onItsWay, () => new ProviderUnavailable('lifi', 2_000)],
])(
  'a wait is polled at growing intervals, and ends immediately when its cause is over',
  async (_case, state, facts, error) => {
    let looks = 0
    const { execution, clock, wake, run } = world(
      Object.fromEntries(
        ['matchIntent', 'confirmDelivery'].map((step) => [
          step,
          async () => {
            looks += 1
            if (clock.at < hour) throw error()
            return step === 'matchIntent' ? { type: 'intent matched' } : { type: 'funds delivered', facts: { spent } }
          },
        ]),
      ),
      { state, facts, status: state === 'RUNNING' ? 'RUNNING' : null },
    )
    for (; clock.at < hour; clock.at = execution().dueAt!) await wake()
    expect(looks).toBeLessThan(150)
    expect(execution().retryCount).toBe(0)
    expect(clock.at).toBeLessThan(hour + hour / 19)
    expect(await run()).toMatchObject({ status: 'SUCCESS' })
  },
)

// Columns: the reasons; when operators are alerted to them, in minutes; and the kind.
testAll<[WaitReason[], number, OverdueKind]>([
  [['GAS', 'PROVIDER', 'NODE'], 30, 'PROVIDER'],
  [['GAS', 'QUOTA'], 2, 'GAS'],
  [['TOKEN', 'GAS'], 4 * 60, 'TOKEN'],
  [['NODE', 'PAUSE'], 4 * 60, 'PAUSE'],
  [['BUDGET', 'GAS'], 25 * 60, 'BUDGET'],
])('reasons that take turns to hold a deposit are one wait for the longest of them', async (reasons, minutes, kind) => {
  let polls = 0
  const { execution, clock, wake } = world(
    { signOrder: async () => ({ retryInMs: minute, waitingFor: reasons[polls++ % reasons.length]! }) },
    { state: 'signing order' },
  )
  const alertedAt = minutes * minute
  for (; clock.at < alertedAt + 10 * minute; clock.at += minute) {
    await wake()
    const deadline = deadlineOf(execution())!
    if (clock.at < alertedAt) expect(deadline.by).toBeGreaterThan(clock.at)
    // The alert requires that one kind lasts for five minutes.
    if (clock.at > alertedAt) expect(deadline).toEqual({ kind, since: 0, by: alertedAt })
  }
})

test('a series of waits ends with progress, and with a wait for the integrator', async () => {
  const reasons: (WaitReason | null)[] = ['GAS', 'NODE', 'INTENT', 'NODE', 'GAS', null, 'GAS']
  const seen: unknown[] = []
  const { execution, clock, wake } = world(
    {
      signOrder: async () => {
        const reason = reasons[clock.at / minute]!
        return reason ? { retryInMs: minute, waitingFor: reason } : { type: 'balance outdated' }
      },
      verifyBalance: async () => ({ retryInMs: minute, waitingFor: 'NODE' }),
    },
    { state: 'signing order' },
  )
  for (; clock.at < 6 * minute; clock.at += minute) {
    await wake()
    seen.push(execution().facts.waiting?.series)
  }
  const [first, second] = [0, 3].map((since) => ({ for: 'NODE', since: since * minute }))
  expect(seen).toEqual([undefined, first, undefined, undefined, second, undefined])
})

test('a deposit that waits for its turn at a provider returns at the given time, however long it has waited', async () => {
  const { execution, clock, wake } = world(
    {
      confirmDelivery: async () => {
        throw new ProviderRateLimited('lifi', 45_000, clock.at + 45_000)
      },
    },
    { state: 'RUNNING', facts: onItsWay, status: 'RUNNING' },
  )
  for (; clock.at < 3 * hour; clock.at = execution().dueAt!) {
    await wake()
    expect(execution().dueAt).toBe(clock.at + 45_000)
  }
  expect(execution().retryCount).toBe(0)
})

const route = { provider: 'lifi', kind: 'BRIDGE', reference: null, quotedAt: 0, expectedSeconds: 5 } as Route

test('a wait of more than a minute while money is in flight is shown with its reason and end, and logged once', async () => {
  const troubles: Record<string, [at: number, throws: (at: number) => unknown, says: string]> = {
    limit: [
      0,
      (at) => new ProviderRateLimited('lifi', minute, at + 90 * minute),
      'LI.FI allows no more requests for now',
    ],
    circuit: [2 * minute, () => new ProviderUnavailable('lifi', 20_000), 'LI.FI does not respond correctly'],
    failure: [3 * minute, () => new RoutingError('PROVIDER_FAILED'), 'LI.FI does not respond correctly'],
    node: [2 * minute, () => new TemporarilyUnavailable('base', 10_000, 'NODE'), 'The chain cannot be read reliably'],
    pace: [30 * minute, () => null, 'less frequent the longer it takes'],
  }
  for (const [name, [shownFrom, trouble, says]] of Object.entries(troubles)) {
    const { lines, onRecord } = narrated()
    const { execution, clock, wake } = world(
      {
        confirmDelivery: async () => {
          const thrown = trouble(clock.at)
          if (thrown) throw thrown
          return { retryInMs: Math.max(2_000, clock.at / 20), waitingFor: 'PROVIDER' }
        },
      },
      { state: 'RUNNING', status: 'RUNNING', facts: { ...onItsWay, route, spent: { ...spent, at: 0 } } },
    )
    let before: Execution = execution()
    for (; clock.at < 90 * minute; clock.at = execution().dueAt!) {
      await wake()
      onRecord(before, execution())
      before = execution()
      const { message, expectedAt } = nextOf(before, clock.at)
      const { hold } = before.facts
      if (clock.at < shownFrom) continue
      expect([name, message]).toEqual([name, expect.stringContaining(says)])
      expect([name, expectedAt]).toEqual([name, new Date(hold!.until).toISOString()])
    }
    expect([name, lines]).toEqual([name, [expect.objectContaining({ event: 'IN_FLIGHT_UNSEEN', provider: 'lifi' })]])
  }
})

test('an installation idle for three hours delivers as in its first minute, under any configured limit', async () => {
  const stated = { most: 12_000, windowMs: 120 * minute }
  const late: string[] = []
  const limits = [100, 6_000, 1_000_000].flatMap((most) => [true, false].map((isSet) => ({ most, isSet })))
  for (const { most, isSet } of limits)
    for (const idleMs of [0, 61 * minute, 119 * minute, 180 * minute]) {
      const { clock, run, now } = world(
        { confirmDelivery: (execution) => step(execution) },
        { state: 'RUNNING', status: 'RUNNING', facts: { ...onItsWay, intent, route, spent: { ...spent, at: idleMs } } },
      )
      const budgets = recordsInMemory<ProviderBudget>()
      const limiter = rateLimiter('lifi', { most, windowMs: minute, isSet }, { budgets, now })
      let left = stated.most
      const provider = {
        name: 'lifi',
        outcome: async () => {
          left -= 1
          const seconds = Math.ceil((stated.windowMs - (clock.at % stated.windowMs)) / 1_000)
          const told = { 'ratelimit-limit': stated.most, 'ratelimit-remaining': left, 'ratelimit-reset': seconds }
          limiter.note(limitUpdateOf(200, new Headers(Object.entries(told).map(([k, v]) => [k, `${v}`])), clock.at))
          return { kind: 'DELIVERED', hash: delivery.hash } as const
        },
      } as unknown as Aggregator
      const asked = withRateLimit(provider, { quote: limiter, other: limiter })
      const { targetTokenAddress: of, targetAddress: to } = intent
      const parts = [{ place: `${delivery.hash}:0`, amountRaw: 980n }]
      const arrived = { amountRaw: 980n, block: 9, time: 10_000_000, parts }
      const chain = {
        chainId: 42161,
        confirmations: 1,
        arrived: async (_: string, token: string) =>
          token === of ? arrived : { ...arrived, amountRaw: 0n, parts: [] },
        transaction: async () => ({ transfers: [{ token: of, to, amountRaw: 980n }] }),
        untilConfirmedMs: async () => null,
      }
      const step = confirmDelivery({
        chains: { 8453: chain, 42161: chain } as never,
        aggregators: [asked],
        now,
        relayerRecords: {} as never,
        relayers: {} as never,
        pollMs: () => 1_000,
        deliveries: recordsInMemory(),
        executions: executionsInMemory(),
        limits: unlimited,
      })
      await asked.outcome({ hash: sent.hash } as never, new AbortController().signal)
      clock.at += idleMs
      const { status } = await run()
      if (status !== 'SUCCESS' || clock.at > idleMs + 5_000)
        late.push(`${most} a minute, idle for ${idleMs / minute} minutes: ${status} after ${clock.at - idleMs} ms`)
    }
  expect(late).toEqual([])
})
