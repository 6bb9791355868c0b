import { Elysia } from 'elysia'
import { timeOf } from '../../domain/calendar'
import { eventTypes, matchingEventTypes, testType } from '../../domain/event-types'
import { type } from '../../domain/schema'
import {
  afterAttempt,
  type DeliveryStatus,
  deliveryId,
  deliveryStatuses,
  newSample,
  resendMax,
  sampleId,
  type WebhookDelivery,
} from '../../domain/webhook/delivery'
import type { PagePosition } from '../../ports/records'
import { postedSigned, secretsOf } from '../../webhooks/secrets'
import { operationDocs } from '../openapi/operation-docs'
import { noteVerb } from '../operator/note-verb'
import { authorOf, type ChangeContext } from '../operator/request-context'
import { authenticate } from '../request/authenticate'
import { type Gate, keylessClient } from '../request/caller'
import { answer } from '../request/etag'
import { Refusal } from '../request/failure'
import { type Answer, idempotent } from '../request/idempotent'
import { bodyOf, orderedQuery, pageOf, readListQuery } from '../request/page'
import { asText } from '../routes/deposits'
import { example } from '../views/examples'
import { NamesFilter, TimeFilter } from '../views/filter'
import { described, IdParams, isoTimeOrNull } from '../views/scalar'
import { ownEndpoint, type WebhookPorts } from './ports'
import { resetDeliveries } from './reset-deliveries'
import { sampleEvent, sampleTypes } from './sample'
import {
  DeliveryParams,
  deliveryDetailView,
  deliveryView,
  ResendBody,
  TestBody,
  WebhookDeliveryDetailView,
  WebhookDeliveryView,
  WebhookResentView,
} from './views'

const shared = { tag: 'Webhook endpoints', roles: keylessClient.roles } as const

const filters = {
  'status?': NamesFilter(
    deliveryStatuses,
    `of ${deliveryStatuses.join(', ')}`,
    'Only deliveries with this status, or with one of several separated by commas',
    'RETRYING,FAILED',
  ),
  'types?': described(
    type('1 <= string <= 1000'),
    'Only events of these types, separated by commas; a family ends in `.*`',
    'execution.*,deposit.detected',
  ),
  'search?': described(
    type(/^[^\p{Cc}\p{Cs}\uFFFD"\\]{3,256}$/u).describe('3 to 256 characters without quotes'),
    'Only events that contain this text, such as a user, an execution or a hash; case counts',
    example.userId,
  ),
  'createdFrom?': TimeFilter('Created at this time or later', '2026-11-01T00:00:00.000Z'),
  'createdTo?': TimeFilter('Created before this time', '2026-12-01T00:00:00.000Z'),
  'eventId?': described(type(/^[A-Za-z0-9_]{1,100}$/), 'Only the delivery of this event', example.eventId),
} as const
export const DeliveryFilterQuery = type(filters)
const Query = type({ ...orderedQuery, ...filters })

/** The filters of the list and of the page's counts. */
export function filterOf({ status, types, search, eventId, createdFrom, createdTo }: DeliveryFilters) {
  const named =
    types === undefined ? undefined : (matchingEventTypes(types) ?? (types === testType ? [testType] : null))
  if (named === null)
    throw new Refusal('VALIDATION_FAILED', { message: `types must be among ${eventTypes.join(', ')}` })
  return { statuses: status, types: named && [...named], text: search, eventId, createdFrom, createdTo }
}
type DeliveryFilters = typeof DeliveryFilterQuery.infer

const docs = {
  list: operationDocs({
    ...shared,
    operationId: 'listWebhookDeliveries',
    summary: 'List the deliveries to an endpoint',
    description: 'Newest first unless `order` is `oldest`, for 30 days. All filters must match.',
    query: Query,
    answers: {
      200: { rows: WebhookDeliveryView, description: 'The deliveries.', headers: ['etag'] },
    },
    refusals: ['ENDPOINT_NOT_FOUND', 'INVALID_CURSOR', 'UNKNOWN_PARAMETER'],
  }),
  get: operationDocs({
    ...shared,
    operationId: 'getWebhookDelivery',
    summary: 'Show a delivery',
    description: 'As in the list, with the body and every stored attempt.',
    answers: { 200: { view: WebhookDeliveryDetailView, description: 'The delivery.', headers: ['etag'] } },
    refusals: ['ENDPOINT_NOT_FOUND', 'NOT_FOUND'],
  }),
  test: operationDocs({
    ...shared,
    operationId: 'testWebhookEndpoint',
    summary: 'Post a sample event now',
    description: 'Makes one attempt to post a sample whose `seq` is null. Returns 200 even if the endpoint fails.',
    rateClass: 'X',
    bodyExample: { type: testType },
    answers: { 200: { view: WebhookDeliveryView, description: 'The delivery, with the result.' } },
    refusals: ['ENDPOINT_NOT_FOUND'],
  }),
  resend: operationDocs({
    ...shared,
    operationId: 'resendWebhooks',
    summary: 'Resend events',
    description:
      `One event by \`eventId\`, or the ${resendMax} oldest events of a range by \`since\`, without tests. If there are ` +
      'more, `nextSince` is the `since` of the next call, and `until` stays. `statuses` narrows a range: `RETRYING` and ' +
      '`FAILED` are the events that were posted and not accepted. A resent event is posted immediately, and gets ten ' +
      'further attempts. A test that is resent by its `eventId` gets one attempt.',
    isMutation: true,
    bodyExample: { eventId: example.eventId },
    answers: { 202: { view: WebhookResentView, description: 'The events are posted again.' } },
    refusals: ['ENDPOINT_NOT_FOUND', 'NOT_FOUND'],
  }),
}

const positionOf = ({ createdAt, id }: WebhookDelivery): PagePosition => ({ createdAt, id })

/** Stores a sample, posts it once, and stores the outcome. It does not affect the endpoint's health. */
async function test(
  ports: WebhookPorts,
  { caller, set }: ChangeContext,
  id: string,
  sampleType: string,
): Promise<object> {
  const { webhookDeliveries, operator, vault, postWebhook, now } = ports
  const endpoint = await ownEndpoint(ports, caller, id)
  if (!sampleTypes.includes(sampleType))
    throw new Refusal('VALIDATION_FAILED', { message: `type must be one of ${sampleTypes.join(', ')}` })
  const by = authorOf(caller, set)
  await noteVerb(operator, caller, by, { verb: 'webhook_endpoint.test', target: id, at: now() })
  const at = now()
  const event = sampleEvent(sampleType, { of: operator.newId('smp_'), endpoint, at })
  const sample = newSample(endpoint, { ...event, type: sampleType, at }, at)
  const stored = await webhookDeliveries.save(sample)
  if (!stored) throw new Error(`There is a delivery ${sample.id} already`)
  const secrets = secretsOf(endpoint, vault, at)
  const outcome = await postedSigned(postWebhook, { url: endpoint.url, ...event }, secrets, at)
  const after = afterAttempt(stored, outcome, at, 0)
  return deliveryView((await webhookDeliveries.save(after)) ?? after)
}

type Range = { since: number; until: number; statuses?: readonly DeliveryStatus[] }
type Resend = { eventId: string } | Range

type ResendFields = { [Name in keyof typeof ResendBody.infer]: (typeof ResendBody.infer)[Name] | undefined }

function resendOf({ eventId, since, until, onlyFailed = false, statuses }: ResendFields, now: number): Resend {
  if (onlyFailed && statuses) throw new Refusal('VALIDATION_FAILED', { message: 'Send onlyFailed or statuses' })
  const isOfRange = since !== undefined || until !== undefined || onlyFailed || statuses !== undefined
  if (eventId !== undefined && isOfRange)
    throw new Refusal('VALIDATION_FAILED', { message: 'Send eventId alone, or a range by since' })
  if (eventId !== undefined) return { eventId }
  if (since === undefined) throw new Refusal('VALIDATION_FAILED', { message: 'eventId or since is required' })
  const chosen = onlyFailed ? (['FAILED'] as const) : statuses
  const range = { since: timeOf(since)!, until: until === undefined ? now : timeOf(until)! }
  return chosen ? { ...range, statuses: chosen } : range
}

/** Returns the delivery of an event, or of a sample. @throws {Refusal} NOT_FOUND if there is neither. */
async function ofEvent({ webhookDeliveries }: WebhookPorts, endpointId: string, eventId: string) {
  const ids = [deliveryId(endpointId, eventId), sampleId(endpointId, eventId)]
  const webhookDelivery = (await Promise.all(ids.map((id) => webhookDeliveries.load(id)))).find((one) => one !== null)
  if (!webhookDelivery) throw new Refusal('NOT_FOUND', { message: 'This endpoint has no delivery of this event' })
  return webhookDelivery
}

async function resend(
  ports: WebhookPorts,
  { caller, set }: ChangeContext,
  id: string,
  selection: Resend,
): Promise<Answer> {
  const { webhookDeliveries, operator, now } = ports
  const { organizationId } = await ownEndpoint(ports, caller, id)
  const whose = { organizationId, endpointId: id }
  const deliveries =
    'eventId' in selection
      ? [await ofEvent(ports, id, selection.eventId)]
      : await webhookDeliveries.takenUpBetween(whose, selection, resendMax + 1)
  const next = deliveries[resendMax]
  const by = authorOf(caller, set)
  await noteVerb(operator, caller, by, { verb: 'webhook_endpoint.resend', target: id, at: now(), details: selection })
  const statuses = 'eventId' in selection ? undefined : selection.statuses
  const scheduled = await resetDeliveries(ports, deliveries.slice(0, resendMax), statuses)
  return { status: 202, view: { scheduled, nextSince: isoTimeOrNull(next?.createdAt ?? null) } }
}

/** The deliveries to the endpoints of an organization (extensions 7). */
export function webhookDeliveryRoutes(ports: WebhookPorts, gate: Gate, prefix: string) {
  const { webhookDeliveries, idempotency, now } = ports
  return new Elysia({ prefix })
    .use(
      new Elysia()
        .use(authenticate(gate, keylessClient))
        .get(
          '/webhook-endpoints/:id/deliveries',
          async ({ params: { id }, caller, request, path, set }) => {
            const { listed, filters } = readListQuery(request, Query, true)
            const { organizationId } = await ownEndpoint(ports, caller, id)
            const page = await pageOf(
              { request, set },
              { path, filters: asText(filters), listed },
              (page) => webhookDeliveries.list({ organizationId, endpointId: id, ...filterOf(filters) }, page),
              positionOf,
            )
            return answer({ request, set }, bodyOf({ set }, page, deliveryView))
          },
          { params: IdParams, ...docs.list },
        )
        .get(
          '/webhook-endpoints/:id/deliveries/:deliveryId',
          async ({ params: { id, deliveryId: wanted }, caller, request, set }) => {
            await ownEndpoint(ports, caller, id)
            const webhookDelivery = await webhookDeliveries.load(wanted)
            if (webhookDelivery?.endpointId !== id)
              throw new Refusal('NOT_FOUND', { message: 'This endpoint has no such delivery' })
            return answer({ request, set }, deliveryDetailView(webhookDelivery))
          },
          { params: DeliveryParams, ...docs.get },
        )
        .post(
          '/webhook-endpoints/:id/resend',
          async ({
            params: { id },
            body: { eventId, since, until, onlyFailed, statuses },
            caller,
            request,
            path,
            set,
          }) => {
            const sent = { eventId, since, until, onlyFailed, statuses }
            const selection = resendOf(sent, now())
            return idempotent(idempotency, now, { request, path, set }, { caller, body: sent }, () =>
              resend(ports, { caller, set }, id, selection),
            )
          },
          { params: IdParams, body: ResendBody, ...docs.resend },
        ),
    )
    .use(
      new Elysia().use(authenticate(gate, { ...keylessClient, rateClass: 'X' })).post(
        '/webhook-endpoints/:id/test',
        async ({ params: { id }, body: { type: eventType = testType }, caller, set }) => {
          set.headers['cache-control'] = 'private, no-cache'
          return test(ports, { caller, set }, id, eventType)
        },
        { params: IdParams, body: TestBody, ...docs.test },
      ),
    )
}
