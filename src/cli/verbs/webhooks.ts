import type {
  WebhookDeliveryDetailView,
  WebhookDeliveryView,
  WebhookEndpointCreatedView,
  WebhookEndpointView,
  WebhookResentView,
  WebhookSecretView,
} from '../../http/webhooks/views'
import { type Ask, clientApi, clientPage } from '../client/operator-api'
import { pathPart } from '../client/reach'
import { Failure } from '../terminal/failure'
import { tableOr } from '../terminal/table'

type Endpoint = typeof WebhookEndpointView.infer
type Delivery = typeof WebhookDeliveryView.infer

const path = '/webhook-endpoints'
const ask: Ask = (method, at, body) => clientApi()(method, at, body)
const pathOf = (id: string, more = ''): string => `${path}/${pathPart(id)}${more}`

type Settings = { url?: string; types?: string; description?: string }
const settingsOf = ({ url, types, description }: Settings) => ({
  ...(url !== undefined && { url }),
  ...(types !== undefined && { types: types.split(',') }),
  ...(description !== undefined && { description: description === '' ? null : description }),
})

export async function createEndpoint(url: string, settings: Omit<Settings, 'url'>): Promise<void> {
  const made = await ask<typeof WebhookEndpointCreatedView.infer>('POST', path, settingsOf({ url, ...settings }))
  console.log(`${made.id} gets ${made.types.join(', ')}. Its secret, shown only once:\n${made.secret}`)
}

export async function editEndpoint(id: string, settings: Settings): Promise<void> {
  const change = settingsOf(settings)
  if (Object.keys(change).length === 0) throw new Failure('Give --url, --types or --description.')
  const { url, types } = await ask<Endpoint>('PATCH', pathOf(id), change)
  console.log(`${id} gets ${types.join(', ')} at ${url}.`)
}

export async function setEnabled(id: string, enabled: boolean): Promise<void> {
  await ask<Endpoint>('PATCH', pathOf(id), { enabled })
  console.log(
    enabled
      ? `${id} is enabled. Events of the last 7 days that it missed are sent now.`
      : `${id} is disabled. It receives no events until it is enabled.`,
  )
}

export async function deleteEndpoint(id: string): Promise<void> {
  await ask('DELETE', pathOf(id))
  console.log(`${id} is deleted, with its undelivered events.`)
}

export async function rotateSecret(id: string, { overlap: overlapSeconds }: { overlap: number }): Promise<void> {
  const made = await ask<typeof WebhookSecretView.infer>('POST', pathOf(id, '/rotate-secret'), { overlapSeconds })
  console.log(`The old secret also signs until ${made.previousExpiresAt}. The new secret, shown only once:`)
  console.log(made.secret)
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

const answerOf = ({ error, statusCode }: Pick<NonNullable<Delivery['lastAttempt']>, 'error' | 'statusCode'>): string =>
  error ?? `answered ${statusCode}`
const said = ({ lastAttempt }: Delivery): string => (lastAttempt === null ? '' : answerOf(lastAttempt))

type Listed = { status?: string; event?: string; limit: number; cursor?: string }

export async function listDeliveries(id: string, { status, event, limit, cursor }: Listed): Promise<void> {
  const query = { limit, status, eventId: event, cursor }
  const named = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]))
  const page = await clientPage<Delivery>(pathOf(id, `/deliveries?${new URLSearchParams(named)}`))
  const rows = page.rows.map((one) => [
    one.id,
    one.eventId,
    one.type,
    one.status,
    String(one.attempts),
    said(one),
    one.createdAt,
    one.nextAttemptAt ?? '',
  ])
  const head = ['delivery', 'event', 'type', 'status', 'attempts', 'last attempt', 'created', 'next attempt']
  const isAny = status === undefined && event === undefined
  console.log(tableOr(isAny ? 'There are no deliveries yet.' : 'No delivery matches.', head, rows))
  if (page.next !== null) console.error(`There are older deliveries: --cursor ${page.next}`)
}

export async function showDelivery(id: string, deliveryId: string): Promise<void> {
  const delivery = await ask<typeof WebhookDeliveryDetailView.infer>(
    'GET',
    pathOf(id, `/deliveries/${pathPart(deliveryId)}`),
  )
  const { eventId, type, status, attempts, allAttempts, createdAt, nextAttemptAt, body } = delivery
  const next = nextAttemptAt === null ? '' : `, next attempt at ${nextAttemptAt}`
  console.log(`${type} ${eventId} ${status}, created at ${createdAt}${next}`)
  const dropped = attempts - allAttempts.length
  const rows = allAttempts.map((one, n) => [String(dropped + n + 1), one.at, answerOf(one), `${one.durationMs} ms`])
  console.log(tableOr('It has not been sent yet.', ['attempt', 'at', 'answer', 'took'], rows))
  console.log(body)
}

/** @returns the exit code, which is 1 if the endpoint did not accept the sample. */
export async function testEndpoint(id: string, { type }: { type: string }): Promise<number> {
  const delivery = await ask<Delivery>('POST', pathOf(id, '/test'), { type })
  console.log(`${delivery.type} ${delivery.status}: ${said(delivery)} in ${delivery.lastAttempt?.durationMs} ms`)
  return delivery.status === 'DELIVERED' ? 0 : 1
}

type Resent = { event?: string; since?: string; until?: string; onlyFailed?: boolean; notAccepted?: boolean }

export async function resend(
  id: string,
  { event: eventId, since, until, onlyFailed = false, notAccepted = false }: Resent,
): Promise<void> {
  if (eventId === undefined && since === undefined) throw new Failure('Give --event or --since.')
  if (eventId !== undefined && (since !== undefined || until !== undefined || onlyFailed || notAccepted))
    throw new Failure('--event is one event: leave out --since, --until, --only-failed and --not-accepted.')
  if (onlyFailed && notAccepted) throw new Failure('Give --only-failed or --not-accepted.')
  const which = notAccepted ? { statuses: ['RETRYING', 'FAILED'] } : { onlyFailed }
  const selection = eventId === undefined ? { since, ...(until !== undefined && { until }), ...which } : { eventId }
  const { scheduled, nextSince } = await ask<typeof WebhookResentView.infer>('POST', pathOf(id, '/resend'), selection)
  console.log(`${scheduled} ${scheduled === 1 ? 'event is' : 'events are'} scheduled to be sent again.`)
  // A service of the previous release omits it.
  if (nextSince) console.error(`More events remain. Run this again with --since ${nextSince}`)
}
