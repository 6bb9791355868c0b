import { expect, test } from 'bun:test'
import { membersWorld } from '../../dashboard/sign-in/members-world'
import { target, usdc } from '../world'

const elsewhere = { ...target, targetAddress: '0x25fa55D9f052CB3b815bB1E09504f9F448f2FA9C' }

test('a redirect is in the log of the user’s organization, with the previous recipient', async () => {
  const { ask, client, store } = await membersWorld()
  const put = (body: object) => ask('/api/deposit-intents', { key: client, body: { userId: 'ann', ...body } })
  const { depositAddress } = (await put(target)).json
  await put(target)
  await put({ ...elsewhere, organizationId: 'org_b' })
  const { entries } = store.auditLog
  expect(entries.map(({ verb }) => verb)).toEqual(['intent.create', 'intent.edit'])
  for (const entry of entries)
    expect(entry).toMatchObject({
      organizationId: 'org_a',
      target: depositAddress,
      reason: null,
      actor: { kind: 'API_KEY', id: 'key_1' },
    })
  expect(entries[1]!.details).toEqual({
    targetAddress: { from: target.targetAddress, to: elsewhere.targetAddress },
  })
})

test('an intent from the dashboard is logged under the member who clicked, though it belongs to a key', async () => {
  const { as, store } = await membersWorld()
  const body = { userId: 'ann', ...target, targetTokenAddress: usdc.arbitrum }
  expect((await as('admin', '/deposit-intents', { body })).status).toBe(201)
  const [entry] = store.auditLog.entries
  expect(entry).toMatchObject({
    verb: 'intent.create',
    actor: { kind: 'MEMBER', id: 'admin' },
    organizationId: 'org_a',
  })
  expect(store.intents.all()).toMatchObject([{ apiKeyId: 'key_1' }])
})

test('an account is logged when created or relabelled, but not when requested again', async () => {
  const { ask, client, store } = await membersWorld()
  const make = (label?: string) =>
    ask('/api/accounts', { key: client, body: { ownerAddress: 'ann', chainKey: 'base', ...(label && { label }) } })
  await make()
  await make()
  await make('Ann')
  await make('Ann')
  const { entries } = store.auditLog
  expect(entries.map(({ verb, details }) => [verb, details])).toEqual([
    ['account.create', { userId: 'ann', label: null }],
    ['account.edit', { label: { from: null, to: 'Ann' } }],
  ])
})
