import { expect, test } from 'bun:test'
import { follow } from '../../machines/follow'
import type { Execution, Failure } from '../../src/domain/execution'
import { executionOf } from '../support/deposits'
import { account, intent } from './shown-executions'
import { peopledWorld, usdc } from './world'

type World = Awaited<ReturnType<typeof peopledWorld>>

/** A deposit whose route was asked for, and what came of it. */
function failedAt({ clock }: World, failure: Failure, retryAt: number): Execution {
  const asking = { organizationId: 'org_a', facts: { intent }, state: 'finding route' }
  const record = executionOf(1, asking, { account, token: usdc.base })
  return follow(record, { type: 'step failed', failure, at: clock.now, retryAt })
}

test('a failure says what went wrong, where the money is and who acts', async () => {
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

test('a failure that is tried again is named by its cause, and says when', async () => {
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
