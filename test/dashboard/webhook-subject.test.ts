import { expect, test } from 'bun:test'
import { subjectOf } from '../../src/dashboard/pages/webhooks/webhook-delivery'
import { eventTypes, testType } from '../../src/domain/event-types'
import { sampleEvent, sampleTypes } from '../../src/http/webhooks/sample'
import { endpointOf } from '../support/webhooks'

const endpoint = endpointOf('whe_1', 'org_a', 1)
const sampleOf = (type: string) => sampleEvent(type, { of: 'smp_1', endpoint, at: 2 }).body
/** The sample in the form of a real event. */
const realOf = (type: string) => JSON.stringify({ ...JSON.parse(sampleOf(type)), seq: 3 })
const without = (page: string) => (type: string) => !type.startsWith(page)

test('every event except those of chains links to the page of its subject', () => {
  const pages: Record<string, RegExp> = {
    execution: /^\/executions\/\d+%3A0x/,
    deposit: /^\/deposits\/\d+%3A0x/,
    intent: /^\/address\?user=./,
    quota: /^\/usage$/,
    api_key: /^\/keys$/,
    webhook_endpoint: /^\/webhooks\/whe_1$/,
  }
  for (const type of eventTypes.filter(without('chain.')))
    expect([type, subjectOf(realOf(type))?.href]).toEqual([
      type,
      expect.stringMatching(pages[type.slice(0, type.indexOf('.'))]!),
    ])
})

test('a sample of an execution or a deposit links nowhere, because it has no subject', () => {
  for (const type of sampleTypes.filter((each) => /^(execution|deposit|chain)\./.test(each) || each === testType))
    expect([type, subjectOf(sampleOf(type))]).toEqual([type, null])
})

test('a body with truncated data links to the same page', () => {
  const { id } = JSON.parse(sampleOf('execution.success')).data
  const cut = JSON.stringify({ type: 'execution.success', seq: 1, data: { id } })
  expect(subjectOf(cut)).toEqual(subjectOf(realOf('execution.success')))
})
