import { expect, test } from 'bun:test'
import { createElement } from 'react'
import { IncidentLines, Lines } from '../../src/dashboard/incidents/incidents'
import { isPayeeSeen, Payee, presentIntentOf } from '../../src/dashboard/pages/execution/actions'
import { PathMap } from '../../src/dashboard/pages/execution/path-map'
import { Pauses } from '../../src/dashboard/pages/operations/pauses'
import { CurrentIntent } from '../../src/dashboard/pages/recipients/recipient-changes'
import { account, fill, intent } from '../http/routes/shown-executions'
import { usdc } from '../http/world'
import { executionOf } from '../support/deposits'
import { pageMarkup } from '../support/page-markup'
import { membersWorld } from './sign-in/members-world'

const refused = new Error('Refused by the test')
const pause = (scope: string) => ({
  scope,
  version: '1',
  reason: 'why',
  since: '2026-11-21T10:00:00.000Z',
  until: null,
})
const listed = (scope: string) => ({
  ...pause(scope),
  isOwn: scope === 'organization',
  createdAt: pause(scope).since,
})

test('the path of an execution whose map could not be read says so, and can be read again', () => {
  const execution = { history: [], status: 'RUNNING' } as never
  const path = (answers: Record<string, unknown>) =>
    pageMarkup(createElement(PathMap, { execution, shown: 0, onChoose: () => {} }), { answers })
  expect(path({})).toContain('aria-label="Loading"')
  const failed = path({ lifecycle: refused })
  expect(failed).toMatch(/role="alert".*Refused by the test.*Try again/)
  expect(failed).not.toContain('aria-label="Loading"')
})

test('an approver sees that the current recipient is on the way, or could not be read', () => {
  const current = createElement(CurrentIntent, { userId: 'u' })
  expect(pageMarkup(current, {})).toContain('aria-label="Loading"')
  const failed = pageMarkup(current, { answers: { 'current intent/u': refused } })
  expect(failed).toMatch(/role="alert".*Refused by the test.*Try again/)
})

test('money is sent by an intent only once its payee has been read, and not if there is none', () => {
  expect([undefined, null, {}].map((data) => isPayeeSeen({ data }, true))).toEqual([false, false, true])
  expect(isPayeeSeen({ data: undefined }, false)).toBe(true)
  const without = createElement(Payee, { intent: null, isRefund: false })
  expect(pageMarkup(without, {})).toContain('Not possible: the user has no current intent')
})

test('the payee is read from the execution, also if the platform has a user of the same id', async () => {
  const { store, clock, as } = await membersWorld()
  const user = { userId: 'user-1', createdAt: 1, updatedAt: 1, version: 0 }
  const platforms = { ...user, id: usdc.base, organizationId: 'org_p' } as const
  await store.accounts.save(platforms as never)
  await store.intents.save({ ...intent, ...platforms })
  await fill({ store, clock }, 1)
  const read = async (path: string) => (await as('platform-operator', path)).json
  expect(await presentIntentOf(read, executionOf(1).id)).toBe(null)
  await store.intents.save({ ...intent, ...user, targetAddress: usdc.base, id: account, organizationId: 'org_a' })
  expect(await presentIntentOf(read, executionOf(1).id)).toMatchObject({ targetAddress: usdc.base })
})

test('a pause is offered once the pauses are read, and not for what is paused already', () => {
  const offers = (isPlatform: boolean, answers: Record<string, unknown>) =>
    [
      ...pageMarkup(createElement(Pauses), { isPlatform, answers }).matchAll(/aria-label="((?:Pause|Resume) [^"]+)"/g),
    ].map(([, name]) => name)
  for (const isPlatform of [false, true]) {
    expect(offers(isPlatform, {})).toEqual([])
    expect(offers(isPlatform, { pauses: refused })).toEqual([])
  }
  expect(offers(false, { pauses: [] })).toEqual(['Pause this organization'])
  expect(offers(false, { pauses: [listed('organization')] })).toEqual(['Resume This organization'])
  const { isOwn: _, ...earlier } = listed('organization')
  expect(offers(false, { pauses: [earlier] })).toEqual(['Resume This organization'])
  expect(offers(true, { pauses: [listed('chain:8453')] })).toEqual(['Pause something', 'Resume Base'])
})

test('a chain that cannot be read is not offered to be paused while it is paused', () => {
  const chain = { chainId: 8453, chainKey: 'base', kind: 'HEAD', since: pause('').since, message: '' } as const
  const offers = (pauses: readonly object[]) => {
    const incidents = { pauses, routing: null, providers: [], chains: [chain], endpoints: [] } as never
    const markup = pageMarkup(createElement(IncidentLines, { incidents }), { isPlatform: true })
    return [...markup.matchAll(/aria-label="([^"]+)"/g)].map(([, name]) => name)
  }
  expect(offers([])).toEqual(['Pause Base'])
  expect(offers([{ ...pause('chain:8453'), organizationId: null }])).toEqual(['Resume Base'])
})

test('the strip names the own pause of an organization, also as an earlier release shows it', () => {
  const pauses = [{ ...pause('organization'), organizationId: null }]
  const incidents = { pauses, routing: null, providers: [], chains: [], endpoints: [] } as never
  expect(pageMarkup(createElement(IncidentLines, { incidents }), {})).toContain(
    'Your organization has paused its routing',
  )
})

test('a low screen shows the number of problems in one line, and any other screen the problems', () => {
  const lines = (count: number, isLow: boolean) =>
    pageMarkup(createElement(Lines, { count, isLow }, 'It answered 410 Gone'), {})
  expect(lines(2, true)).toMatch(/<details><summary>2 current problems<\/summary>/)
  expect(lines(1, true)).toContain('<summary>1 current problem</summary>')
  expect(lines(2, false)).toMatch(/<details open=""><summary hidden="">/)
})
