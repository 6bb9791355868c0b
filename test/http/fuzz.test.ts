import { expect, test } from 'bun:test'
import { fuzz } from './fuzz'

const requests = Number(process.env['FUZZ_REQUESTS'] ?? 20_000)

test('whatever is sent: no 5xx, nothing outside the document, nothing that another organization would notice', async () => {
  const { requests: sent, statuses, slowestCpuMs } = await fuzz(requests)
  expect(sent).toBe(requests)
  expect(Object.keys(statuses).filter((status) => Number(status) >= 500)).toEqual([])
  expect(statuses[200]! > 0 && statuses[201]! > 0 && statuses[400]! > 0 && statuses[404]! > 0).toBe(true)
  expect(slowestCpuMs).toBeLessThan(1_000)
}, 86_400_000)
