import { expect, test } from 'bun:test'
import { target } from '../http/world'
import { membersWorld } from './members-world'

const wish = { label: 'mine', role: 'CLIENT', protocolFeeBps: 0, sponsoredGas: true }

/** The organization on another plan. */
async function onPlan(world: Awaited<ReturnType<typeof membersWorld>>, plan: 'free' | 'growth') {
  const stored = (await world.store.organizations.load('org_a'))!
  await world.store.organizations.save({ ...stored, plan })
  world.clock.now += 60_000 // the keys' own memory of it is short
}

test('a key may ask for sponsored gas where the plan has it, and nowhere else', async () => {
  const world = await membersWorld()
  await onPlan(world, 'free')
  const refused = await world.as('owner', '/keys', { body: wish })
  expect([refused.status, refused.headers.get('x-error-code')]).toEqual([403, 'NOT_IN_PLAN'])
  expect(refused.json.message).toContain('no sponsored gas')
  const plain = await world.as('owner', '/keys', { body: { ...wish, sponsoredGas: false } })
  const edited = await world.as('owner', `/keys/${plain.json.key.id}`, {
    method: 'PATCH',
    body: { sponsoredGas: true },
  })
  expect([plain.status, edited.status]).toEqual([201, 403])
  await onPlan(world, 'growth')
  expect((await world.as('owner', '/keys', { body: wish })).status).toBe(201)
})

test('a key that is sponsored from before another plan promises nothing in its intents', async () => {
  const world = await membersWorld()
  const { value } = (await world.as('owner', '/keys', { body: wish })).json
  const intentOf = async (userId: string) =>
    (await world.ask('/api/deposit-intents', { key: value, body: { userId, ...target } })).json
  expect((await intentOf('before')).sponsoredGas).toBe(true)
  await onPlan(world, 'free')
  expect((await intentOf('after')).sponsoredGas).toBe(false)
})
