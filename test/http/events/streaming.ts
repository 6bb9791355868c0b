import { afterAll } from 'bun:test'
import { withHistoryEntry } from '../../../machines/execution'
import { alone } from '../../../src/domain/concurrency'
import type { Execution } from '../../../src/domain/execution/execution'
import { executionOf } from '../../support/deposits'
import { appenderOn } from '../../support/events'
import type { Store } from '../../support/stores'
import { until } from '../../support/until'
import { peopledWorld, usdc } from '../world'

const seenCharactersMax = 300
const publishEveryMs = 20
/** Text of every stream that a test of this process opened. */
const streams: { text: string; isOver: boolean }[] = []
const servers: { stop(hard: boolean): unknown }[] = []
afterAll(() => {
  for (const server of servers) server.stop(true)
})

export const account = '0x25fa55D9f052CB3b815bB1E09504f9F448f2FA9C'

export const step = (
  record: Execution,
  at: number,
  event: string,
  to: string,
  status: Execution['status'],
): Execution =>
  withHistoryEntry(
    { ...record, state: to, status, createdAt: record.createdAt ?? (status ? at : null) },
    { at, event, from: record.state, to, status, note: null },
  )

/** A deposit that arrived at `at` and is on its way 40 ms later. */
export function running(n: number, at: number, organizationId = 'org_a'): Execution {
  const found = executionOf(n, { organizationId }, { account, token: usdc.base, detectedAt: at })
  const verified = step(
    step(found, at + 10, 'lane taken', 'verifying balance', null),
    at + 20,
    'balance verified',
    'finding route',
    null,
  )
  return step(
    step(verified, at + 30, 'order signed', 'PENDING', 'PENDING'),
    at + 40,
    'transaction submitted',
    'RUNNING',
    'RUNNING',
  )
}

/** Opens the stream on a real server, with the real clock. */
export async function streaming(
  changes: Parameters<typeof peopledWorld>[0] = {},
  /** The store whose events are published, if it is not the world's own. */
  store?: Store,
) {
  const world = await peopledWorld({ now: Date.now, ...changes })
  world.api.listen({ port: 0, hostname: '127.0.0.1' })
  servers.push(world.api)
  const publish = alone(appenderOn({ ...world.ports, ...world.store, ...store }).round)
  const publishing = setInterval(() => void publish(), publishEveryMs)
  /** The store of a later test must not get events at the positions of this one. */
  const stopPublishing = async () => {
    clearInterval(publishing)
    await publish.underWay()
  }
  servers.push({ stop: stopPublishing })
  const open = async (key: string, headers: Record<string, string> = {}, query = '', path = '/api/events') => {
    const url = `http://127.0.0.1:${world.api.server!.port}${path}${query}`
    const aborted = new AbortController()
    const response = await fetch(url, {
      headers: { accept: 'text/event-stream', 'x-api-key': key, ...headers },
      signal: aborted.signal,
    })
    const received = { text: '', isOver: false }
    streams.push(received)
    const over = (async () => {
      try {
        for await (const part of response.body as unknown as AsyncIterable<Uint8Array>)
          received.text += new TextDecoder().decode(part)
      } catch {} // the client left
      received.isOver = true
    })()
    return { response, received, over, leave: () => aborted.abort() }
  }
  return { ...world, open, stopPublishing }
}

/** Waits for the streams of this process. The failure shows what each has sent. */
export const untilReceived = (what: string, isReceived: () => boolean): Promise<boolean> =>
  until(
    what,
    (note) => {
      note(streams.map(({ text, isOver }) => ({ text: text.slice(-seenCharactersMax), isOver })))
      return isReceived()
    },
    { everyMs: 25 },
  )
