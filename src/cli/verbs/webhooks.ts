import type { WebhookDeliveryView, WebhookEndpointCreatedView, WebhookEndpointView } from '../../http/webhooks/views'
import { type Ask, clientApi, pathPart } from '../client/operator-api'
import { Failure } from '../terminal/failure'
import { tableOr } from '../terminal/table'

type Endpoint = typeof WebhookEndpointView.infer
type Delivery = typeof WebhookDeliveryView.infer

const path = '/webhook-endpoints'
const ask: Ask = (method, at, body) => clientApi()(method, at, body)
const pathOf = (id: string, more = ''): string => `${path}/${pathPart(id)}${more}`

export async function createEndpoint(url: string, { types }: { types?: string }): Promise<void> {
  const body = { url, ...(types !== undefined && { types: types.split(',') }) }
  const made = await ask<typeof WebhookEndpointCreatedView.infer>('POST', path, body)
  console.log(`${made.id} gets ${made.types.join(', ')}. Its secret, which is shown only now:\n${made.secret}`)
}

export async function listEndpoints(): Promise<void> {
  const rows = (await ask<Endpoint[]>('GET', path)).map(({ id, url, types, disabledReason, ...rest }) => [
    id,
    url,
    types.join(','),
    disabledReason === null ? 'enabled' : `disabled (${disabledReason})`,
    rest.lastSuccessAt ?? '',
    rest.lastFailureAt ?? '',
  ])
  const head = ['id', 'url', 'types', 'state', 'last success', 'last failure']
  console.log(tableOr('There is no webhook endpoint.', head, rows))
}

const said = ({ lastAttempt }: Delivery): string =>
  lastAttempt === null ? '' : (lastAttempt.error ?? `answered ${lastAttempt.statusCode}`)

export async function listDeliveries(id: string, { status }: { status?: string }): Promise<void> {
  const query = status === undefined ? '' : `?status=${encodeURIComponent(status)}`
  const found = await ask<Delivery[]>('GET', pathOf(id, `/deliveries${query}`))
  const rows = found.map((one) => [
    one.eventId,
    one.type,
    one.status,
    String(one.attempts),
    said(one),
    one.nextAttemptAt ?? '',
  ])
  const head = ['event', 'type', 'status', 'attempts', 'last attempt', 'next attempt']
  console.log(tableOr(status === undefined ? 'Nothing was posted yet.' : 'No delivery matches.', head, rows))
}

/** @returns the exit code, which is 1 if the endpoint did not accept the sample. */
export async function testEndpoint(id: string, { type }: { type: string }): Promise<number> {
  const delivery = await ask<Delivery>('POST', pathOf(id, '/test'), { type })
  console.log(`${delivery.type} ${delivery.status}: ${said(delivery)} in ${delivery.lastAttempt?.durationMs} ms`)
  return delivery.status === 'DELIVERED' ? 0 : 1
}

export async function resend(
  id: string,
  { event: eventId, since, onlyFailed }: { event?: string; since?: string; onlyFailed: boolean },
): Promise<void> {
  if (eventId === undefined && since === undefined) throw new Failure('Give --event or --since.')
  const asked = eventId === undefined ? { since, onlyFailed } : { eventId }
  const { scheduled } = await ask<{ scheduled: number }>('POST', pathOf(id, '/resend'), asked)
  console.log(`${scheduled} ${scheduled === 1 ? 'event is' : 'events are'} scheduled to be posted again.`)
}
