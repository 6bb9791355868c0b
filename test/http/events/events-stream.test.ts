import { expect, test } from 'bun:test'
import { eventId } from '../../../src/events/event-id'
import { executionOf } from '../../support/deposits'
import { running, streaming, untilReceived } from './streaming'

const stream = async (changes: Parameters<typeof streaming>[0] = {}) => {
  const world = await streaming(changes)
  const open = (key: string, headers: Record<string, string> = {}, query = '') =>
    world.open(key, headers, query, '/api/events/stream')
  return { ...world, open }
}
const idsIn = (text: string): string[] => [...text.matchAll(/^id: (\S+)$/gm)].map(([, id]) => id!)

test('the stream at its own address needs no accept header, and sends events immediately', async () => {
  const { open, client, store } = await stream()
  const ours = await open(client, { accept: '*/*' })
  expect([ours.response.status, ours.response.headers.get('content-type')]).toEqual([
    200,
    'text/event-stream; charset=utf-8',
  ])
  await untilReceived('the stream is open', () => ours.received.text.startsWith('retry: 3000\n'))
  await store.executions.save(running(1, Date.now()))
  await untilReceived('the execution runs', () => ours.received.text.includes('event: execution.running'))
  ours.leave()
})

test('a reader that returns with the last id gets every event since then', async () => {
  const { open, client, store } = await stream()
  const at = Date.now() - 30_000
  await store.executions.save(running(1, at))
  const first = await open(client, { 'last-event-id': eventId(at - 1, 'x', 1) })
  await untilReceived('four events', () => idsIn(first.received.text).length === 4)
  first.leave()
  const all = idsIn(first.received.text)
  await store.executions.save(running(2, Date.now()))
  const again = await open(client, { 'last-event-id': all.at(-1)! })
  await untilReceived(
    'the second execution runs',
    () => again.received.text.includes(executionOf(2).id) && again.received.text.includes('execution.running'),
  )
  await untilReceived(
    'four new events',
    () => idsIn(again.received.text).filter((id) => !all.includes(id)).length === 4,
  )
  again.leave()
})

test('a reader without events returns with the id of the beginning, and gets the events since then', async () => {
  let isDraining = false
  const { open, client, store } = await stream({ readiness: { checks: {}, isDraining: () => isDraining } })
  const first = await open(client)
  await untilReceived('one event', () => idsIn(first.received.text).length === 1)
  isDraining = true
  await first.over
  isDraining = false
  await store.executions.save(running(1, Date.now()))
  const again = await open(client, { 'last-event-id': idsIn(first.received.text)[0]! })
  await untilReceived('the execution runs', () => again.received.text.includes('event: execution.running'))
  expect(again.received.text).not.toContain('event: reset')
  again.leave()
})

test('a reader that returns too late gets a reset with the id of its new beginning, and resumes from it', async () => {
  const { open, client, store } = await stream()
  for (const [stale, reason] of [
    [eventId(Date.now() - 30 * 86_400_000, 'x', 1), 'TOO_OLD'],
    ['no-id', 'UNKNOWN_ID'],
  ] as const) {
    const first = await open(client, { 'last-event-id': stale })
    await untilReceived('a reset with its reason', () =>
      first.received.text.includes(`event: reset\ndata: {"reason":"${reason}"}\n\n`),
    )
    first.leave()
    expect(first.received.text).toMatch(/^retry: 3000\n\nid: evt_\w{26}\nevent: reset\n/)
    await store.executions.save(running(reason.length, Date.now()))
    const again = await open(client, { 'last-event-id': idsIn(first.received.text)[0]! })
    await untilReceived('the execution runs', () => again.received.text.includes('event: execution.running'))
    expect(again.received.text).not.toContain('event: reset')
    again.leave()
  }
})

test('the stream sends a heartbeat every one and a half seconds, in comments that event readers ignore', async () => {
  let aheadMs = 0
  const { open, client } = await stream({ now: () => Date.now() + aheadMs })
  const quiet = await open(client)
  await untilReceived('the stream is open', () => quiet.received.text.startsWith('retry: 3000\n'))
  const heartbeats = () => quiet.received.text.split(':\n\n').length - 1
  for (let n = 1; n <= 3; n++) {
    aheadMs += 1_500
    await untilReceived('a heartbeat', () => heartbeats() >= n)
  }
  expect(quiet.received.text).not.toContain('event:')
  aheadMs += 15_000
  await untilReceived('a ping', () => quiet.received.text.includes('event: ping\ndata: {}\n\n'))
  quiet.leave()
})

test('an organization gets only its own deposits, by id or by Last-Event-ID', async () => {
  const { open, client, stranger, store } = await stream()
  const at = Date.now() - 30_000
  await store.executions.save(running(1, at))
  const since = { 'last-event-id': eventId(at - 1, 'x', 1) }
  const theirs = await Promise.all([
    open(stranger, since),
    open(stranger, since, `?executionId=${executionOf(1).id}`),
    open(stranger, since, '?types=deposit.*,execution.*,execution.moved'),
  ])
  const ours = await open(client, since)
  await untilReceived('four events', () => idsIn(ours.received.text).length === 4)
  await store.executions.save(running(2, Date.now()))
  await untilReceived('eight events', () => idsIn(ours.received.text).length === 8)
  await Promise.all(theirs.map(({ received }) => untilReceived('a heartbeat', () => received.text.includes(':\n\n'))))
  for (const { received } of theirs) expect(received.text.replaceAll(':\n\n', '')).toBe('retry: 3000\n\n')
  for (const each of [...theirs, ours]) each.leave()
})

test('the stream is refused without a key', async () => {
  const { open } = await stream()
  expect((await open('nobody')).response.status).toBe(401)
})
