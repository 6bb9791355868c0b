import { afterAll, expect, test } from 'bun:test'
import { followEvents } from '../../src/cli/client/follow-events'

const servers: { stop(hard: boolean): unknown }[] = []
afterAll(() => Promise.all(servers.map((server) => server.stop(true))))

/** Follows the given streams, which end after their events, until none is left. */
async function followed(...streams: string[]) {
  const lastIds: (string | null)[] = []
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request) {
      lastIds.push(request.headers.get('last-event-id'))
      return new Response(streams[lastIds.length - 1], { headers: { 'content-type': 'text/event-stream' } })
    },
  })
  servers.push(server)
  const ending = new AbortController()
  const [waits, heard, missed]: [number[], string[], string[]] = [[], [], []]
  await followEvents({
    access: { url: server.url.href.replace(/\/$/, ''), key: 'sy_live_key' },
    signal: ending.signal,
    onEvent: ({ id }) => heard.push(id),
    onOpen: () => {},
    onBreak: () => {},
    onMissed: () => missed.push('missed'),
    wait: async (ms) => {
      waits.push(ms)
      if (lastIds.length === streams.length) ending.abort()
    },
  })
  return { lastIds, waits, heard, missed }
}

const event = (id: string) => `id: ${id}\nevent: execution.running\ndata: ${JSON.stringify({ id, data: {} })}\n\n`
const ping = 'event: ping\ndata: {}\n\n'

test('every end of a stream is followed by a pause, which grows until something is received', async () => {
  const { waits } = await followed(event('e1'), ':\n\n', ':\n\n', 'retry: 3000\nid: e1\n\n', ping, ':\n\n')
  expect(waits).toHaveLength(6)
  for (const [n, times] of [1, 2, 4, 8, 1, 2].entries()) {
    expect(waits[n]).toBeGreaterThanOrEqual(250 * times)
    expect(waits[n]).toBeLessThan(750 * times)
  }
})

test('a reset continues from the stream’s beginning, or from now if the stream does not name it', async () => {
  const reset = (id = '') => `retry: 3000\n\n${id}event: reset\ndata: {"reason":"TOO_OLD"}\n\n`
  const { lastIds, missed, heard } = await followed(event('e1'), reset('id: e5\n'), event('e6'), reset(), ping)
  expect(lastIds).toEqual([null, 'e1', 'e5', 'e6', null])
  expect([missed.length, heard]).toEqual([2, ['e1', 'e6']])
})
