import { expect, test } from 'bun:test'
import { lastValueFrom } from 'rxjs'
import { RoutingError } from '../../src/domain/error'
import { failureOf } from '../../src/domain/execution/execution'
import { retry } from '../../src/domain/execution/retry'
import { draftsOfExecution } from '../../src/events/deposit-events'
import { advance, leaseMs } from '../../src/routing/engine/advance'
import type { StepOutcome, Steps } from '../../src/routing/engine/step'
import { hashOf } from '../support/deposits'
import { testAll } from '../support/test-all'
import { intent, order, sent, spent, stepsThatSucceed, world } from '../support/world'

const timesOut = async () => {
  throw new RoutingError('PROVIDER_TIMEOUT')
}
const hasABug = async () => {
  throw new TypeError('undefined is not a function')
}
const times = (count: number, name: keyof Steps, step: () => Promise<StepOutcome>): Partial<Steps> => {
  let calls = 0
  return { [name]: (execution: never) => (calls++ < count ? step() : stepsThatSucceed[name](execution)) }
}
const lapses = async (): Promise<StepOutcome> => ({
  type: 'order failed',
  failure: failureOf(new RoutingError('ORDER_LAPSED')),
})

const toRoute = 'matchIntent screenDeposit takeLane verifyBalance findRoute'
const toSubmit = `${toRoute} priceFees signOrder submitOrder`

// Columns: the failing steps; then the final status, the retries, and the steps that ran.
testAll<[string, Partial<Steps>, string, number, string]>([
  ['all goes well', {}, 'SUCCESS', 0, `${toSubmit} confirmDelivery`],
  [
    'a quote that times out is requested again',
    times(1, 'findRoute', timesOut),
    'SUCCESS',
    1,
    `${toRoute} ${toSubmit} confirmDelivery`,
  ],
  [
    'a broadcast that times out is repeated, not retried',
    times(9, 'submitOrder', timesOut),
    'SUCCESS',
    0,
    `${toSubmit}${' submitOrder'.repeat(9)} confirmDelivery`,
  ],
  [
    'a poll that times out is repeated, not retried',
    times(9, 'confirmDelivery', timesOut),
    'SUCCESS',
    0,
    `${toSubmit}${' confirmDelivery'.repeat(10)}`,
  ],
  [
    'an expired order is decided again',
    times(1, 'confirmDelivery', lapses),
    'SUCCESS',
    1,
    `${toSubmit} confirmDelivery ${toSubmit} confirmDelivery`,
  ],
  [
    'a bug is waited out',
    times(9, 'findRoute', hasABug),
    'SUCCESS',
    0,
    `${toRoute}${' findRoute'.repeat(9)} priceFees signOrder submitOrder confirmDelivery`,
  ],
  [
    'an execution that always fails ends as a dead letter',
    { matchIntent: timesOut },
    'DEAD_LETTER',
    10,
    Array(11).fill('matchIntent').join(' '),
  ],
])(
  'advance: every course of an execution ends in the right status',
  async (_rule, replaced, status, retryCount, steps) => {
    const { run, ran } = world(replaced)

    expect(await run()).toMatchObject({ status: status as never, retryCount })
    expect(ran.join(' ')).toBe(steps)
  },
)

test('advance: lapsed orders end a deposit after six hours at the earliest, and a stopped one uses no retry', async () => {
  const { run, clock } = world({ confirmDelivery: lapses })
  expect(await run()).toMatchObject({ status: 'DEAD_LETTER', retryCount: 10, cause: { code: 'ORDER_LAPSED' } })
  expect(clock.at).toBeGreaterThan(6 * 3_600_000)

  const stops = async () => ({ ...(await lapses()), isStop: true }) as StepOutcome
  const stopped = world(times(5, 'confirmDelivery', stops), { retryCount: 9 })
  expect(await stopped.run()).toMatchObject({ status: 'SUCCESS', retryCount: 9 })
  expect(stopped.clock.at).toBeLessThanOrEqual(5 * retry.maxMs)

  // Stops beyond the free ones spend retries, so they are as far apart as other lapsed orders.
  const dropped = Array.from({ length: 60 }, (_, n) => ({ ...sent, hash: hashOf(n), revertedIn: 8 }))
  const endless = world({ confirmDelivery: stops }, { facts: { dropped } })
  expect(await endless.run()).toMatchObject({ status: 'DEAD_LETTER', retryCount: 10 })
  expect(endless.clock.at).toBeGreaterThan(6 * 3_600_000)
})

test('advance: a bug is reported every time', async () => {
  const { run, bugs } = world(times(3, 'findRoute', hasABug))
  await run()
  expect(bugs).toHaveLength(3)
})

test('advance: a wait is not a retry, and can add to the history', async () => {
  let polls = 0
  const confirmDelivery: Steps['confirmDelivery'] = async () =>
    polls++ < 3 ? { retryInMs: 1_000, waitingFor: 'BLOCK', facts: { spent } } : { type: 'funds delivered' }
  const { run, clock } = world({ confirmDelivery })

  expect(await run()).toMatchObject({ status: 'SUCCESS', retryCount: 0, facts: { spent } })
  expect([polls, clock.at]).toEqual([4, 3_000])
})

test('advance: a record states the reason and start of its wait once, until it continues', async () => {
  let polls = 0
  const matchIntent: Steps['matchIntent'] = async () =>
    polls++ < 3 ? { retryInMs: 1_000, waitingFor: 'INTENT' } : { type: 'intent matched' }
  const { wake, clock, execution, run } = world({ matchIntent })
  await wake()
  clock.at = 1_000
  await wake()

  expect(execution().facts.waiting).toEqual({ for: 'INTENT', since: 0 })
  expect(execution().history.map(({ event }) => event)).toEqual(['deposit detected', 'intent missing'])
  expect((await run()).facts.waiting).toBeUndefined()
})

testAll<[next: string, step: () => Promise<StepOutcome>, events: string[]]>([
  ['another wait', async () => ({ retryInMs: 1_000, waitingFor: 'GAS' }), ['paused', 'resumed']],
  ['a failure', timesOut, ['paused', 'resumed', 'step failed']],
])('advance: the end of a pause is in the history, whatever follows', async (_next, step, events) => {
  let polls = 0
  const matchIntent: Steps['matchIntent'] = async () =>
    polls++ < 1 ? { retryInMs: 1_000, waitingFor: 'PAUSE' } : step()
  const { wake, clock, execution } = world({ matchIntent })
  await wake()
  clock.at = 1_000
  await wake()
  expect(execution().history.map(({ event }) => event)).toEqual(['deposit detected', ...events])
})

testAll([
  ['LANE', 'lane occupied', 'deposit.queued'],
  ['PAUSE', 'paused', 'deposit.paused'],
] as const)('advance: a deposit that begins to wait has one event', async (waitingFor, event, type) => {
  let polls = 0
  const takeLane: Steps['takeLane'] = async () =>
    polls++ < 3 ? { retryInMs: 1_000, waitingFor } : { type: 'lane taken' }
  const { run } = world({ takeLane })
  const record = await run()
  const entry = record.history.find((one) => one.event === event)!
  const draft = draftsOfExecution(record).filter((one) => one.type === type)
  expect(draft.map(({ seq }) => seq)).toEqual([entry.seq])
})

testAll([
  ['PROVIDER_TIMEOUT', 'PROVIDER', 'AWAY'],
  ['RPC_TIMEOUT', 'NODE', 'AWAY'],
  ['UNEXPECTED', undefined, undefined],
] as const)(
  'advance: money in flight shows which failure holds up its outcome, unless it has its own alarm',
  async (code, of, why) => {
    let polls = 0
    const confirmDelivery: Steps['confirmDelivery'] = async () => {
      if (polls++ === 0) return { retryInMs: 1_000, waitingFor: 'BLOCK', facts: { spent } }
      throw new RoutingError(code)
    }
    const { wake, clock, execution } = world({ confirmDelivery })
    for (let n = 0; n < 2; n++) {
      await wake()
      clock.at += 1_000
    }
    expect(polls).toBe(2)
    const { hold } = execution().facts
    expect([hold?.of, hold?.why]).toEqual([of, why])
  },
)

test('advance: a retried execution that waits has no event of a deposit', async () => {
  let [polls, failures] = [0, 0]
  const takeLane: Steps['takeLane'] = async () =>
    polls++ === 1 ? { retryInMs: 1_000, waitingFor: 'PAUSE' } : { type: 'lane taken' }
  const findRoute: Steps['findRoute'] = async () => {
    if (failures++ === 0) throw new RoutingError('PROVIDER_TIMEOUT')
    return { type: 'route found' }
  }
  const { run } = world({ takeLane, findRoute })
  const types = draftsOfExecution(await run()).map(({ type }) => type)
  expect([types.includes('execution.failed'), types.includes('deposit.paused')]).toEqual([true, false])
})

test('advance: an execution that is not due is left alone, except by an immediate wake-up', async () => {
  const { wake, ran, clock, execution } = world({
    matchIntent: async () => ({ retryInMs: 9_000, waitingFor: 'INTENT' }),
  })
  await wake()
  await wake()
  expect(ran).toEqual(['matchIntent'])
  await wake(true)
  expect(ran).toEqual(['matchIntent', 'matchIntent'])
  clock.at = execution().dueAt!
  await wake()
  expect(ran).toHaveLength(3)
})

test('advance: a wake-up about a record that another process changed uses the current version', async () => {
  let isNamed = false
  const { wake, executions, execution } = world({
    matchIntent: async (asked) =>
      isNamed ? stepsThatSucceed.matchIntent(asked) : { retryInMs: 9_000, waitingFor: 'INTENT' },
  })
  const asBegun = execution()
  await wake()
  const copies = [asBegun]
  executions.begun = () => copies.pop() ?? null
  isNamed = true
  await wake(true)
  expect(execution().status).toBe('SUCCESS')
})

test('advance: a cached record saves a read, and is useless after another process changed it', async () => {
  const living = world({}, { state: 'RUNNING', status: 'RUNNING', facts: { order, intent } })
  const { executions, execution, ran } = living
  const known = execution()
  let reads = 0
  const { load } = executions
  executions.load = (id) => {
    reads += 1
    return load(id)
  }
  const look = (of: typeof known) =>
    lastValueFrom(advance(known.id, true, living, { ...of, dueAt: 0 }), { defaultValue: null })
  const changed = (await executions.save({ ...known, dueAt: 5_000 }))!
  expect(await look(known)).toMatchObject({ status: 'SUCCESS', version: changed.version + 1 })
  expect([reads, ran]).toEqual([1, ['confirmDelivery', 'confirmDelivery']])

  const other = world({}, { state: 'RUNNING', status: 'RUNNING', facts: { order, intent } })
  other.executions.load = () => expect.unreachable('It is known')
  const last = await lastValueFrom(advance(known.id, true, other, other.execution()), { defaultValue: null })
  expect(last).toMatchObject({ status: 'SUCCESS' })
})

test('advance: facts are stored before a step acts on them, and outlive a worker killed in the act', async () => {
  const asked = { deadline: 7 }
  const requested = Promise.withResolvers<void>()
  const seen: unknown[] = []
  const killed = world({
    signOrder: async (_, store) => {
      await store!({ asked })
      seen.push(killed.execution().facts.asked, killed.execution().state)
      requested.resolve()
      return new Promise(() => {})
    },
  })
  void killed.wake()
  await requested.promise
  expect(seen).toEqual([asked, 'signing order'])
  const next = { ...killed, steps: { ...killed.steps, signOrder: stepsThatSucceed.signOrder } }
  const signs: Steps['signOrder'] = async ({ facts }, store) => {
    await store!({ asked: { deadline: 8 } })
    return { type: 'order signed', facts: { order: { ...order, deadline: facts.asked!.deadline } } }
  }
  killed.clock.at = leaseMs
  await lastValueFrom(advance(killed.execution().id, false, { ...next, steps: { ...next.steps, signOrder: signs } }))
  // What the step decided is added to what it stored.
  expect(killed.execution()).toMatchObject({
    state: 'SUCCESS',
    facts: { asked: { deadline: 8 }, order: { deadline: 7 } },
  })
})

test('advance: a step does not act on a record that another writer changed in the meantime', async () => {
  const acted: string[] = []
  const overtaken = world({
    signOrder: async (execution, store) => {
      if (acted.length === 0) await overtaken.executions.save({ ...overtaken.execution(), retryCount: 3 })
      acted.push('asks')
      await store!({ asked: { deadline: 7 } })
      acted.push('acts')
      return stepsThatSucceed.signOrder(execution)
    },
  })
  await overtaken.wake()
  expect([acted, overtaken.execution().facts.asked]).toEqual([['asks'], undefined])
  overtaken.clock.at = leaseMs
  await overtaken.wake(true)
  expect([acted, overtaken.execution().status]).toEqual([['asks', 'asks', 'acts'], 'SUCCESS'])
})

test('advance: a wake-up for an ended execution changes nothing', async () => {
  const { run, wake, ran, execution } = world()
  const ended = await run()
  const before = ran.length
  await wake(true)
  expect(ran).toHaveLength(before)
  expect(execution()).toEqual(ended)
})

test('advance: a record is leased instead of due while a step runs', async () => {
  const seen: (number | null)[] = []
  const living = world({
    submitOrder: async () => {
      seen.push(living.execution().dueAt)
      return { type: 'transaction submitted' }
    },
  })
  await living.run()
  expect(seen).toEqual([leaseMs])
})

test('advance: only one of two workers with the same execution decides', async () => {
  const submitted: string[] = []
  const both = Promise.withResolvers<void>()
  let signing = 0
  const { wake, execution } = world({
    signOrder: async () => {
      const id = hashOf(++signing)
      if (signing === 2) both.resolve()
      await both.promise // both have read the same version
      return { type: 'order signed', facts: { order: { ...order, id } } }
    },
    submitOrder: async ({ facts }) => {
      submitted.push(facts.order!.id)
      return { type: 'transaction submitted' }
    },
  })

  await Promise.all([wake(), wake()])

  expect(execution().status).toBe('SUCCESS')
  expect(submitted).toEqual([execution().facts.order!.id])
})

test('advance: every step is added to the history in order, by the write that took it', async () => {
  const { history, seq } = await world(times(1, 'findRoute', timesOut)).run()

  expect(history.map((entry) => entry.seq)).toEqual(history.map((_, n) => n + 1))
  expect(seq).toBe(history.length)
  const shown = history.map(({ status }) => status).filter((status, n, all) => status !== all[n - 1])
  expect(shown).toEqual([null, 'FAILED', 'RUNNING', 'SUCCESS'])
})
