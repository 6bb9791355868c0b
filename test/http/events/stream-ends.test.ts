import { expect, test } from 'bun:test'
import { eventTypes } from '../../../src/domain/event-types'
import { eventStream, type StreamPorts } from '../../../src/http/events/event-stream'
import type { Caller } from '../../../src/http/request/caller'
import { eventLogInMemory, eventsOn } from '../../support/events'
import { streaming, untilReceived } from './streaming'

const hourMs = 3_600_000
const slowMs = 10_000

/** A stream of one reader on its own clock, which gets every event immediately. */
function streamed(caller = {} as Caller) {
  const clock = { now: 1_000_000 }
  const eventLog = eventLogInMemory()
  let isFree = false
  const ports = {
    now: () => clock.now,
    isDraining: () => false,
    events: eventsOn(eventLog),
    noteTrouble: (error: unknown) => {
      throw error
    },
  } as unknown as StreamPorts
  const permit = {
    renew: async () => true,
    release: () => {
      isFree = true
    },
  }
  const filter = { tenant: 'org_a', types: new Set(eventTypes) }
  const reading = { caller, filter, resume: null, permit }
  const body = eventStream(ports, reading, new AbortController().signal)
  let happened = 0
  const happen = (count: number) =>
    eventLog.append(
      Array.from({ length: count }, () => ({
        ...{ position: ++happened, id: `evt_${happened}`, dataId: 'chain:8453', seq: 0, type: 'chain.paused' },
        ...{ organizationId: null, userId: null, at: happened, loggedAt: happened, text: '{}' },
      })),
    )
  return { clock, body, happen, isFree: () => isFree }
}

/** Reads a stream, and returns its text and whether it has ended. */
function heardOf(body: ReadableStream<Uint8Array>) {
  const received = { text: '', isOver: false }
  const over = (async () => {
    for await (const part of body) received.text += new TextDecoder().decode(part)
    received.isOver = true
  })()
  return { received, over }
}
const overflow = 'event: reset\ndata: {"reason":"OVERFLOW"}\n\n'

test('a stream ends before its next event once its caller is no longer let in, and frees its permit', async () => {
  let isIn = true
  const { body, happen, isFree } = streamed({ isAdmitted: async () => isIn } as unknown as Caller)
  const { received, over } = heardOf(body)
  await happen(1)
  await untilReceived('the first event', () => received.text.includes('id: evt_1\n'))
  isIn = false
  await happen(1)
  await over
  expect([received.text.includes('evt_2'), isFree()]).toEqual([false, true])
})

test('a stream is closed after an hour, which frees its permit', async () => {
  const { clock, body, happen, isFree } = streamed()
  const { received, over } = heardOf(body)
  for (const times of [1, 2]) {
    await happen(1)
    await untilReceived(
      'the pauses of the chain, or the end of the stream',
      () => received.isOver || received.text.split('event: chain.paused').length > times,
    )
    if (times === 1) clock.now += hourMs
  }
  expect([received.isOver, isFree()]).toEqual([false, false])
  clock.now += 1
  await over
  expect([isFree(), received.text.includes('reset')]).toEqual([true, false])
})

test('a reader gets fifty thousand events that come at once, each once and in order', async () => {
  const { body, happen } = streamed()
  const { received } = heardOf(body)
  await untilReceived('the stream is open', () => received.text.startsWith('retry: 3000\n'))
  await happen(50_001)
  await untilReceived('the last event', () => received.text.includes('id: evt_50001\n'))
  const ids = [...received.text.matchAll(/^id: evt_(\d+)\nevent: chain/gm)].map(([, id]) => Number(id))
  expect(ids).toEqual(Array.from({ length: 50_001 }, (_, n) => n + 1))
})

test('a reader that takes none of a thousand waiting events for ten seconds must fetch them, and the stream closes', async () => {
  const { body, happen, isFree } = streamed()
  await new Promise((resolve) => setTimeout(resolve)) // the stream begins at the end of the log
  await happen(1_500)
  const began = performance.now()
  await untilReceived('the stream is closed', isFree)
  expect(performance.now() - began).toBeGreaterThan(slowMs)
  const { received, over } = heardOf(body)
  await over
  expect([received.text.split('event: chain.paused').length - 1, received.text.endsWith(overflow)]).toEqual([999, true])
})

test('headers forbid proxies to cache or buffer a stream', async () => {
  const { open, client } = await streaming()
  const { response, leave } = await open(client, {}, '', '/api/events/stream')
  expect(['cache-control', 'x-accel-buffering'].map((name) => response.headers.get(name))).toEqual(['no-store', 'no'])
  leave()
})
