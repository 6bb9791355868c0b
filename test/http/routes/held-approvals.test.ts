import { expect, test } from 'bun:test'
import { target } from '../world'
import { changeHeld, codeOf, elsewhere, holding, hour, third } from './holding'

/** A second account of a member, which has just joined or been promoted. */
async function puppetOf(world: Awaited<ReturnType<typeof holding>>, by: string, role: 'admin' | 'member' = 'admin') {
  const email = 'puppet@example.test'
  world.people.set('puppet', { id: 'puppet', name: 'puppet', email })
  const { link } = (await world.as(by, '/invitations', { body: { email, role } })).json
  const token = new URL(link).searchParams.get('token')
  expect((await world.as('puppet', '/invitation', { body: { token } })).status).toBe(200)
}
const asks = ({ as }: Pick<Awaited<ReturnType<typeof holding>>, 'as'>, who: string) =>
  as(who, '/deposit-intents', { body: { userId: 'ann', ...elsewhere } })

test('an account let in or promoted by a member can never approve that member’s requests', async () => {
  for (const [invitedBy, promotedBy] of [
    ['admin', null],
    ['owner', 'admin'],
    ['admin', 'owner'],
  ] as const) {
    const world = await holding({ kind: 'APPROVAL' })
    const { as, approve, clock, goesTo } = world
    await puppetOf(world, invitedBy, promotedBy ? 'member' : 'admin')
    if (promotedBy) await as(promotedBy, '/members/puppet', { method: 'PATCH', body: { role: 'admin' } })
    expect(codeOf(await asks(world, 'admin'))).toEqual(changeHeld)
    expect(codeOf(await approve('puppet'))).toEqual([403, 'INSUFFICIENT_PERMISSIONS'])
    clock.now += 100 * 24 * hour
    await world.withdraw('admin')
    await asks(world, 'admin')
    const refused = await approve('puppet')
    expect([refused.status, refused.json.message]).toEqual([
      403,
      'Another member must approve this change: the person who requested it invited, admitted or promoted you',
    ])
    expect((await as('puppet', '/recipient-changes')).json).toMatchObject([
      { mayApprove: false, objection: refused.json.message },
    ])
    expect([(await approve('owner')).status, await goesTo()]).toEqual([204, elsewhere.targetAddress])
  }
})

test('both people of an approval must have been owner or admin for 24 hours before the request', async () => {
  for (const [requester, approver, objection] of [
    ['admin', 'puppet', /you became an owner or admin less than 24 hours before/],
    ['puppet', 'admin', /its requester became an owner or admin less than 24 hours before/],
  ] as const) {
    const world = await holding({ kind: 'APPROVAL' })
    const { approve, withdraw, clock, goesTo } = world
    await puppetOf(world, 'owner')
    clock.now += 24 * hour - 1
    await asks(world, requester)
    clock.now += 24 * hour // the time of the request counts
    const refused = await approve(approver)
    expect([refused.status, objection.test(refused.json.message)]).toEqual([403, true])
    await withdraw('owner')
    await asks(world, requester)
    expect([(await approve(approver)).status, await goesTo()]).toEqual([204, elsewhere.targetAddress])
  }
})

test('the request of a person who left is not approved, except by a key that is a day old', async () => {
  const world = await holding({ kind: 'APPROVAL' })
  const { as, approve, put, clock, key } = world
  await puppetOf(world, 'owner')
  clock.now += 48 * hour
  await asks(world, 'puppet')
  const text = await key('org_a', 'CLIENT', { createdBy: 'puppet', createdAt: clock.now - 24 * hour })
  expect((await as('puppet', '/members/leave', { method: 'POST' })).status).toBe(204)
  expect((await approve('admin')).status).toBe(403)
  await put(third, text)
  expect((await approve('admin')).status).toBe(204)
})

test('every way to an approving role records its grantor and time, which later changes between such roles keep', async () => {
  const world = await holding({ kind: 'APPROVAL' })
  const { as, clock, memberships } = world
  const appointed = () => memberships.get('org_a').members.find(({ personId }) => personId === 'puppet')?.appointed
  const becomes = (role: string, by: string) => as(by, '/members/puppet', { method: 'PATCH', body: { role } })
  await puppetOf(world, 'owner', 'member')
  const joined = clock.now
  expect(appointed()).toEqual({ at: joined, by: 'owner' })
  clock.now += hour
  await becomes('admin', 'admin')
  expect(appointed()).toEqual({ at: clock.now, by: 'admin', admittedBy: 'owner' })
  clock.now += hour
  await becomes('owner', 'owner')
  await becomes('operator', 'owner')
  expect(appointed()).toEqual({ at: clock.now - hour, by: 'admin', admittedBy: 'owner' })
  await becomes('admin', 'owner')
  expect(appointed()).toEqual({ at: clock.now, by: 'owner', admittedBy: 'owner' })
})

test('a decision counts only for the change that the person was shown', async () => {
  const { put, approve, withdraw, shown, goesTo, store, id } = await holding({ kind: 'APPROVAL' })
  await put(elsewhere)
  const seen = await shown()
  await put(third)
  for (const act of [approve, withdraw]) expect(codeOf(await act('owner', seen))).toEqual([409, 'CHANGED_MEANWHILE'])
  expect([await goesTo(), (await store.heldChanges.load(id))!.state]).toEqual([target.targetAddress, 'WAITING'])
  // The same request repeated after a different one does not count either.
  await put(elsewhere)
  expect(codeOf(await approve('owner', seen))).toEqual([409, 'CHANGED_MEANWHILE'])
  expect([(await approve('owner')).status, await goesTo()]).toEqual([204, elsewhere.targetAddress])
})
