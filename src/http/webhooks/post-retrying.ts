import { rewrite } from '../../domain/concurrency'
import { resendMax, resent } from '../../domain/webhook/delivery'
import type { WebhookEndpoint } from '../../domain/webhook/endpoint'
import type { WebhookPorts } from './ports'

/**
 * Makes the deliveries that wait for a retry due immediately, because the endpoint was enabled or moved. If the process
 * is killed before, they are retried at their times.
 */
export async function postRetrying({ webhookDeliveries, now }: WebhookPorts, { id, organizationId }: WebhookEndpoint) {
  const range = { since: 0, until: now(), statuses: ['RETRYING'] } as const
  const waiting = await webhookDeliveries.takenUpBetween({ organizationId, endpointId: id }, range, resendMax)
  await Promise.all(waiting.map((one) => rewrite(webhookDeliveries, one.id, (known) => known && resent(known, now()))))
}
