import { expect, test } from 'bun:test'
import { StoreUnreachable } from '../../../src/domain/unavailable'
import { executionOf } from '../../support/deposits'
import { membersWorld, pageOrigin } from './members-world'

const rowCount = 1_203

/** A world with more executions than two parts of an export. */
async function exportingWorld() {
  const world = await membersWorld()
  const at = world.clock.now - 10_000
  for (let n = 1; n <= rowCount; n++) {
    const shown = { status: 'PENDING', state: 'PENDING', createdAt: at + Math.floor(n / 2) } as const
    await world.store.executions.save(executionOf(n, { organizationId: 'org_a', ...shown }, { detectedAt: at }))
  }
  await world.store.executions.save(executionOf(9_999, { organizationId: 'org_b', createdAt: at, status: 'PENDING' }))
  return world
}
const linesOf = (text: string): Record<string, unknown>[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))

test('an export has every row of the list once, in its order, with the filters of the list, and states their number', async () => {
  const world = await exportingWorld()
  for (const [list, query] of [
    ['executions', ''],
    ['executions', 'order=oldest'],
    ['deposits', ''],
  ] as const) {
    const { status, text, headers } = await world.as('member', `/exports/${list}?${query}`)
    expect([status, headers.get('content-type')]).toEqual([200, 'application/x-ndjson; charset=utf-8'])
    const rows = linesOf(text)
    expect(rows.pop()).toEqual({ rowCount })
    expect(new Set(rows.map(({ id }) => id)).size).toBe(rowCount)
    const { json } = await world.as('member', `/${list}?limit=100&${query}`)
    expect(rows.slice(0, 100)).toEqual(json)
  }
  const none = await world.as('member', '/exports/executions?status=SUCCESS')
  expect(linesOf(none.text)).toEqual([{ rowCount: 0 }])
  expect((await world.as('member', '/exports/executions?limit=5')).status).toBe(400)
})

test('an export that cannot begin is refused', async () => {
  const down = async () => {
    throw new StoreUnreachable('away')
  }
  const world = await membersWorld({ ports: { depositQueries: { list: down, find: down } } })
  expect((await world.as('member', '/exports/deposits')).status).toBe(503)
})

test('an export breaks off without its last line once the person is no longer a member', async () => {
  const world = await exportingWorld()
  const headers = { origin: pageOrigin, cookie: 'person=member' }
  const response = await world.api.handle(new Request(`${pageOrigin}/app/api/exports/executions`, { headers }))
  const membership = (await world.memberships.load('org_a'))!
  await world.memberships.save({ ...membership, members: [] })
  const rows = linesOf(await response.text())
  expect(rows.length).toBeLessThan(rowCount)
  expect(rows.at(-1)).not.toHaveProperty('rowCount')
})

test('an export breaks off once a member of several organizations leaves its own, or an operator no longer sees all', async () => {
  for (const [name, organizationId, left] of [
    ['member', 'org_a', []],
    ['platform-operator', 'org_p', [{ personId: 'platform-operator', role: 'member', joinedAt: 0 }]],
  ] as const) {
    const world = await exportingWorld()
    await world.seat('member', 'org_b', 'member')
    const headers = { origin: pageOrigin, cookie: `person=${name}` }
    const response = await world.api.handle(new Request(`${pageOrigin}/app/api/exports/executions`, { headers }))
    const membership = (await world.memberships.load(organizationId))!
    await world.memberships.save({ ...membership, members: [...left] })
    const rows = linesOf(await response.text())
    expect([name, rows.length < rowCount, 'rowCount' in rows.at(-1)!]).toEqual([name, true, false])
  }
})

test('an export of the audit log breaks off without its head once the person is no longer an operator', async () => {
  const world = await membersWorld()
  for (let n = 0; n < rowCount; n++)
    await world.store.auditLog.append({
      ...{ id: `aud_${n}`, at: world.clock.now, organizationId: 'org_a', verb: 'key.edit', target: 'key_1' },
      ...{ actor: { kind: 'MEMBER', id: 'ann', label: 'Ann' }, reason: null, requestId: null, details: {} },
    })
  const headers = { origin: pageOrigin, cookie: 'person=operator' }
  const response = await world.api.handle(new Request(`${pageOrigin}/app/api/operator/audit/export`, { headers }))
  const membership = (await world.memberships.load('org_a'))!
  const members = membership.members.map((one) => ({ ...one, role: 'member' as const }))
  await world.memberships.save({ ...membership, members })
  const text = await response.text()
  expect([response.status, text.includes('"head"')]).toEqual([200, false])
})
