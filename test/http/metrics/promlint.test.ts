import { expect, test } from 'bun:test'
import { traceIdOf } from '../../../src/domain/execution/execution'
import { everyMetric } from '../../support/every-metric'
import { apiWorld } from '../world'

/** The rules of Prometheus's promlint, and our own limit on the values of a label. */
const units =
  /(^|_)(ms|s|sec|secs|msec|minutes?|hours?|days?|milliseconds|microseconds|nanoseconds|kilobytes|megabytes|mb|kb)(_|$)/
const inName = /(^|_)(gauge|counter|histogram|summary|untyped)(_|$)/
const reserved = /^(le|quantile)$/
const unbounded = /tenant|organization|user|hash|address|id$/

test('every metric keeps the rules of promlint, and no label grows with tenants, users or transactions', async () => {
  const metrics = everyMetric()
  const { ask } = apiWorld({ metrics })
  const { text } = await ask('/metrics')
  // An unreadable metric is left out of the text, which would hide its fault here.
  for (const { read } of metrics.gauges) await read()
  const [helps, types] = [new Map<string, string>(), new Map<string, string>()]
  for (const [, kind, name, said] of text.matchAll(/^# (HELP|TYPE) (\S+) (.+)$/gm)) {
    const into = kind === 'HELP' ? helps : types
    expect(into.has(name!), `${name} is said once`).toBe(false)
    into.set(name!, said!)
  }
  expect(types.size).toBeGreaterThan(20)
  expect([...text.matchAll(/^switchyard_(build_info|pauses|executions|relayer_balance)\{/gm)].length).toBeGreaterThan(8)
  for (const [name, type] of types) {
    expect(helps.get(name), name).toBeTruthy()
    expect(name).toMatch(/^[a-z][a-z0-9_]*$/)
    expect([name, name.endsWith('_total')]).toEqual([name, type === 'counter'])
    expect(name).not.toMatch(units)
    expect(name).not.toMatch(inName)
    if (type !== 'histogram' && type !== 'summary') expect(name).not.toMatch(/_(bucket|count|sum)$/)
  }
  for (const [, name, labels] of text.matchAll(/^(\w+)\{([^}]*)\}/gm))
    for (const [, label] of labels!.matchAll(/(\w+)="/g)) {
      expect(label).toMatch(/^[a-z][a-z0-9_]*$/)
      if (!/_bucket$/.test(name!) && types.get(name!) !== 'summary') expect(label).not.toMatch(reserved)
      expect(`${name} ${label}`).not.toMatch(unbounded)
    }
  expect(text).toContain('switchyard_rpc_request_duration_seconds_bucket{le="+Inf",chain="base",node="1"} 1')
  expect(text).toContain('switchyard_unexpected_errors_total{where="promise"} 0')
  await Bun.write('test-results/metrics.txt', text)
})

test('deposits of one transaction share a trace with their re-drives and with their webhooks', () => {
  const hash = `0x${'ab'.repeat(32)}`
  const trace = traceIdOf(`8453:${hash}`)
  for (const id of [`8453:${hash}:3`, `8453:${hash}:3:r2`, `8453:${hash}:4`]) expect(traceIdOf(id)).toBe(trace)
  expect(traceIdOf(`1:${hash}:3`)).not.toBe(trace)
  const swept = `8453:sweep:0xaa:0xbb:1`
  expect(traceIdOf(`${swept}:r1`)).toBe(traceIdOf(swept))
  expect(traceIdOf(`8453:sweep:0xaa:0xbb:2`)).not.toBe(traceIdOf(swept))
})
