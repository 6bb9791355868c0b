import { expect, test } from 'bun:test'
import { follow } from '../../../machines/execution'
import { errorRow } from '../../../src/domain/error'
import { deadlineOf } from '../../../src/domain/execution/deadline'
import type { Execution, Failure } from '../../../src/domain/execution/execution'
import type { WaitReason } from '../../../src/domain/execution/retry'
import { executionOf, hashOf } from '../../support/deposits'
import { testAll } from '../../support/test-all'
import { peopledWorld, usdc } from '../world'
import { account, intent, shown } from './shown-executions'

type World = Awaited<ReturnType<typeof peopledWorld>>

/** An execution that searched for a route, and its result. */
function failedAt({ clock }: World, failure: Failure, retryAt: number): Execution {
  const asking = { organizationId: 'org_a', facts: { intent }, state: 'finding route' }
  const record = executionOf(1, asking, { account, token: usdc.base })
  return follow(record, { type: 'step failed', failure, at: clock.now, retryAt })
}

test('a failure shows the cause, the place of the money and the next actor', async () => {
  const world = await peopledWorld()
  const failure = {
    code: 'NO_ROUTE',
    category: 'VALIDATION',
    message: 'No provider has a route for this token to the target.',
  } as const
  const failed = failedAt(world, failure, 0)
  await world.store.executions.save(failed)
  const { json } = await world.ask(`/api/executions/${failed.id}`, { key: world.client })
  expect([json.status, json.lastErrorCode, json.lastErrorCategory, json.cause.code]).toEqual([
    'FAILED_UNROUTABLE_MAIN',
    'FAILED_UNROUTABLE_MAIN',
    'VALIDATION',
    'NO_ROUTE',
  ])
  expect([json.funds.holder, json.next.actor, json.next.action, json.retryable]).toEqual([
    'DEPOSIT_ACCOUNT',
    'INTEGRATOR',
    'CHANGE_INTENT',
    false,
  ])
  expect(json.completedAt).toBe('2026-11-21T10:00:00.000Z')
})

test('a token that cannot be handled is not the intent’s fault, and the operator must act', async () => {
  const world = await peopledWorld()
  const { category, message } = errorRow('TOKEN_NOT_SUPPORTED')
  const failed = failedAt(world, { code: 'TOKEN_NOT_SUPPORTED', category, message }, 0)
  await world.store.executions.save(failed)
  const { json } = await world.ask(`/api/executions/${failed.id}`, { key: world.client })
  expect([json.status, json.next.actor, json.next.action]).toEqual(['FAILED_INVALID_INPUT', 'OPERATOR', 'REVIEW'])
  expect(json.next.message).not.toContain('Correct the intent')
})

test('a retryable failure shows its cause and the time of the next attempt', async () => {
  const world = await peopledWorld()
  const failure = {
    code: 'PROVIDER_TIMEOUT',
    category: 'TIMEOUT',
    message: 'A routing provider did not answer in time.',
  } as const
  const failed = failedAt(world, failure, world.clock.now + 2_000)
  await world.store.executions.save(failed)
  const { json } = await world.ask(`/api/executions/${failed.id}`, { key: world.client })
  expect([json.status, json.retryable, json.retryCount, json.lastErrorCode]).toEqual([
    'FAILED',
    true,
    1,
    'PROVIDER_TIMEOUT',
  ])
  expect(json.next).toMatchObject({ actor: 'SERVICE', action: 'RETRY', expectedAt: '2026-11-21T10:00:02.000Z' })
})

const spent = { hash: hashOf(9), block: 7, amountRaw: '25', at: 7 }
const broken = { code: 'PROVIDER_FAILED', category: 'PROVIDER_5XX', message: 'It broke.', at: 3 } as const
const returned = { ...broken, code: 'FUNDS_RETURNED', category: null } as const

// Columns: the failure and the facts; then the holder of the money, and the message.
testAll<[string, Partial<Execution>, string, string]>([
  [
    'nothing left the account',
    { cause: broken },
    'DEPOSIT_ACCOUNT',
    'The money is safe in the deposit account. It broke.',
  ],
  [
    'the bridge sent it back',
    { cause: returned, facts: { intent, spent } },
    'NONE',
    'The money is back in the deposit',
  ],
  [
    'the bridge has it',
    { cause: broken, facts: { intent, spent } },
    'PROVIDER',
    'The money has left the deposit account.',
  ],
])('DEAD_LETTER shows the place of the money before the reason', async (_case, change, holder, message) => {
  const world = await peopledWorld()
  const dead = shown(1, 1, { state: 'DEAD_LETTER', status: 'DEAD_LETTER', completedAt: 5, dueAt: null, ...change })
  await world.store.executions.save(dead)
  const { json } = await world.ask(`/api/executions/${dead.id}`, { key: world.client })
  expect([json.funds.holder, json.next.actor]).toEqual([holder, 'OPERATOR'])
  expect(json.next.message).toStartWith(message)
  expect(json.next.message).toMatch(/It broke\.( An operator decides what happens next\.)?$/)
  expect((await world.ask(`/api/deposits/${dead.id}`, { key: world.client })).json.next).toEqual(json.next)
})

test('money in one account is claimed by the deposits that brought it, which makes the sum right', async () => {
  const world = await peopledWorld()
  const facts = { intent, balance: { totalReceivedRaw: '75000000', block: 30 } }
  const dead = { state: 'DEAD_LETTER', status: 'DEAD_LETTER', completedAt: 5, dueAt: null, cause: broken } as const
  await world.store.executions.save(shown(1, 1, { ...dead, facts }))
  await world.store.executions.save(shown(2, 2, { state: 'signing order', status: 'FAILED', facts }))
  const { json } = await world.ask('/api/executions', { key: world.client })
  expect(
    json.map(({ amountIn, funds }: { amountIn: string; funds: { amount: string } }) => [amountIn, funds.amount]),
  ).toEqual([
    [shown(2, 2).deposit.amountRaw, shown(2, 2).deposit.amountRaw],
    [shown(1, 1).deposit.amountRaw, shown(1, 1).deposit.amountRaw],
  ])
})

// Columns: the wait reason, the status shown, and the message.
testAll<[WaitReason, 'FAILED' | null, string, RegExp]>([
  ['PROVIDER', null, 'ROUTE', /provider is failing or rate limited/],
  ['PROVIDER', 'FAILED', 'RETRY', /provider is failing or rate limited/],
  ['LANE', 'FAILED', 'RETRY', /earlier deposit/],
  ['PAUSE', 'FAILED', 'RESUME', /Routing is paused, or paused for its chain/],
  ['BLOCK', null, 'ROUTE', /blocks of the chain/],
  ['NODE', null, 'ROUTE', /nodes respond/],
  ['BUDGET', null, 'RAISE_BUDGET', /budget is used up/],
])(
  'a waiting execution names what it waits for, and when an operator is alerted',
  async (reason, status, action, said) => {
    const world = await peopledWorld()
    const facts = { intent, waiting: { for: reason, since: world.clock.now - 1_000 } }
    const record = shown(1, 1, { state: 'finding route', status, dueAt: 99, facts })
    await world.store.executions.save(record)
    const { json } = await world.ask(`/api/deposits/${shown(1, 1).id}`, { key: world.client })
    expect(json.next.action).toBe(action)
    expect(json.next.message).toMatch(said)
    expect(json.next.by).toBe(reason === 'PAUSE' ? null : new Date(deadlineOf(record)!.by).toISOString())
  },
)
