import { expect, test } from 'bun:test'
import { dueAtOf, eventsOf, markedCollections, markOf, marksFrom } from '../../src/domain/event-marks'
import { addressOf, executionOf, sightingOf } from '../support/deposits'
import { endpointOf } from '../support/webhooks'

const before = executionOf(1, {}, { detectedAt: 7 })
const dayMs = 86_400_000

test('a write of an execution has events if it adds an entry or becomes a refund, due at its last entry', () => {
  const { executions } = eventsOf
  expect(executions(null, before)).toBe(7)
  expect(executions(undefined, before)).toBe(7)
  expect(executions(before, { ...before, dueAt: 9 })).toBeNull()
  expect(
    executions(before, { ...before, seq: 2, history: [...before.history, { ...before.history[0]!, at: 8 }] }),
  ).toBe(8)
  expect(executions(before, { ...before, refundOf: 'exe' })).toBe(7)
})

test('a sighting has events when it is new and when its block is dropped, but not once it is confirmed', () => {
  const { sightings } = eventsOf
  const of = (stage: 'CONFIRMING' | 'CONFIRMED' | 'ORPHANED') => sightingOf(1, { stage, updatedAt: 9 })
  expect([sightings(null, of('CONFIRMING')), sightings(undefined, of('CONFIRMING'))]).toEqual([9, 9])
  expect(sightings(of('CONFIRMING'), of('CONFIRMING'))).toBeNull()
  expect(sightings(of('CONFIRMING'), of('ORPHANED'))).toBe(9)
  expect(sightings(of('ORPHANED'), of('ORPHANED'))).toBeNull()
  expect([sightings(null, of('CONFIRMED')), sightings(of('ORPHANED'), of('CONFIRMED'))]).toEqual([null, null])
})

test('a version of an intent has an event unless only its seal is new, and a held change when it is requested', () => {
  const intent = { id: addressOf(1), version: 1, userId: 'ada', updatedAt: 5, seal: 'old' } as never
  const changed = (more: object) => eventsOf.intents(intent, { ...(intent as object), ...more } as never)
  expect(eventsOf.intents(null, intent)).toBe(5)
  expect([changed({ seal: 'new', version: 2 }), changed({ userId: 'bob' })]).toEqual([null, 5])
  const held = { askedAt: 3, state: 'WAITING' } as never
  const { heldChanges } = eventsOf
  expect([heldChanges(null, held), heldChanges(held, { askedAt: 3, state: 'DONE' } as never)]).toEqual([3, null])
  expect(heldChanges(held, { askedAt: 4 } as never)).toBe(4)
})

test('only pauses of everything and of a chain have events', () => {
  const of = (id: string) => eventsOf.pauses(null, { id, updatedAt: 5 })
  expect(['all', 'chain:1', 'all:1', 'tenant:all', 'tenant:chain:1', 'token:1:0x'].map(of)).toEqual([
    ...[5, 5, null, null, null, null],
  ])
})

test('a new key has an event seven days before it expires, and an endpoint each time it is disabled', () => {
  const key = { createdAt: 0, expiresAt: 30 * dayMs, revokedAt: 30 * dayMs } as never
  expect([eventsOf.apiKeys(null, key), eventsOf.apiKeys(key, key)]).toEqual([23 * dayMs, null])
  const endpoint = endpointOf('whe_1', 'org_1', 1)
  const { webhookEndpoints } = eventsOf
  const disabled = (...times: number[]) => ({ ...endpoint, disablings: times.map((at) => ({ at })) }) as never
  expect(webhookEndpoints(null, endpoint)).toBeNull()
  expect([webhookEndpoints(endpoint, disabled(4)), webhookEndpoints(null, disabled(4))]).toEqual([4, 4])
  expect([webhookEndpoints(disabled(4), disabled(4)), webhookEndpoints(disabled(4), disabled(4, 6))]).toEqual([null, 6])
})

test('marks sort by time, and each collection with events has them', () => {
  expect(markOf(1_700, 'w-1')).toBe('000000000001700 w-1')
  expect(dueAtOf(markOf(1_800_000_000_000, '7'))).toBe(1_800_000_000_000)
  expect([marksFrom(-1), marksFrom(12)]).toEqual(['000000000000000', '000000000000012'])
  expect(markOf(9, 'z') < marksFrom(10) && marksFrom(10) < markOf(10, '')).toBe(true)
  expect(markedCollections).toEqual([
    ...(['executions', 'sightings', 'intents', 'heldChanges', 'pauses', 'apiKeys', 'webhookEndpoints'] as const),
    'quotaWarnings',
  ])
})
