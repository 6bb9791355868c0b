import { expect, test } from 'bun:test'
import type { DeliveryStatus } from '../../src/domain/webhook/delivery'
import type { WebhookPorts } from '../../src/http/webhooks/ports'
import { postRetrying, resetDeliveries } from '../../src/http/webhooks/reset-deliveries'
import { deliveryOfExample, endpointOf, webhookDeliveriesInMemory } from '../support/webhooks'

const endpoint = endpointOf('whe_1', 'org_1', 1)

async function stored(...statuses: DeliveryStatus[]) {
  const webhookDeliveries = webhookDeliveriesInMemory()
  for (const [n, status] of statuses.entries())
    await webhookDeliveries.save({
      ...deliveryOfExample(endpoint.id, endpoint.organizationId, 1),
      ...{ id: `d${n}`, status, tries: 3, dueAt: status === 'RETRYING' ? 99 : null },
    })
  const statusOf = async (id: string) => (await webhookDeliveries.load(id))!.status
  return { webhookDeliveries, statusOf, ports: { webhookDeliveries, now: () => 50 } as unknown as WebhookPorts }
}

test('an event that is accepted while a repaired endpoint’s retries are reset is not posted again', async () => {
  const { webhookDeliveries, statusOf, ports } = await stored('RETRYING', 'RETRYING')
  const takenUpBetween: typeof webhookDeliveries.takenUpBetween = async (...asked) => {
    const found = await webhookDeliveries.takenUpBetween(...asked)
    await webhookDeliveries.save({ ...(await webhookDeliveries.load('d1'))!, status: 'DELIVERED', dueAt: null })
    return found
  }
  await postRetrying({ ...ports, webhookDeliveries: { ...webhookDeliveries, takenUpBetween } }, endpoint)
  expect([await statusOf('d0'), await statusOf('d1')]).toEqual(['PENDING', 'DELIVERED'])
})

test('a resend of certain statuses leaves out what has left them, and counts only what is due', async () => {
  const { statusOf, ports } = await stored('FAILED', 'DELIVERED')
  expect(await resetDeliveries(ports, [{ id: 'd0' }, { id: 'd1' }], ['RETRYING', 'FAILED'])).toBe(1)
  expect([await statusOf('d0'), await statusOf('d1')]).toEqual(['PENDING', 'DELIVERED'])
  expect(await resetDeliveries(ports, [{ id: 'd1' }])).toBe(1)
})
