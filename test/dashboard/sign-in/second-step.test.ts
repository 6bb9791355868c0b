import { beforeEach, expect, test } from 'bun:test'
import { target, usdc } from '../../http/world'
import { type MembersWorld, membersWorld } from './members-world'

let world: MembersWorld
beforeEach(async () => {
  world = await membersWorld()
})

const minutes = 60_000
const codeOf = ({ status, headers }: { status: number; headers: Headers }) => [status, headers.get('x-error-code')]
const needed = [403, 'SECOND_STEP_NEEDED']
const demand = (who: string, demandsSecondStep = true) =>
  world.as(who, '/organization/second-step', { method: 'PUT', body: { demandsSecondStep } })
const proved = (who: string, agoMs: number | null) =>
  world.secondSteps.set(who, {
    hasSecondStep: true,
    secondStepAt: agoMs === null ? null : world.clock.now - agoMs,
  })

const intent = { userId: 'ann', ...target, targetTokenAddress: usdc.arbitrum }
/** What needs a second step from the last minutes, with a good body. */
const guarded: [name: string, path: string, sent: { method?: string; body?: unknown }][] = [
  ['making a key', '/keys', { body: { label: 'x', role: 'CLIENT', protocolFeeBps: 0, sponsoredGas: false } }],
  ['changing a key', '/keys/key_1', { method: 'PATCH', body: { protocolFeeBps: 1 } }],
  ['rolling a key', '/keys/key_1/roll', { body: { overlapSeconds: 0 } }],
  ['inviting somebody', '/invitations', { body: { email: 'new@example.test', role: 'member' } }],
  ['changing a role', '/members/operator', { method: 'PATCH', body: { role: 'member' } }],
  ['removing a member', '/members/operator', { method: 'DELETE' }],
  ['setting a recipient', '/deposit-intents', { body: intent }],
  ['a re-drive', '/operator/executions/none/redrive', { body: { reason: 'because', intent: 'CURRENT' } }],
  ['a refund', '/operator/executions/none/refund', { body: { reason: 'because' } }],
  ['demanding a second step', '/organization/second-step', { method: 'PUT', body: { demandsSecondStep: false } }],
]

test.each(guarded)('%s needs a second step of the last 15 minutes from whoever has one', async (_name, path, sent) => {
  for (const agoMs of [null, 15 * minutes]) {
    proved('owner', agoMs)
    expect(codeOf(await world.as('owner', path, sent))).toEqual(needed)
  }
  proved('owner', 15 * minutes - 1)
  expect((await world.as('owner', path, sent)).headers.get('x-error-code')).not.toBe('SECOND_STEP_NEEDED')
})

test('reading, revoking a key and leaving need no recent second step, since they give nobody anything', async () => {
  proved('owner', null)
  expect((await world.as('owner', '/keys')).status).toBe(200)
  expect((await world.as('owner', '/users/ann/deposit-intent')).status).toBe(404)
  expect((await world.as('owner', '/keys/key_1/revoke', { body: { label: 'test' } })).status).toBe(200)
  proved('member', null)
  expect((await world.as('member', '/members/leave', { method: 'POST' })).status).toBe(204)
})

test('an organization that demands a second step shows nothing to a member without one, until there is one', async () => {
  proved('owner', 0)
  expect((await demand('owner')).json).toMatchObject({ demandsSecondStep: true })
  const demanded = [403, 'SECOND_STEP_DEMANDED']
  for (const path of ['/members', '/executions', '/events/stream', '/operator/audit'])
    expect([path, ...codeOf(await world.as('admin', path))]).toEqual([path, ...demanded])
  const me = (await world.as('admin', '/me')).json
  expect(me).toMatchObject({ person: { hasSecondStep: false }, organizations: [{ demandsSecondStep: true }] })
  proved('admin', null)
  expect((await world.as('admin', '/members')).status).toBe(200)
  expect((await world.as('other-owner', '/members')).status).toBe(200)
  expect((await world.ask('/api/executions', { key: world.client })).status).toBe(200)
  const { entries } = world.store.auditLog
  expect(entries).toMatchObject([{ verb: 'organization.second_step', details: { from: false, to: true } }])
})

test('nobody demands a second step who has none, and only owners and admins do', async () => {
  expect((await demand('owner')).status).toBe(400)
  for (const who of ['operator', 'member']) expect((await demand(who)).status).toBe(403)
  proved('admin', 0)
  expect((await demand('admin')).status).toBe(200)
  expect((await demand('admin', false)).json).toMatchObject({ demandsSecondStep: false })
})
