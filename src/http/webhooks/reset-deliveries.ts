import { rewrite } from '../../domain/concurrency'
import { type DeliveryStatus, resendMax, resent } from '../../domain/webhook/delivery'
import type { WebhookEndpoint } from '../../domain/webhook/endpoint'
import type { WebhookPorts } from './ports'

/**
 * Makes deliveries due immediately, with ten further attempts. One that has left `statuses` since it was found is left
 * alone: an event that was just accepted is not posted again.
 *
 * @returns the number of deliveries that are due now.
 */
export async function resetDeliveries(
  { webhookDeliveries, now }: WebhookPorts,
  deliveries: readonly { id: string }[],
  statuses?: readonly DeliveryStatus[],
): Promise<number> {
  const after = await Promise.all(
    deliveries.map(({ id }) =>
      rewrite(webhookDeliveries, id, (stored) => {
        const isWanted = stored !== null && (!statuses || statuses.includes(stored.status))
        return isWanted ? resent(stored, now()) : null
      }),
    ),
  )
  return after.filter((one) => one?.status === 'PENDING').length
}

/**
 * Posts the deliveries that wait for a retry, because the endpoint was enabled or moved. If the process is killed
 * before, they are retried at their times.
 */
export async function postRetrying(ports: WebhookPorts, { id, organizationId }: WebhookEndpoint): Promise<void> {
  const statuses = ['RETRYING'] as const
  const range = { since: 0, until: ports.now(), statuses }
  const waiting = await ports.webhookDeliveries.takenUpBetween({ organizationId, endpointId: id }, range, resendMax)
  await resetDeliveries(ports, waiting, statuses)
}
