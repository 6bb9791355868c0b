import { expect, test } from 'bun:test'
import { eventTypes } from '../../../src/domain/event-types'
import { eventStream, type StreamPorts } from '../../../src/http/events/event-stream'
import { chainEvent } from '../../../src/http/events/rare-events'
import type { Caller } from '../../../src/http/request/caller'
import type { FeedEvent } from '../../../src/http/views/event'
import { streaming, untilHeard } from './streaming'

const hourMs = 3_600_000
const slowMs = 10_000

/** A stream of one reader on its own clock, which gets every event immediately. */
function streamed() {
  const clock = { now: 1_000_000 }
  let hear: (happened: FeedEvent) => void = () => {}
  let isFree = false
  const ports = {
    now: () => clock.now,
    isDraining: () => false,
    viewContextFor: async () => ({ confirmationsRequired: () => 1 }),
    subscribe: (_tenant: string | null, listener: typeof hear) => {
      hear = listener
      return () => {}
    },
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
  const reading = { caller: {} as Caller, filter, resume: null, permit }
  const body = eventStream(ports, reading, new AbortController().signal)
  let happened = 0
  const happen = (count: number) => {
    for (let n = 0; n < count; n++) hear(chainEvent(8453, happened++, true))
  }
  return { clock, body, happen, isFree: () => isFree }
}

/** Reads a stream, and returns its text and whether it has ended. */
function heardOf(body: ReadableStream<Uint8Array>) {
  const heard = { text: '', isOver: false }
  const over = (async () => {
    for await (const part of body) heard.text += new TextDecoder().decode(part)
    heard.isOver = true
  })()
  return { heard, over }
}
const overflow = 'event: reset\ndata: {"reason":"OVERFLOW"}\n\n'

test('a stream is closed after an hour, which frees its place', async () => {
  const { clock, body, happen, isFree } = streamed()
  const { heard, over } = heardOf(body)
  for (const times of [1, 2]) {
    happen(1)
    await untilHeard(() => heard.isOver || heard.text.split('event: chain.paused').length > times)
    if (times === 1) clock.now += hourMs
  }
  expect([heard.isOver, isFree()]).toEqual([false, false])
  clock.now += 1
  await over
  expect([isFree(), heard.text.includes('reset')]).toEqual([true, false])
})

test('more than fifty thousand events at once close the stream, and the reader must fetch them', async () => {
  const { body, happen, isFree } = streamed()
  const { heard, over } = heardOf(body)
  await untilHeard(() => heard.text.startsWith('retry: 3000\n'))
  happen(50_001)
  await over
  expect([heard.text.endsWith(overflow), heard.text.includes('chain.paused'), isFree()]).toEqual([true, false, true])
})

test('a reader that takes none of a thousand waiting events for ten seconds must fetch them, and the stream closes', async () => {
  const { body, happen, isFree } = streamed()
  happen(1_500)
  const began = performance.now()
  await untilHeard(isFree)
  expect(performance.now() - began).toBeGreaterThan(slowMs)
  const { heard, over } = heardOf(body)
  await over
  expect([heard.text.split('event: chain.paused').length - 1, heard.text.endsWith(overflow)]).toEqual([999, true])
})

test('headers forbid proxies to cache or buffer a stream', async () => {
  const { open, client } = await streaming()
  const { response, leave } = await open(client, {}, '', '/api/events/stream')
  expect(['cache-control', 'x-accel-buffering'].map((name) => response.headers.get(name))).toEqual(['no-store', 'no'])
  leave()
})
