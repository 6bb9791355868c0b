import { expect, test } from 'bun:test'
import { newDelivery } from '../../../src/domain/webhook/delivery'
import { withDisabled } from '../../../src/domain/webhook/endpoint'
import { type ExecutionGaugePorts, executionGauges } from '../../../src/http/metrics/gauges'
import { storeInMemory } from '../../support/stores'
import { endpointOf } from '../../support/webhooks'

const now = 1_000_000

test('a webhook is late a minute after it was due, unless its endpoint is disabled', async () => {
  const store = storeInMemory()
  const late = executionGauges({ ...store, now: () => now } as unknown as ExecutionGaugePorts).find(
    ({ name }) => name === 'webhook_deliveries_late',
  )!
  const read = async () => (await late.read())[0]!.value
  const [own, off] = [endpointOf('whe_1', 'org_a', 0), withDisabled(endpointOf('whe_2', 'org_a', 0), 'GONE', 0)]
  for (const one of [own, off]) await store.webhookEndpoints.save(one)
  let n = 0
  const owe = (endpoint: typeof own, dueAt: number | null) => {
    const event = { id: `evt_${n++}`, type: 'execution.success', at: 0, body: '{}' }
    return store.webhookDeliveries.save({ ...newDelivery(endpoint, event, 0), dueAt })
  }
  for (const dueAt of [now, now - 60_000, null]) await owe(own, dueAt)
  await owe(off, 1)
  expect(await read()).toBe(0)
  await owe(own, now - 60_001)
  await owe(own, 1)
  expect(await read()).toBe(2)
})
