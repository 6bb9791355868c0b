import { expect, test } from 'bun:test'
import { executionOf, hashOf, sightingOf } from '../../support/deposits'
import { peopledWorld, usdc } from '../world'
import { account, shown } from './shown-executions'

test('a deposit is no execution before its route is found, and is shown as a deposit', async () => {
  const world = await peopledWorld()
  await world.store.executions.save(
    shown(1, world.clock.now, { status: null, createdAt: null, state: 'finding route' }),
  )
  const ask = (path: string) => world.ask(path, { key: world.client })
  expect((await ask('/api/executions')).json).toEqual([])
  expect((await ask(`/api/executions/${executionOf(1).id}`)).json.message).toBe('No execution with this id')
  const { json } = await ask(`/api/deposits/${executionOf(1).id}`)
  expect([json.stage, json.executionId, json.next.action]).toEqual(['ROUTING', null, 'ROUTE'])
})

test('an unconfirmed transfer is a confirming deposit, and a dropped one belongs to no user', async () => {
  const world = await peopledWorld()
  const seen = { organizationId: 'org_a', account, token: usdc.base, detectedAt: world.clock.now } as const
  await world.store.sightings.save(sightingOf(1, seen))
  await world.store.sightings.save(sightingOf(2, { ...seen, stage: 'ORPHANED' }))
  const { json } = await world.ask(`/api/deposits?txHash=${hashOf(1)}`, { key: world.client })
  expect(json).toMatchObject([
    { stage: 'CONFIRMING', seq: 1, executionId: null, next: { actor: 'SERVICE', action: 'CONFIRM' } },
  ])
  const dropped = await world.ask(`/api/deposits/${sightingOf(2).id}`, { key: world.client })
  expect(dropped.json).toMatchObject({
    stage: 'ORPHANED',
    funds: { holder: 'SENDER' },
    next: { actor: 'NOBODY', action: 'NONE', executionId: null },
    state: 'orphaned',
  })
  expect(dropped.json.next.message).not.toContain('still has')
  const moved = { ...sightingOf(2, seen), id: `8453:${hashOf(2)}:1`, logIndex: 1 }
  await world.store.sightings.save(moved)
  const followed = await world.ask(`/api/deposits/${sightingOf(2).id}`, { key: world.client })
  expect(followed.json).toMatchObject({
    stage: 'ORPHANED',
    funds: { holder: 'NONE', amount: '0' },
    next: { actor: 'NOBODY', action: 'FOLLOW', executionId: moved.id },
  })
})
