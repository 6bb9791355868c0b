import { expect, test } from 'bun:test'
import { createElement } from 'react'
import { ApiError } from '../../src/dashboard/data/api'
import { AboutLink } from '../../src/dashboard/pages/deposit/answer'
import { Now } from '../../src/dashboard/pages/deposit/deposit'
import { detectorsOf } from '../../src/dashboard/pages/deposit/detectors'
import { Headline } from '../../src/dashboard/pages/execution/headline'
import { verbs } from '../../src/dashboard/pages/execution/verbs'
import { Outcome } from '../../src/dashboard/pages/intents/simulate-outcome'
import { missingOf } from '../../src/dashboard/pages/start/store-intent'
import { QuotaNote } from '../../src/dashboard/pages/usage/quota-note'
import { LinkedIds } from '../../src/dashboard/ui/linked-ids'
import { supersedings } from '../../src/domain/execution/lane'
import { statuses, statusNames } from '../../src/domain/execution/status'
import { pageMarkup } from '../support/page-markup'
import { testAll } from '../support/test-all'

/** The words that a person reads in a markup, without those of its attributes. */
const wordsOf = (markup: string): string => markup.replaceAll(/<[^>]+>/g, '')

const successor = `8453:0x${'5c'.repeat(32)}:0:r1`
const messages = Object.values(supersedings).map(({ message }) => message.replace('{id}', successor))
const nextOf = (message: string) => {
  const rest = { actor: 'NOBODY', action: 'FOLLOW', by: null, expectedAt: null, executionId: successor }
  return { ...rest, message }
}
const at = '2026-11-21T10:00:00.000Z'

testAll(messages)('a superseded execution or deposit links the other one, and shows its id shortened', (message) => {
  const next = nextOf(message)
  const funds = { holder: 'NONE' }
  const execution = {
    ...{ status: 'DEAD_LETTER', cause: null, lastErrorMessage: null, retryCount: 0, completedAt: at, updatedAt: at },
    ...{ funds, next, deposit: { createdAt: at } },
  } as never
  const deposit = { next, stage: 'ROUTED', confirmations: 1, confirmationsRequired: 2 } as never
  for (const shown of [createElement(Headline, { execution }), createElement(Now, { deposit })]) {
    const markup = pageMarkup(shown, {})
    expect(markup.match(/<a /g)).toHaveLength(1)
    expect(markup).toContain(`href="/executions/${encodeURIComponent(successor)}"`)
    expect(wordsOf(markup)).not.toContain('5c'.repeat(9))
    expect(wordsOf(markup)).not.toMatch(/Superseded|re-driven/)
  }
})

test('a sentence of the API without an id stays as it is', () => {
  expect(pageMarkup(createElement(LinkedIds, null, 'The money is safe.'), {})).toContain('The money is safe.')
})

test('the bar of a deposit is filled by its confirmations', () => {
  const next = nextOf('It is confirming.')
  const deposit = { next, stage: 'CONFIRMING', confirmations: 3, confirmationsRequired: 12 } as never
  expect(pageMarkup(createElement(Now, { deposit }), {})).toMatch(/class="meter"[^>]*><i style="width:25%"><\/i>/)
})

test('a status in a sentence has its plain name before its code', () => {
  const quota = { limit: 10, used: 10, resetsAt: at }
  const ended = new ApiError(422, 'It is too small.', 'FAILED_INSUFFICIENT_AFTER_FEES', null)
  const outcome = { tokens: [], decimalsIn: 6, isPending: false, error: ended, result: undefined }
  const shown = [
    ...Object.values(verbs).flatMap(({ lead, done }) => [lead, done]),
    wordsOf(pageMarkup(createElement(QuotaNote), { answers: { 'usage/%2Fusage': { quota } } })),
    wordsOf(pageMarkup(createElement(Outcome, outcome), {})),
  ]
  const named = shown.flatMap((text) => text.match(/\b[A-Z]+_[A-Z_]+\b/g) ?? [])
  expect(new Set(named)).toEqual(new Set(['DEAD_LETTER', 'QUOTA_EXCEEDED', 'FAILED_INSUFFICIENT_AFTER_FEES']))
  for (const status of statusNames)
    for (const text of shown)
      expect(text.replaceAll(`${statuses[status].name} · ${status}`, '')).not.toMatch(new RegExp(`\\b${status}\\b`))
})

test('what found a deposit is named in words', () => {
  expect(detectorsOf({ detectedBy: ['WEBHOOK', 'SCANNER', 'SWEEP'] })).toBe(
    'a webhook, our scanner, a check of the balance',
  )
})

test('whoever cannot make a link for the customer reads who can', () => {
  const read = (role: 'member' | 'operator' | 'admin', hasPage: boolean) =>
    wordsOf(pageMarkup(createElement(AboutLink, { hasPage }), { role }))
  expect(read('member', true)).toEndWith('for one day. An operator can create it.')
  expect(read('operator', true)).toEndWith('for one day.')
  expect(read('operator', false)).toContain('an admin can turn on')
  expect(read('admin', false)).toContain('you can turn on')
})

test('a command that lacks a part names it, and is offered for copying only when it is whole', () => {
  const draft = { userId: 'u', chainId: '42161', token: '0x1', recipient: '0x2' }
  expect(missingOf('sy_test_abc', draft)).toEqual([])
  expect(missingOf('sy_test_abc…', { ...draft, recipient: ' ' })).toEqual(['your API key', 'the recipient'])
  expect(missingOf('sy_test_abc', { ...draft, token: null })).toEqual(['the chain and the token'])
})
