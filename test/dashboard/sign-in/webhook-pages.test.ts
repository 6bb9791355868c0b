import { expect, test } from 'bun:test'
import { afterAttempt, newDelivery } from '../../../src/domain/webhook/delivery'
import { newFeed } from '../../../src/domain/webhook/endpoint'
import { membersWorld } from './members-world'

const url = 'https://example.com/hooks'

test('an admin without a key creates an endpoint, and the audit log names the admin', async () => {
  const world = await membersWorld()
  const made = await world.as('platform-admin', '/webhook-endpoints', { body: { url } })
  expect([made.status, made.json.secret]).toEqual([201, expect.stringMatching(/^whsec_/)])
  const [entry] = await world.operators.auditLog.list({ organizationId: 'org_p' }, { limit: 1 })
  expect([entry!.verb, entry!.actor]).toMatchObject([
    'webhook_endpoint.create',
    { kind: 'MEMBER', id: 'platform-admin' },
  ])
})

test('the page shows the start of an endpoint’s failures, its newest delivery, and every attempt with the body', async () => {
  const world = await membersWorld()
  const { webhookFeeds, webhookDeliveries, webhookEndpoints } = world.store
  const { id } = (await world.as('owner', '/webhook-endpoints', { body: { url } })).json as { id: string }
  const { now } = world.clock
  const endpoint = (await webhookEndpoints.load(id))!
  await webhookFeeds.save({ ...newFeed(endpoint), failingSince: now, lastFailureAt: now })
  const event = { id: 'evt_1', type: 'execution.success', at: now, body: '{"id":"evt_1"}' }
  const answered = (statusCode: number) => ({ statusCode, durationMs: 5, error: null, retryAfterMs: null })
  let delivery = newDelivery(endpoint, event, now)
  for (const [n, status] of [503, 500, 200].entries())
    delivery = afterAttempt(delivery, answered(status), now + n * 60_000, 0.5)
  await webhookDeliveries.save(delivery)

  const [shown] = (await world.as('member', '/webhooks')).json as [object]
  const lastDelivery = { id: delivery.id, status: 'DELIVERED', attempts: 3 }
  expect(shown).toMatchObject({ id, failingSince: new Date(now).toISOString(), previousExpiresAt: null, lastDelivery })
  expect(shown).not.toHaveProperty('secret')
  const { json: counted } = await world.as('member', `/webhooks/${id}/counts?types=execution.*`)
  expect(counted).toEqual({
    counts: { PENDING: 0, RETRYING: 0, DELIVERED: 1, FAILED: 0 },
    isWhole: true,
    responseMs: { median: 5, p95: 5 },
    periods: { step: 'HOUR', rows: [expect.objectContaining({ DELIVERED: 1, FAILED: 0 })] },
  })
  const { json } = await world.as('member', `/webhook-endpoints/${id}/deliveries/${delivery.id}`)
  expect(json.body).toBe('{"id":"evt_1"}')
  expect(json.allAttempts.map((attempt: { statusCode: number }) => attempt.statusCode)).toEqual([503, 500, 200])
  for (const path of [
    `/webhooks/${id}`,
    `/webhooks/${id}/counts`,
    `/webhook-endpoints/${id}/deliveries/${delivery.id}`,
  ])
    expect((await world.as('other-owner', path)).status).toBe(404)
})

test('the page shows how fast the newest hundred accepted events were answered, and nothing for failures', async () => {
  const world = await membersWorld()
  const { webhookDeliveries, webhookEndpoints } = world.store
  const { id } = (await world.as('owner', '/webhook-endpoints', { body: { url } })).json as { id: string }
  const endpoint = (await webhookEndpoints.load(id))!
  const { now } = world.clock
  const send = async (n: number, statusCode: number, durationMs: number) => {
    const event = { id: `evt_${n}`, type: 'execution.success', at: now + n, body: '{}' }
    const outcome = { statusCode, durationMs, error: null, retryAfterMs: null }
    await webhookDeliveries.save(afterAttempt(newDelivery(endpoint, event, now + n), outcome, now + n, 0.5))
  }
  const responseMs = async () => (await world.as('member', `/webhooks/${id}/counts`)).json.responseMs
  await send(0, 500, 9_000)
  expect(await responseMs()).toBeNull()
  await send(1, 200, 8_000)
  for (let n = 1; n <= 100; n++) await send(1 + n, 200, n)
  expect(await responseMs()).toEqual({ median: 50, p95: 95 })
})
