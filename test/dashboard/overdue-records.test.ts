import { expect, test } from 'bun:test'
import { createElement } from 'react'
import { ApiError } from '../../src/dashboard/data/api'
import type { Overdue } from '../../src/dashboard/live/overdue'
import { lacksRecord, newestOf } from '../../src/dashboard/pages/now/overdue-actions'
import { OverdueCard } from '../../src/dashboard/pages/operations/overdue'
import { Resume } from '../../src/dashboard/pages/operations/resume'
import type { OverdueRecordsView } from '../../src/http/dashboard/overdue-records'
import type { OverdueView } from '../../src/http/operator/overdue'
import { executionOf } from '../support/deposits'
import { pageMarkup } from '../support/page-markup'
import { intent } from '../support/world'
import { membersWorld } from './sign-in/members-world'

/** Executions of two organizations whose next attempt is an hour late, and one that is not shown yet. */
async function overdueWorld() {
  const world = await membersWorld()
  const { store, clock } = world
  const late = { status: 'FAILED', state: 'FAILED', dueAt: clock.now, createdAt: clock.now } as const
  for (let n = 1; n <= 30; n++) await store.executions.save(executionOf(n, { ...late, organizationId: 'org_a' }))
  await store.executions.save(executionOf(31, { ...late, organizationId: 'org_b' }))
  const unseen = { state: 'finding route', status: null, createdAt: null, dueAt: clock.now } as const
  await store.executions.save(executionOf(32, { ...unseen, organizationId: 'org_b' }))
  clock.now += 3_600_000
  return world
}

test('the records of the first overdue entries come in one response, and the executions by one query', async () => {
  const { as, store } = await overdueWorld()
  const asked: (readonly string[])[] = []
  const { findAll } = store.executionQueries
  store.executionQueries.findAll = async (ids) => {
    asked.push(ids)
    return findAll(ids)
  }
  const rows: (typeof OverdueView.infer)[] = (await as('operator', '/operator/overdue')).json
  expect(rows.length).toBe(30)
  const { executions, deposits } = (await as('operator', '/overdue/records')).json
  const first = rows.slice(0, 25).map(({ executionId }) => executionId)
  expect(executions.map(({ id }: { id: string }) => id).toSorted()).toEqual(first.toSorted())
  expect([deposits, asked.length]).toEqual([[], 1])
})

test('every overdue entry can be opened, also those beyond the first, which have buttons', async () => {
  const { as } = await overdueWorld()
  const rows: Overdue[] = (await as('operator', '/operator/overdue')).json
  const markup = pageMarkup(createElement(OverdueCard), { answers: { overdue: rows } })
  const links = [...markup.matchAll(/href="\/executions\/([^"]+)"/g)].map(([, id]) => decodeURIComponent(id!))
  expect(links).toEqual(rows.map(({ executionId }) => executionId!))
  expect(markup).toContain('5 more became overdue after these')
})

test('an entry that is not shown as an execution yet has the record of its deposit, as the list of deposits shows it', async () => {
  const { as } = await overdueWorld()
  const { executions, deposits } = (await as('other-operator', '/overdue/records')).json
  expect(executions).toHaveLength(1)
  const { json } = await as('other-operator', '/deposits')
  expect(deposits).toEqual(json.filter(({ executionId }: { executionId: string | null }) => executionId === null))
  expect(deposits).toHaveLength(1)
})

test('a deposit that waits for its paused target token names who can end the pause, and offers its end to them', async () => {
  const { as, store, clock } = await membersWorld()
  const waiting = { for: 'PAUSE', since: clock.now } as const
  const waits = { organizationId: 'org_a', state: 'screening deposit', status: null, createdAt: null } as const
  await store.executions.save(executionOf(1, { ...waits, facts: { intent, waiting } }))
  const { targetChainId, targetTokenAddress } = intent
  const scope = `token:${targetChainId}:${targetTokenAddress}`
  await as('platform-owner', `/operator/pauses/${scope}`, { method: 'PUT', body: { reason: 'It lost its peg' } })
  const [of] = (await as('platform-operator', '/deposits')).json
  expect(of).toMatchObject({ stage: 'PAUSED', toChainId: targetChainId, toTokenAddress: targetTokenAddress })
  expect(of.next).toMatchObject({ actor: 'OPERATOR', action: 'RESUME' })
  expect(of.next.message).toContain(
    'The operators who began the pause, the platform’s or the organization’s own, can end it.',
  )
  const offers = async (reader: string, role: 'operator' | 'member') => {
    const pauses = (await as(reader, '/operator/pauses')).json
    const isPlatform = reader.startsWith('platform')
    const markup = pageMarkup(createElement(Resume, { of }), { isPlatform, role, answers: { pauses } })
    return [...markup.matchAll(/aria-label="Resume ([^"]+)"/g)].length
  }
  expect(await offers('platform-operator', 'operator')).toBe(1)
  expect(await offers('platform-operator', 'member')).toBe(0)
  expect(await offers('operator', 'operator')).toBe(0)
})

test('the records are requested again while an entry that has an execution or a deposit lacks its record', () => {
  const entry = (executionId: string | null, depositId: string | null) => ({ executionId, depositId }) as Overdue
  const records = (executions: string[], deposits: string[]) =>
    ({ executions: executions.map((id) => ({ id })), deposits: deposits.map((id) => ({ id })) }) as OverdueRecordsView
  const entries = [entry('e1', 'd1'), entry(null, 'd2'), entry(null, null)]
  expect(lacksRecord(entries, records(['e1'], ['d2']))).toBe(false)
  for (const missing of [undefined, records([], ['d2']), records(['e1'], []), records(['e2'], ['d1', 'd2'])])
    expect(lacksRecord(entries, missing)).toBe(true)
  expect(lacksRecord([entry(null, null)], undefined)).toBe(false)
})

test('the newer record of an entry is shown, also after a failed read, unless the server knows none', () => {
  const [older, newer] = [{ seq: 4 }, { seq: 5 }]
  const failed = (statusCode: number) => new ApiError(statusCode, 'It failed.', null, null)
  expect(newestOf({ data: newer, error: null }, older)).toBe(newer)
  expect(newestOf({ data: older, error: null }, newer)).toBe(newer)
  expect(newestOf({ data: undefined, error: null }, older)).toBe(older)
  for (const code of [0, 503]) expect(newestOf({ data: newer, error: failed(code) }, older)).toBe(newer)
  expect(newestOf({ data: newer, error: failed(404) }, older)).toBe(older)
})
