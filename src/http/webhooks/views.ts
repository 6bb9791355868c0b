import { timeOf } from '../../domain/calendar'
import { type, view } from '../../domain/schema'
import {
  attemptCauses,
  attemptErrors,
  attemptsOf,
  attemptsStoredMax,
  deliveryStatuses,
  responseTextMax,
  type WebhookDelivery,
} from '../../domain/webhook/delivery'
import {
  defaultTypes,
  disabledReasons,
  urlLengthMax,
  type WebhookEndpoint,
  type WebhookFeed,
} from '../../domain/webhook/endpoint'
import { headersOf } from '../../domain/webhook/signature'
import { example } from '../views/examples'
import {
  Count,
  CountOrNull,
  described,
  Flag,
  IdParam,
  isoTime,
  isoTimeOrNull,
  requestTime,
  Text,
  TextOrNull,
  Time,
  TimeOrNull,
} from '../views/scalar'

const url = 'https://example.com/hooks'
const anyUrl = type(`1 <= string <= ${urlLengthMax}` as '1 <= string <= 2048')
const urlText = described(anyUrl, 'URL that receives events: https, on the public Internet', url)
const typeName = type(/^[a-z_.*]{1,64}$/).describe('the name of an event type, or a family such as deposit.*')
const types = described(
  typeName.array().atLeastLength(1).atMostLength(32),
  'Types of events, or families such as `deposit.*`',
  [...defaultTypes],
)
const descriptionText = described(
  type(/^[^\p{Cc}\p{Cs}\uFFFD]{0,256}$/u)
    .describe('text of at most 256 characters')
    .or('null'),
  'Your note',
  'Checkout',
)

export const WebhookEndpointBody = type({ url: urlText, 'types?': types, 'description?': descriptionText })
export const WebhookEndpointChange = type({
  'url?': described(anyUrl, 'New URL that receives events', url),
  'types?': types,
  'description?': descriptionText,
  'enabled?': Flag('Whether events are posted', true),
})
export const RotationBody = type({
  'overlapSeconds?': described(
    type('0 <= number.integer <= 604800'),
    'Seconds for which the previous secret also signs; by default a day',
    86_400,
  ),
})
export const TestBody = type({ 'type?': described(typeName, 'By default `webhook.test`', 'webhook.test') })
const realTime = requestTime.narrow((text, context) => timeOf(text) !== null || context.mustBe('an ISO 8601 time'))
export const ResendBody = type({
  'eventId?': described(type('1 <= string <= 100'), 'One event; send it without a range', example.eventId),
  'since?': described(realTime, 'Deliveries created at this time or later', '2026-11-21T10:00:24.640Z'),
  'until?': described(realTime, 'Deliveries created before this time; by default now', '2026-11-21T11:00:00.000Z'),
  'onlyFailed?': Flag('Only permanently failed deliveries, as `statuses` of FAILED; by default false', true),
  'statuses?': described(
    type
      .enumerated(...deliveryStatuses)
      .array()
      .atLeastLength(1)
      .atMostLength(deliveryStatuses.length as 4),
    'Only deliveries with one of these statuses; by default all',
    ['RETRYING', 'FAILED'],
  ),
})

const reason = described(type.enumerated(...disabledReasons).or('null'), 'Why an endpoint is disabled', null)

const endpointFields = {
  id: Text('The id', 'whe_9fT2aQ'),
  url: Text('URL that receives events', url),
  types: described(type('string').array(), 'Types of events that it receives', [...defaultTypes]),
  description: TextOrNull('Your note', 'Checkout'),
  enabled: Flag('Whether events are posted', true),
  disabledReason: reason,
  lastSuccessAt: TimeOrNull('Last 2xx', '2026-11-21T10:00:30.911Z'),
  lastFailureAt: TimeOrNull('Last attempt that failed', null),
  createdAt: Time('When it was made'),
  updatedAt: Time('When it was last changed'),
} as const
export const WebhookEndpointView = view(endpointFields)

const secretExample = 'whsec_CjBwImXFcp8GEH1osqZixNs9kG2x7EWJSCpsNVppPV0='
const secretField = { secret: Text('Shown only once; verifies the posted events', secretExample) } as const
export const WebhookEndpointCreatedView = view({ ...endpointFields, ...secretField })
export const WebhookSecretView = view({
  ...secretField,
  previousExpiresAt: Time('Until when the previous secret also signs', '2026-11-22T10:00:24.640Z'),
})

const attemptFields = {
  at: Time('When it began', '2026-11-21T10:00:30.911Z'),
  statusCode: CountOrNull('Response status; null without a response', 503),
  durationMs: Count('Duration in milliseconds', 412),
  error: described(type.enumerated(...attemptErrors).or('null'), 'Why there was no response', null),
  cause: described(type.enumerated(...attemptCauses).or('null'), 'Finer reason of `error`; null if unknown', null),
} as const
export const WebhookAttemptView = view(attemptFields)
export const WebhookAttemptDetailView = view({
  ...attemptFields,
  sentHeaders: described(
    view({ '[string]': 'string' }).or('null'),
    'Headers of the request; null if none was sent or stored',
    headersOf(example.eventId, Date.UTC(2026, 10, 21, 10), 'v1,46rmsWp7zxu+6zLIpwt0kclTMFiyinuC5K/Xci4nQnY='),
  ),
  responseText: TextOrNull(
    `The first ${responseTextMax} characters of the response; null without one, or if it was not stored`,
    'Service unavailable',
  ),
})
const deliveryFields = {
  id: Text('The id', 'dlv_9fT2aQ'),
  eventId: Text('The event: `webhook-id`', example.eventId),
  type: Text('Its type', 'execution.running'),
  userId: TextOrNull('The user of the event; null if none', example.userId),
  status: described(type.enumerated(...deliveryStatuses), 'Status of a delivery', 'RETRYING'),
  attempts: Count('Attempts so far', 2),
  nextAttemptAt: TimeOrNull('Time of the next attempt', '2026-11-21T10:05:31.020Z'),
  lastAttempt: described(WebhookAttemptView.or('null'), 'The last attempt'),
  createdAt: Time('When the delivery was created, up to a minute before it was stored', '2026-11-21T10:00:25.402Z'),
  deliveredAt: TimeOrNull('When it was accepted', null),
} as const
export const WebhookDeliveryView = view(deliveryFields)
const bodyExample = `{"id":"${example.eventId}","type":"execution.running","seq":8}`
export const WebhookDeliveryDetailView = view({
  ...deliveryFields,
  body: Text('The signed and posted body, byte for byte; shortened in this example', bodyExample),
  allAttempts: described(
    WebhookAttemptDetailView.array(),
    `The attempts, oldest first; at most the last ${attemptsStoredMax}`,
  ),
})
export const DeliveryParams = type({
  id: IdParam,
  deliveryId: described(type('1 <= string <= 1024'), 'The id of the delivery', 'dlv_9fT2aQ'),
})
export const WebhookResentView = view({
  scheduled: Count('Number of deliveries that are posted again', 1),
  nextSince: TimeOrNull('The next `since`, which can repeat a few; null at the end of the range', null),
})

export const endpointView = (
  { id, url, types, description, enabled, disabledReason, createdAt, updatedAt }: WebhookEndpoint,
  feed: Pick<WebhookFeed, 'lastSuccessAt' | 'lastFailureAt'> | null,
): typeof WebhookEndpointView.infer => ({
  id,
  url,
  types: [...types],
  description,
  enabled,
  disabledReason,
  lastSuccessAt: isoTimeOrNull(feed?.lastSuccessAt ?? null),
  lastFailureAt: isoTimeOrNull(feed?.lastFailureAt ?? null),
  createdAt: isoTime(createdAt),
  updatedAt: isoTime(updatedAt),
})

type StoredAttempt = NonNullable<WebhookDelivery['lastAttempt']>
const attemptView = (attempt: StoredAttempt): typeof WebhookAttemptView.infer => {
  const { at, statusCode, durationMs, error, cause = null } = attempt
  return { at: isoTime(at), statusCode, durationMs, error, cause }
}

export function deliveryView(delivery: WebhookDelivery): typeof WebhookDeliveryView.infer {
  const { id, eventId, type, status, attempts, dueAt, lastAttempt, createdAt, deliveredAt } = delivery
  const { data } = JSON.parse(delivery.body) as { data?: { userId?: unknown } | null }
  return {
    id,
    eventId,
    type,
    userId: typeof data?.userId === 'string' ? data.userId : null,
    status,
    attempts,
    nextAttemptAt: isoTimeOrNull(dueAt),
    lastAttempt: lastAttempt && attemptView(lastAttempt),
    createdAt: isoTime(createdAt),
    deliveredAt: isoTimeOrNull(deliveredAt),
  }
}

export const deliveryDetailView = (delivery: WebhookDelivery): typeof WebhookDeliveryDetailView.infer => ({
  ...deliveryView(delivery),
  body: delivery.body,
  allAttempts: attemptsOf(delivery).map((attempt) => ({
    ...attemptView(attempt),
    sentHeaders: attempt.signature === undefined ? null : headersOf(delivery.eventId, attempt.at, attempt.signature),
    responseText: attempt.responseText ?? null,
  })),
})
