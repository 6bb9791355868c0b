import { expect, test } from 'bun:test'
import { createElement } from 'react'
import { IncidentLines, Lines } from '../../src/dashboard/incidents/incidents'
import { isPayeeSeen } from '../../src/dashboard/pages/execution/actions'
import { PathMap } from '../../src/dashboard/pages/execution/path-map'
import { Pauses } from '../../src/dashboard/pages/operations/pauses'
import { CurrentIntent } from '../../src/dashboard/pages/recipients/recipient-changes'
import { pageMarkup } from '../support/page-markup'

const refused = new Error('Refused by the test')
const pause = (scope: string) => ({
  scope,
  version: '1',
  reason: 'why',
  since: '2026-11-21T10:00:00.000Z',
  until: null,
})
const listed = (scope: string) => ({ ...pause(scope), createdAt: pause(scope).since })

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

test('money is sent by an intent only once its payee has been read, also if there is none', () => {
  expect([undefined, null, {}].map((data) => isPayeeSeen({ data }, true))).toEqual([false, true, true])
  expect(isPayeeSeen({ data: undefined }, false)).toBe(true)
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

test('a low screen shows the number of problems in one line, and any other screen the problems', () => {
  const lines = (count: number, isLow: boolean) =>
    pageMarkup(createElement(Lines, { count, isLow }, 'It answered 410 Gone'), {})
  expect(lines(2, true)).toMatch(/<details><summary>2 current problems<\/summary>/)
  expect(lines(1, true)).toContain('<summary>1 current problem</summary>')
  expect(lines(2, false)).toMatch(/<details open=""><summary hidden="">/)
})
