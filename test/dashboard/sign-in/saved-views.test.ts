import { expect, test } from 'bun:test'
import mongoose from 'mongoose'
import { membersMax } from '../../../src/domain/tenant/member-role'
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
