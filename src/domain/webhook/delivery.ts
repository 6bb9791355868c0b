/** Delivery of one event to one endpoint. */
export type WebhookDelivery = {
  id: string
  version: number
  organizationId: string
  endpointId: string
  eventId: string
  type: string
  /** The event as it is signed and posted, byte for byte. */
  body: string
  status: DeliveryStatus
  /** All attempts, including those before a resend. */
  attempts: number
  /** Attempts since the event was first posted or last resent. */
  tries: number
  /**
   * Due time of the next attempt; null when no attempt is planned. Before the first attempt: the time
   * when the event was logged.
   */
  dueAt: number | null
  lastAttempt: Attempt | null
  /** The retained attempts before the last one, oldest first. Absent in older documents. */
  earlierAttempts?: readonly Attempt[]
  createdAt: number
  deliveredAt: number | null
}

export const deliveryStatuses = ['PENDING', 'RETRYING', 'DELIVERED', 'FAILED'] as const
export type DeliveryStatus = (typeof deliveryStatuses)[number]
/** Plain names, as people read them. */
export const deliveryNames: Record<DeliveryStatus, string> = {
  PENDING: 'Not sent yet',
  RETRYING: 'Being retried',
  DELIVERED: 'Accepted',
  FAILED: 'Failed',
}

type Attempt = {
  at: number
  statusCode: number | null
  durationMs: number
  error: AttemptError | null
  /** Finer reason of the error. Absent if the connection named none, and in older documents. */
  cause?: AttemptCause
  /** Beginning of the response's body. Absent without a response, and in older documents. */
  responseText?: string
  /** Signatures of the request. Absent if it was not signed, and in older documents. */
  signature?: string
}
/** Longest retained beginning of a response, in characters. */
export const responseTextMax = 1_000

/** Why an attempt got no response, or a response that was not read. A status outside 2xx is not such an error. */
export const attemptErrors = [
  'TIMEOUT',
  'NAME_NOT_FOUND',
  'ADDRESS_REFUSED',
  'CERTIFICATE_REFUSED',
  'CONNECTION_FAILED',
  'SECRET_UNREADABLE',
] as const
export type AttemptError = (typeof attemptErrors)[number]

/** Why a certificate was refused, or how a connection failed. */
export const attemptCauses = [
  'EXPIRED',
  'SELF_SIGNED',
  'OTHER_NAME',
  'UNKNOWN_ISSUER',
  'REFUSED',
  'CLOSED',
  'NO_TLS',
] as const
export type AttemptCause = (typeof attemptCauses)[number]

/** Result of an attempt. `retryAfterMs` is the delay that the response requested. */
export type Outcome = Omit<Attempt, 'at'> & { retryAfterMs: number | null }

const [second, minute, hour] = [1_000, 60_000, 3_600_000]
/** Delay after each attempt. */
const delaysMs = [
  5 * second,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour,
] as const
export const attemptsMax = delaysMs.length + 1
const jitterShare = 0.2
const retryAfterMaxMs = 24 * hour
/** Delay before a delivery that we could not sign is retried. These retries continue until the delivery is deleted. */
const unsignedMs = minute

/** Number of retained attempts before the last one. It covers two resends. */
const earlierMax = 2 * attemptsMax
export const attemptsStoredMax = earlierMax + 1
/** Limits of concurrent attempts per endpoint: usually, and while the endpoint fails. */
export const atOnce = { usual: 8, failing: 2 } as const
/** Limit of concurrent attempts in one process for all endpoints of an organization, not counting quick endpoints. */
export const atOnceOfTenant = 32
/** An endpoint that responds within this time is quick: its attempts block no other endpoint. */
export const quickMs = 1_000
/** Most deliveries that one call resends. */
export const resendMax = 10_000

const idOf = (prefix: string, endpointId: string, eventId: string): string =>
  prefix + Bun.SHA256.hash(`switchyard/delivery/v1:${endpointId} ${eventId}`, 'hex').slice(0, 32)

/** Returns the id of an event's delivery at an endpoint. It is the same for every process and every repetition. */
export const deliveryId = (endpointId: string, eventId: string): string => idOf('dlv_', endpointId, eventId)

/**
 * Returns the id of a test sample. Its prefix distinguishes the sample from a real event. The id carries this mark
 * because processes of the previous release keep ids but refuse to write unknown fields.
 */
export const sampleId = (endpointId: string, eventId: string): string => idOf(samplePrefix, endpointId, eventId)
export const samplePrefix = 'dlv_sample_'

/**
 * Whether the delivery is a test sample. A sample gets one attempt at a time, and the result does not affect the
 * endpoint's health.
 */
export const isSample = ({ id }: Pick<WebhookDelivery, 'id'>): boolean => id.startsWith(samplePrefix)

export const isDelivered = ({ statusCode, error }: Pick<Attempt, 'statusCode' | 'error'>): boolean =>
  error === null && statusCode !== null && statusCode >= 200 && statusCode < 300

/** Whether the attempt failed through our fault. Nothing was posted, so it shows nothing about the endpoint. */
export const isOurFault = ({ error }: Pick<Attempt, 'error'>): boolean => error === 'SECRET_UNREADABLE'

/** Whether the endpoint reports that it no longer exists. */
export const isGone = ({ statusCode }: Pick<Attempt, 'statusCode'>): boolean => statusCode === 410

type Event = { id: string; type: string; at: number; body: string }
type Whose = { id: string; organizationId: string }

/** Returns a delivery to store before its first attempt. */
export const newDelivery = (endpoint: Whose, event: Event, now: number): WebhookDelivery => ({
  id: deliveryId(endpoint.id, event.id),
  version: 0,
  organizationId: endpoint.organizationId,
  endpointId: endpoint.id,
  eventId: event.id,
  type: event.type,
  body: event.body,
  status: 'PENDING',
  attempts: 0,
  tries: 0,
  dueAt: event.at,
  lastAttempt: null,
  earlierAttempts: [],
  createdAt: now,
  deliveredAt: null,
})

/** Delay before another process attempts a sample: its creator has attempted it or died by that time. */
const sampleLateMs = minute

/** Returns a sample to store. Its creator attempts it immediately. */
export const newSample = (endpoint: Whose, event: Event, now: number): WebhookDelivery => ({
  ...newDelivery(endpoint, event, now),
  id: sampleId(endpoint.id, event.id),
  dueAt: now + sampleLateMs,
})

/** Returns the retained attempts of a delivery, oldest first. */
export const attemptsOf = ({ earlierAttempts = [], lastAttempt }: WebhookDelivery): readonly Attempt[] =>
  lastAttempt === null ? earlierAttempts : [...earlierAttempts, lastAttempt]

/**
 * Returns the delivery after an attempt.
 *
 * @param at Start of the attempt.
 * @param random Random number in [0, 1] that shifts the next attempt by up to 20 % either way.
 */
export function afterAttempt(
  delivery: WebhookDelivery,
  { retryAfterMs, ...outcome }: Outcome,
  at: number,
  random: number,
): WebhookDelivery {
  // An attempt that we could not make does not count towards the ten.
  const tries = delivery.tries + (isOurFault(outcome) ? 0 : 1)
  const earlierAttempts = attemptsOf(delivery).slice(-earlierMax)
  const attempts = delivery.attempts + 1
  const attempted = { ...delivery, attempts, tries, lastAttempt: { at, ...outcome }, earlierAttempts }
  const endedAt = at + outcome.durationMs
  if (isDelivered(outcome)) return { ...attempted, status: 'DELIVERED', dueAt: null, deliveredAt: endedAt }
  const delayMs = isOurFault(outcome) ? unsignedMs : delaysMs[tries - 1]
  if (delayMs === undefined || isSample(delivery)) return { ...attempted, status: 'FAILED', dueAt: null }
  const usualMs = Math.round(delayMs * (1 - jitterShare + 2 * jitterShare * random))
  const asks = outcome.statusCode === 429 || outcome.statusCode === 503
  const requestedMs = asks ? Math.min(retryAfterMs ?? 0, retryAfterMaxMs) : 0
  return { ...attempted, status: 'RETRYING', dueAt: endedAt + Math.max(usualMs, requestedMs) }
}

/**
 * Resets a delivery for resending and keeps its earlier attempts.
 *
 * @returns null if the delivery is queued and has not been tried since the last reset. Repeated requests then write
 * nothing.
 */
export function resent(delivery: WebhookDelivery, now: number): WebhookDelivery | null {
  if (delivery.tries === 0 && delivery.dueAt !== null) return null
  return { ...delivery, status: 'PENDING', tries: 0, dueAt: now }
}

/** Parses `retry-after`: whole seconds, or a date. @returns null for any other text. */
export function retryAfterMsOf(text: string | null, now: number): number | null {
  if (text === null) return null
  if (/^\d{1,9}$/.test(text.trim())) return Number(text) * second
  const at = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text.trim())
    ? Date.parse(text)
    : Number.NaN
  return Number.isNaN(at) ? null : Math.max(at - now, 0)
}
