import { beforeEach, expect, test } from 'bun:test'
import { stateNames } from '../../../machines/execution'
import { isStatus, isTerminal, statusNames } from '../../../src/domain/execution/status'
import { namesIn } from '../../../src/domain/tenant/audit-names'
import { usdc } from '../../http/world'
import { account, addressOf, executionOf, sightingOf } from '../../support/deposits'
import { testAll } from '../../support/test-all'
import { fees, intent, order, spent } from '../../support/world'
import { type MembersWorld, membersWorld } from './members-world'

let world: MembersWorld
const begin = async () => {
  world = await membersWorld()
}
beforeEach(begin)

const codeOf = ({ status, headers }: { status: number; headers: Headers }) => [status, headers.get('x-error-code')]
const removeOrganization = (who: string, confirm = 'org_a') =>
  world.as(who, '/organization/delete', { body: { confirm } })
const removeAccount = (who: string, confirm = `${who}@example.test`) =>
  world.as(who, '/account/delete', { body: { confirm } })
const entries = () => world.store.auditLog.entries.map(({ verb, actor, target }) => [verb, actor.id, target])
const membersOf = (id: string) => world.memberships.get(id).members.map(({ personId }) => personId)

test('only an owner can delete an organization, by its name, and the audit log has it first', async () => {
  for (const who of ['admin', 'operator', 'member'])
    expect(codeOf(await removeOrganization(who))).toEqual([403, 'INSUFFICIENT_PERMISSIONS'])
  expect(codeOf(await removeOrganization('owner', 'another name'))).toEqual([400, 'VALIDATION_FAILED'])
  expect(world.erased).toEqual([])
  expect((await removeOrganization('owner')).status).toBe(204)
  expect(entries()).toEqual([['organization.delete', 'owner', 'org_a']])
  expect(world.erased).toEqual(['organization:org_a'])
  expect((await removeOrganization('owner')).status).toBe(204)
})

test('an old session without a second step can neither delete anything nor set a provider', async () => {
  world.clock.now = 3_600_000
  world.began.set('owner', 1)
  const sso = { issuer: 'https://id.example', clientId: 'x', clientSecret: 'x', role: 'member' }
  const refused = [
    await removeOrganization('owner'),
    await removeAccount('owner'),
    await world.as('owner', '/sso', { method: 'PUT', body: sso }),
    await world.as('owner', '/sso', { method: 'DELETE' }),
  ]
  for (const each of refused) expect(codeOf(each)).toEqual([403, 'SIGN_IN_NEEDED'])
  expect([world.erased, entries()]).toEqual([[], []])
  world.began.set('owner', 3_500_000)
  expect((await removeOrganization('owner')).status).toBe(204)
})

test('the platform’s own organization cannot be deleted', async () => {
  expect(codeOf(await removeOrganization('platform-owner', 'org_p'))).toEqual([403, 'INSUFFICIENT_PERMISSIONS'])
})

const ended = { completedAt: 5, createdAt: 5, dueAt: null }
const keep = (n: number, change: object) =>
  world.store.executions.save({ ...executionOf(n), organizationId: 'org_a', ...change, version: 0 } as never)

/** Every state that an execution can have, internal or shown. */
const places = [...new Set([...stateNames, ...statusNames])].map((state) => ({
  state,
  status: isStatus(state) ? state : null,
  ...(isTerminal(state) ? ended : isStatus(state) && { createdAt: 5 }),
}))
/** Final statuses that need no action. */
const over = ['SUCCESS', 'TOKEN_BLACKLISTED', 'FAILED_NO_FUNDS', 'FAILED_INSUFFICIENT_AFTER_FEES']

testAll(places)('a deposit in any state blocks a deletion only until its owner hands it over', async (place) => {
  await begin()
  await keep(1, place)
  const { id } = executionOf(1)
  const { open, left } = (await world.as('owner', '/organization/deletion')).json
  expect(open).toEqual([])
  if (!over.includes(place.state)) {
    expect(left).toMatchObject({ count: 1, deposits: [{ id, userId: 'user-1', status: place.status }] })
    expect(left.deposits[0].funds).toMatchObject({ holder: 'DEPOSIT_ACCOUNT', amount: '1000', tokenSymbol: 'USDC' })
    expect(left.deposits[0].next.message).toMatch(/^[A-Z].+\.$/)
    const refused = await removeOrganization('owner')
    expect(codeOf(refused)).toEqual([409, 'MONEY_OPEN'])
    expect(refused.json.message).toContain(`${id} (${place.status ?? 'not routed yet'})`)
    expect([world.erased, entries()]).toEqual([[], []])
  } else expect(left).toEqual({ count: 0, deposits: [] })
  const body = { confirm: 'org_a', handsOver: left.count }
  expect((await world.as('owner', '/organization/delete', { body })).status).toBe(204)
  expect(world.erased).toEqual(['organization:org_a'])
  const deposits = over.includes(place.state) ? [] : [id]
  expect(world.store.auditLog.entries.at(-1)).toMatchObject({ details: { handedOver: deposits.length, deposits } })
})

test('a deposit that stays with a provider, such as an unseen delivery, can be handed over too', async () => {
  const facts = { intent, order, fees, spent }
  await keep(1, { state: 'DEAD_LETTER', status: 'DEAD_LETTER', ...ended, facts })
  const { left } = (await world.as('owner', '/organization/deletion')).json
  expect(left.deposits[0]).toMatchObject({ funds: { holder: 'PROVIDER' }, next: { actor: 'OPERATOR' } })
  const body = { confirm: 'org_a', handsOver: 1 }
  expect((await world.as('owner', '/organization/delete', { body })).status).toBe(204)
})

test('an unfinished deposit shows the money as its own page does, also in another token on another chain', async () => {
  const delivery = { chainId: 42161, token: usdc.arbitrum, amountRaw: '23704794', block: 9, hash: spent.hash }
  await keep(1, {
    state: 'DEAD_LETTER',
    status: 'DEAD_LETTER',
    ...ended,
    facts: { intent, order, fees, spent, delivery },
  })
  const { left } = (await world.as('owner', '/organization/deletion')).json
  const { funds } = (await world.as('owner', `/executions/${encodeURIComponent(executionOf(1).id)}`)).json
  expect(left.deposits[0].funds).toEqual(funds)
  expect(funds).toMatchObject({ tokenSymbol: 'USDC', tokenDecimals: 6, amount: '23704794' })
})

test('confirming transfers are all counted, on the page, in the refusal and in the audit log', async () => {
  const deposits = Array.from({ length: 130 }, (_, n) => sightingOf(n, { organizationId: 'org_a' }))
  for (const deposit of deposits) await world.store.sightings.save(deposit)
  const { left } = (await world.as('owner', '/organization/deletion')).json
  expect([left.count, left.deposits.length]).toEqual([130, 100])
  expect((await removeOrganization('owner')).json.message).toStartWith('130 deposits are still open: ')
  const body = { confirm: 'org_a', handsOver: 130 }
  expect((await world.as('owner', '/organization/delete', { body })).status).toBe(204)
  expect(world.store.auditLog.entries.at(-1)).toMatchObject({ details: { handedOver: 130 } })
})

test('an owner hands over exactly the deposits shown, and a changed number returns the new list', async () => {
  const remove = (handsOver: unknown) =>
    world.as('owner', '/organization/delete', { body: { confirm: 'org_a', handsOver } })
  await keep(1, {})
  await keep(2, {})
  for (const handsOver of [1, 3]) {
    const refused = await remove(handsOver)
    expect(codeOf(refused)).toEqual([409, 'MONEY_OPEN'])
    expect(refused.json.message).toMatch(/^2 deposits are still open: /)
    for (const n of [1, 2]) expect(refused.json.message).toContain(executionOf(n).id)
    expect(refused.json.message).toContain(`you agreed to hand over ${handsOver}.`)
  }
  for (const handsOver of [true, -1, 1.5, '2']) expect(codeOf(await remove(handsOver))[0]).toBe(400)
  expect([world.erased, entries()]).toEqual([[], []])
  expect((await remove(2)).status).toBe(204)
})

test('deposits of another organization are neither shown nor handed over', async () => {
  await keep(1, { state: 'DEAD_LETTER', status: 'DEAD_LETTER', ...ended })
  const { left } = (await world.as('other-owner', '/organization/deletion')).json
  expect(left).toEqual({ count: 0, deposits: [] })
})

test('the platform’s operators end, re-drive and refund a deleted organization’s deposits, which it can no longer do', async () => {
  const intentOfUser = { id: account, organizationId: 'org_a', userId: 'user-1', createdAt: 1, updatedAt: 1 }
  const refundAddress = addressOf(0x4ef)
  await world.store.intents.save({ ...intentOfUser, ...intent, version: 0, refundAddress, seal: null } as never)
  await keep(1, {})
  await keep(2, { state: 'DEAD_LETTER', status: 'DEAD_LETTER', ...ended, facts: { intent } })
  const body = { confirm: 'org_a', handsOver: 2 }
  expect((await world.as('owner', '/organization/delete', { body })).status).toBe(204)
  // The effect of a deletion on the store is tested with the database, in `erasing.test.ts`.
  for (const key of world.store.apiKeys.all().filter(({ organizationId }) => organizationId === 'org_a'))
    await world.store.apiKeys.save({ ...key, revokedAt: 1 })
  world.operators.holding.balance = 2_000n
  const verb = (key: string, n: number, name: string, more = {}) =>
    world.ask(`/api/operator/executions/${executionOf(n).id}/${name}`, {
      key,
      body: { reason: 'It was left', ...more },
    })
  expect((await verb(world.operator, 1, 'dead-letter')).status).toBe(401)
  expect((await verb(world.platform, 1, 'dead-letter')).json).toMatchObject({ status: 'DEAD_LETTER' })
  expect((await verb(world.platform, 2, 'redrive', { intent: 'ORIGINAL' })).status).toBe(202)
  expect((await verb(world.platform, 1, 'refund')).status).toBe(202)
})

test('a paused organization cannot be deleted, because later deposits must be routed', async () => {
  const pause = { method: 'PUT', body: { reason: 'because' } }
  expect((await world.as('owner', '/operator/pauses/organization', pause)).status).toBe(200)
  expect(codeOf(await removeOrganization('owner'))).toEqual([409, 'MONEY_OPEN'])
  await world.as('owner', '/operator/pauses/organization?reason=over', { method: 'DELETE' })
  expect((await removeOrganization('owner')).status).toBe(204)
})

test('deleting an account first leaves every organization, and each log has it', async () => {
  await world.seat('member', 'org_b', 'admin')
  expect(codeOf(await removeAccount('member', 'owner@example.test'))).toEqual([400, 'VALIDATION_FAILED'])
  expect((await removeAccount('member', 'MEMBER@example.test')).status).toBe(204)
  expect([...membersOf('org_a'), ...membersOf('org_b')]).not.toContain('member')
  expect(world.erased).toEqual(['person:member'])
  expect(entries()).toEqual([
    ['person.delete', 'member', 'member'],
    ['person.delete', 'member', 'member'],
  ])
})

test('the only owner of an organization cannot delete the account before naming another owner', async () => {
  const refused = await removeAccount('owner')
  expect(codeOf(refused)).toEqual([409, 'LAST_OWNER'])
  expect(refused.json.message).toBe('You are the only owner of org_a: make another member an owner, or delete it first')
  expect([membersOf('org_a').includes('owner'), world.erased]).toEqual([true, []])
  await world.as('owner', '/members/admin', { method: 'PATCH', body: { role: 'owner' } })
  expect((await removeAccount('owner')).status).toBe(204)
  expect(membersOf('org_a')).not.toContain('owner')
})

test('one of two last owners who delete their accounts together stays', async () => {
  await world.as('owner', '/members/admin', { method: 'PATCH', body: { role: 'owner' } })
  const both = await Promise.all([removeAccount('owner'), removeAccount('admin')])
  expect(both.map(({ status }) => status).toSorted()).toEqual([204, 409])
  expect(membersOf('org_a').filter((id) => ['owner', 'admin'].includes(id))).toHaveLength(1)
})

test('a person without an organization can delete the account, and a stranger can delete nothing', async () => {
  world.people.set('alone', { id: 'alone', name: 'Alone', email: 'alone@example.test' })
  expect((await removeAccount('alone')).status).toBe(204)
  expect(world.store.auditLog.entries.map(({ organizationId }) => organizationId)).toEqual(['none'])
  expect((await world.as(null, '/account/delete', { body: { confirm: 'x' } })).status).toBe(401)
})

test('the labels of an organization’s keys and endpoints are names in its audit log, and are removed with it', async () => {
  const allowedAddresses = ['192.0.2.7']
  const terms = { label: 'Acme production', role: 'CLIENT', protocolFeeBps: 25, sponsoredGas: false, allowedAddresses }
  const { key } = (await world.as('owner', '/keys', { body: terms })).json
  await world.as('owner', `/keys/${key.id}`, { method: 'PATCH', body: { label: 'Acme test' } })
  await world.as('owner', `/keys/${key.id}/revoke`, { body: { label: 'Acme test' } })
  const endpoint = { url: 'https://acme.example/hooks' }
  const { id } = (await world.as('owner', '/webhook-endpoints', { body: endpoint })).json
  await world.as('owner', `/webhook-endpoints/${id}`, { method: 'PATCH', body: { description: 'Acme' } })
  const { entries } = world.store.auditLog
  const owner = 'owner@example.test'
  expect(entries.map((entry) => [entry.verb, namesIn(entry).map(({ name }) => name)])).toEqual([
    ['key.create', [owner, 'Acme production', '192.0.2.7']],
    ['key.edit', [owner, 'Acme production', 'Acme test']],
    ['key.revoke', [owner, 'Acme test']],
    ['webhook_endpoint.create', [owner, endpoint.url]],
    ['webhook_endpoint.edit', [owner, 'Acme']],
  ])
})
