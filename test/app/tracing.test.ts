import { afterEach, expect, test } from 'bun:test'
import { openTracing } from '../../src/app/telemetry/tracing'
import { traceIdOf } from '../../src/domain/execution/execution'
import { traced } from '../../src/http/request/request-spans'
import { startCollector } from '../support/collector'

const open: { stop(): unknown }[] = []
afterEach(async () => {
  for (const one of open.splice(0)) await one.stop()
})

async function tracingTo(url: string, { ratio = 1, onTrouble = (_: unknown) => {}, sendMaxMs = 60_000 } = {}) {
  const traces = { url: `${url}/v1/traces`, headers: {}, serviceName: 'switchyard', version: '1', instance: 'one' }
  return openTracing({ ...traces, ratio, onTrouble, sendMaxMs })
}

function collector(answer?: () => Promise<Response>) {
  const started = startCollector(answer)
  open.push(started)
  return started
}

const parentOf = (traceId: string, isSampled: boolean) => ({
  traceparent: `00-${traceId}-${'b7'.repeat(8)}-${isSampled ? '01' : '00'}`,
})
/** The first and the last trace id in any sample. A caller that chose the id would decide whether the trace is kept. */
const theirs = [`${'0'.repeat(31)}1`, 'f'.repeat(32)]

test('a caller controls neither the trace id nor the sampling, and its own trace is linked', async () => {
  const { url, spans } = collector()
  const tracing = await tracingTo(url)
  for (const traceId of theirs)
    for (const isSampled of [true, false]) tracing.request(parentOf(traceId, isSampled)).end('GET', '/api/chains', 200)
  await tracing.stop()
  expect(spans).toHaveLength(4)
  expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(4)
  for (const { traceId, parentSpanId, links } of spans) {
    expect(theirs).not.toContain(traceId)
    expect(parentSpanId).toBeUndefined()
    expect(theirs).toContain(links[0]!.traceId)
  }
})

test('no header of a request or message requests sampling if nothing is kept', async () => {
  const { url, spans } = collector()
  const tracing = await tracingTo(url, { ratio: 0 })
  const id = `8453:0x${'ab'.repeat(32)}:0`
  for (const traceId of [...theirs, traceIdOf(id)]) {
    const carrier = parentOf(traceId, true)
    tracing.request(carrier).end('GET', '/api/chains', 200)
    await tracing.work({ name: 'work', kind: 'CONSUMER', id, carrier }, async () => {})
  }
  await tracing.stop()
  expect(spans).toEqual([])
})

test('half of all deposits are traced completely and the others not at all, and every process picks the same', async () => {
  const { url, spans } = collector()
  const processes = await Promise.all([1, 2].map(() => tracingTo(url, { ratio: 0.5 })))
  const ids = Array.from({ length: 200 }, (_, n) => `8453:0x${n.toString(16).padStart(64, '0')}:0`)
  for (const id of ids)
    for (const tracing of processes) {
      tracing.root(id, 'deposit', 1, 2)
      await tracing.work({ name: 'work', kind: 'INTERNAL', id }, () =>
        tracing.span({ name: 'ask', kind: 'CLIENT' }, async () => {}),
      )
    }
  await Promise.all(processes.map((tracing) => tracing.stop()))
  const counts = ids.map((id) => spans.filter(({ traceId }) => traceId === traceIdOf(id)).length)
  expect(new Set(counts)).toEqual(new Set([0, 6]))
  const kept = counts.filter((count) => count > 0).length
  expect(kept).toBeGreaterThan(60)
  expect(kept).toBeLessThan(140)
})

test('spans nest through timers and promises, and concurrent work is not mixed up', async () => {
  const { url, spans } = collector()
  const tracing = await tracingTo(url)
  const ids = Array.from({ length: 20 }, (_, n) => `8453:0x${n.toString(16).padStart(64, '0')}:0`)
  const pause = () => new Promise<void>((resolve) => setImmediate(resolve))
  await Promise.all(
    ids.map((id) =>
      tracing.work({ name: 'work', kind: 'INTERNAL', id }, async () => {
        await pause()
        await tracing.span({ name: 'ask', kind: 'CLIENT' }, pause)
      }),
    ),
  )
  await tracing.stop()
  for (const id of ids) {
    const own = spans.filter(({ traceId }) => traceId === traceIdOf(id))
    const work = own.find(({ name }) => name === 'work')!
    expect(own.find(({ name }) => name === 'ask')!.parentSpanId).toBe(work.spanId)
  }
})

test('an error’s span shows only its code, without response texts or URLs', async () => {
  const { url, bodies, spans } = collector()
  const tracing = await tracingTo(url)
  const failing = tracing.work({ name: 'work', kind: 'INTERNAL', id: '8453:0xab:0' }, async () => {
    throw new Error('https://rpc.example/v2/sk_live_4eC39HqLyjWDarjtT1zdp7dc refused us')
  })
  await expect(failing).rejects.toThrow('refused us')
  await tracing.stop()
  expect(spans).toMatchObject([{ status: 2, attributes: { 'error.type': 'UNEXPECTED' } }])
  expect(bodies.join()).not.toContain('sk_live')
})

test('an unreachable or silent collector delays no work and no shutdown, and is reported as trouble', async () => {
  const never = collector(() => new Promise<Response>(() => {}))
  const gone = collector()
  gone.stop()
  for (const { url } of [never, gone]) {
    const { promise: trouble, resolve: onTrouble } = Promise.withResolvers<unknown>()
    const tracing = await tracingTo(url, { onTrouble, sendMaxMs: 200 })
    // More than the buffer ever holds: the excess is dropped.
    for (let n = 0; n < 5_000; n++)
      expect(await tracing.work({ name: 'work', kind: 'INTERNAL', id: `8453:0x${n}:0` }, async () => n)).toBe(n)
    expect(await trouble).toBeInstanceOf(Error)
    await tracing.stop()
  }
})

test('requests that machines repeat every few seconds make no span', async () => {
  const { url, spans } = collector()
  const tracing = await tracingTo(url)
  const { plugin, onAnswered } = traced(tracing)
  const app = plugin.get('/ready', 'yes').get('/there', 'yes')
  for (const path of ['/ready', '/there']) {
    const request = new Request(`http://localhost${path}`)
    expect((await app.handle(request)).status).toBe(200)
    onAnswered!(request, path, 200)
  }
  await tracing.stop()
  expect(spans.map(({ name }) => name)).toEqual(['GET /there'])
})
