import { expect, test } from 'bun:test'
import mongoose from 'mongoose'
import { createElement } from 'react'
import { SavedViews } from '../../../src/dashboard/pages/executions/saved-views'
import { membersMax } from '../../../src/domain/tenant/member-role'
import { pageMarkup } from '../../support/page-markup'
import { membersWorld } from './members-world'

const put = (name: string, query: string) => ({ method: 'PUT', body: { name, query } })

test('a person’s saved views are theirs on every device, in one organization, and survive other settings', async () => {
  const world = await membersWorld()
  await world.as('operator', '/views', put('Stuck', 'status=FAILED'))
  await world.as('operator', '/views', put('Base', 'from=base'))
  // Two devices that save at the same time lose nothing, and a repeated name replaces its view.
  await Promise.all(
    [put('Stuck', 'status=DEAD_LETTER'), put('Polygon', 'from=polygon')].map((asked) =>
      world.as('operator', '/views', asked),
    ),
  )
  const notices = { pace: 'OFF', kinds: [], quiet: null, timeZone: 'UTC' }
  await world.as('operator', '/notifications', { method: 'PUT', body: notices })
  const viewsOf = async (name: string): Promise<Record<string, string>> => {
    const { json } = await world.as(name, '/views')
    return Object.fromEntries(json.map((view: { name: string; query: string }) => [view.name, view.query]))
  }
  const saved = { Base: 'from=base', Stuck: 'status=DEAD_LETTER', Polygon: 'from=polygon' }
  expect([await viewsOf('operator'), await viewsOf('admin')]).toEqual([saved, {}])
  expect((await world.as('operator', '/notifications')).json).toMatchObject(notices)
  await world.as('operator', '/views?name=Base', { method: 'DELETE' })
  expect(Object.keys(await viewsOf('operator')).toSorted()).toEqual(['Polygon', 'Stuck'])
})

test('a shared view is seen by every member of its organization, and forgotten by its author', async () => {
  const world = await membersWorld()
  const shared = (name: string) => ({ method: 'PUT', body: { name, query: 'status=FAILED', isShared: true } })
  await world.as('operator', '/views', put('Mine', 'from=base'))
  await world.as('operator', '/views', shared('Stuck'))
  const view = { name: 'Stuck', query: 'status=FAILED', isShared: true }
  expect((await world.as('member', '/views')).json).toEqual([{ ...view, isOwn: false }])
  expect((await world.as('other-member', '/views')).json).toEqual([])
  const own = await world.as('operator', '/views')
  expect(own.json).toEqual([
    { name: 'Mine', query: 'from=base', isShared: false, isOwn: true },
    { ...view, isOwn: true },
  ])
  // The same view, saved for oneself, is shown once. Someone who only reads shares nothing.
  await world.as('admin', '/views', put('Stuck', 'status=FAILED'))
  expect((await world.as('admin', '/views')).json).toEqual([{ ...view, isShared: false, isOwn: true }])
  expect((await world.as('member', '/views', shared('Ours'))).status).toBe(403)
  await world.as('member', '/views?name=Stuck', { method: 'DELETE' })
  const forget = '/views?name=Stuck&sharedQuery=status%3DFAILED'
  expect((await world.as('member', forget, { method: 'DELETE' })).status).toBe(403)
  expect((await world.as('member', '/views')).json).toHaveLength(1)
  await world.as('operator', '/views?name=Stuck', { method: 'DELETE' })
  expect((await world.as('member', '/views')).json).toEqual([])
})

test('owners and admins forget the shared views of others, who keep all else', async () => {
  const world = await membersWorld()
  const share = (name: string) => ({ method: 'PUT', body: { name, query: 'from=base', isShared: true } })
  await world.as('operator', '/views', share('Stuck'))
  await world.as('operator', '/views', share('Kept'))
  await world.as('operator', '/views', put('Mine', 'from=base'))
  const forget = (name: string) => `/views?name=${name}&sharedQuery=from%3Dbase`
  expect((await world.as('admin', forget('Mine'), { method: 'DELETE' })).json).toHaveLength(2)
  const { json } = await world.as('admin', forget('Stuck'), { method: 'DELETE' })
  expect(json).toEqual([{ name: 'Kept', query: 'from=base', isShared: true, isOwn: false }])
  const own = (await world.as('operator', '/views')).json
  expect(own.map(({ name }: { name: string }) => name)).toEqual(['Kept', 'Mine'])
  expect((await world.as('owner', forget('Kept'), { method: 'DELETE' })).json).toEqual([])
})

test('a member who may no longer share views shares none', async () => {
  const world = await membersWorld()
  await world.as('operator', '/views', { method: 'PUT', body: { name: 'Stuck', query: '', isShared: true } })
  const membership = world.memberships.get('org_a')
  const members = membership.members.map((one) =>
    one.personId === 'operator' ? { ...one, role: 'member' as const } : one,
  )
  await world.memberships.save({ ...membership, members })
  expect((await world.as('admin', '/views')).json).toEqual([])
  expect((await world.as('operator', '/views')).json).toEqual([
    { name: 'Stuck', query: '', isShared: false, isOwn: true },
  ])
})

test('a shared view is called so, and only its author, owners and admins are offered to forget it', () => {
  const shownOf = (view: object, role: 'operator' | 'admin' = 'operator'): string => {
    const answers = { views: [{ name: 'Stuck', query: 'from=base', ...view }] }
    return pageMarkup(createElement(SavedViews, { parameters: 'from=base', onChoose() {} }), { answers, role })
  }
  const shown = (isOwn: boolean): string => shownOf({ isShared: true, isOwn })
  expect(shownOf({ isShared: true, isOwn: false }, 'admin')).toContain('Forget “Stuck”')
  // A process of the previous release shows a person's own views, without these fields.
  expect(shownOf({})).toContain('Forget “Stuck”')
  expect(shown(false)).toContain('Stuck · shared<')
  expect(shown(false)).not.toContain('Forget')
  expect(shown(true)).toMatch(/Stuck · shared by you<.*Forget “Stuck”/s)
})

test('members share at most 20 views together', async () => {
  const world = await membersWorld()
  const share = (who: string, n: number) =>
    world.as(who, '/views', { method: 'PUT', body: { name: `View ${n}`, query: `${n}`, isShared: true } })
  for (let n = 1; n <= 20; n++) expect((await share(n % 2 ? 'operator' : 'admin', n)).status).toBe(200)
  const { status, json } = await share('owner', 21)
  expect([status, json.message]).toEqual([409, 'Members may share 20 views: forget a shared one first'])
  expect((await share('operator', 1)).status).toBe(200)
  expect((await world.as('owner', '/views', put('Mine', ''))).status).toBe(200)
})

test('a person saves at most 20 views, of limited length', async () => {
  const world = await membersWorld()
  for (let n = 1; n <= 20; n++) expect((await world.as('member', '/views', put(`View ${n}`, ''))).status).toBe(200)
  const { status, json } = await world.as('member', '/views', put('View 21', ''))
  expect([status, json.message]).toEqual([409, 'You may save 20 views: forget one first'])
  expect((await world.as('member', '/views', put('View 20', 'status=FAILED'))).status).toBe(200)
  const refused = [put('', ''), put('x'.repeat(33), ''), put('x', 'x'.repeat(601)), { method: 'DELETE' }]
  const statuses = await Promise.all(refused.map(async (asked) => (await world.as('member', '/views', asked)).status))
  expect(statuses).toEqual([400, 400, 400, 400])
})

test('the members of the largest organization fit into one document, with all their views', async () => {
  const world = await membersWorld()
  for (let n = 10; n < 30; n++) {
    const view = put(`${n}${'\u{1F6A6}'.repeat(30)}`, '\u20ac'.repeat(600))
    expect((await world.as('member', '/views', view)).status).toBe(200)
  }
  const members = world.memberships.get('org_a').members.filter(({ personId }) => personId === 'member')
  // The other members, and settings of notifications, take a part of the 16 MB.
  expect(members[0]!.views).toHaveLength(20)
  expect(mongoose.mongo.BSON.calculateObjectSize(members) * membersMax).toBeLessThan(12_000_000)
})
