import type { IdempotentRequests } from '../../ports/limits'
import type { PostWebhook, Vault, WebhookDeliveries, WebhookEndpoints, WebhookFeeds } from '../../ports/webhooks'
import type { OperatorPorts } from '../operator/ports'
import type { Caller } from '../request/caller'
import { Refusal } from '../request/failure'

export type WebhookPorts = {
  webhookEndpoints: WebhookEndpoints
  webhookFeeds: WebhookFeeds
  webhookDeliveries: WebhookDeliveries
  /** Posts a test to an endpoint immediately. */
  postWebhook: PostWebhook
  vault: Vault
  /** Whether events may be posted to this machine. */
  webhooksToLoopback: boolean
  operator: Pick<OperatorPorts, 'auditLog' | 'newId'>
  idempotency: IdempotentRequests
  now: () => number
}

/**
 * Returns the endpoint of the caller's organization with this id. @throws {Refusal} ENDPOINT_NOT_FOUND, also for an
 * endpoint of another organization.
 */
export async function ownEndpoint(
  { webhookEndpoints }: Pick<WebhookPorts, 'webhookEndpoints'>,
  { organization }: Pick<Caller, 'organization'>,
  id: string,
) {
  const endpoint = await webhookEndpoints.load(id)
  if (!endpoint || endpoint.organizationId !== organization.id || endpoint.deletedAt !== null)
    throw new Refusal('ENDPOINT_NOT_FOUND')
  return endpoint
}
