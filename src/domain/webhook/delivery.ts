/** One event on its way to one endpoint. */
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
  /** All attempts, those before a resend too. */
  attempts: number
  /** The attempts since the event was first posted or last resent. */
  tries: number
  /** When the next attempt is due; null when there is none. Before the first one: the event's place in the feed. */
  dueAt: number | null
  lastAttempt: Attempt | null
  /** The attempts before the last one, oldest first, as far as they are kept. Older documents have none. */
  earlierAttempts?: readonly Attempt[]
  createdAt: number
  deliveredAt: number | null
}

export const deliveryStatuses = ['PENDING', 'RETRYING', 'DELIVERED', 'FAILED'] as const
export type DeliveryStatus = (typeof deliveryStatuses)[number]

type Attempt = { at: number; statusCode: number | null; durationMs: number; error: AttemptError | null }

/** Why an attempt got no answer, or one that was not read. A status other than 2xx is no error of this kind. */
export const attemptErrors = [
  'TIMEOUT',
  'NAME_NOT_FOUND',
  'ADDRESS_REFUSED',
  'CERTIFICATE_REFUSED',
  'CONNECTION_FAILED',
  'SECRET_UNREADABLE',
] as const
export type AttemptError = (typeof attemptErrors)[number]

/** What became of an attempt. `retryAfterMs` is what the answer asked for. */
export type Outcome = Omit<Attempt, 'at'> & { retryAfterMs: number | null }

const [second, minute, hour] = [1_000, 60_000, 3_600_000]
/** The time from each attempt to the next one. */
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
/** What we could not sign is tried again after this time, for as long as it is kept. */
const unsignedMs = minute

/** How many attempts before the last one are kept: those of two resends. */
const earlierMax = 2 * attemptsMax
export const attemptsKeptMax = earlierMax + 1
/** How many attempts an endpoint has at a time, and how many while it fails. */
export const atOnce = { usual: 8, failing: 2 } as const
/** How many attempts the endpoints of an organization have at a time in one process, without those that are quick. */
export const atOnceOfTenant = 32
/** An endpoint that answers within this time is quick: its attempts hold up nobody. */
export const quickMs = 1_000
/** How many deliveries one call resends at most. */
export const resendMax = 10_000

const idOf = (prefix: string, endpointId: string, eventId: string): string =>
  prefix + Bun.SHA256.hash(`switchyard/delivery/v1:${endpointId} ${eventId}`, 'hex').slice(0, 32)

/** The same event has one delivery at an endpoint, whoever stores it and however often. */
export const deliveryId = (endpointId: string, eventId: string): string => idOf('dlv_', endpointId, eventId)

/**
 * The id of a sample that was posted as a test. It tells the sample from what happened, because processes of the
 * release before keep an id, but refuse to write a field that they do not know.
 */
export const sampleId = (endpointId: string, eventId: string): string => idOf(samplePrefix, endpointId, eventId)
export const samplePrefix = 'dlv_sample_'

/** Whether nothing happened: a test gets one attempt at a time, which counts neither for nor against the endpoint. */
export const isSample = ({ id }: Pick<WebhookDelivery, 'id'>): boolean => id.startsWith(samplePrefix)

export const isDelivered = ({ statusCode, error }: Pick<Attempt, 'statusCode' | 'error'>): boolean =>
  error === null && statusCode !== null && statusCode >= 200 && statusCode < 300

/** Whether an attempt failed by our own fault: nothing was posted, so it says nothing of the endpoint. */
export const isOurFault = ({ error }: Pick<Attempt, 'error'>): boolean => error === 'SECRET_UNREADABLE'

/** Whether the endpoint says that it does not exist any more. */
export const isGone = ({ statusCode }: Pick<Attempt, 'statusCode'>): boolean => statusCode === 410

type Event = { id: string; type: string; at: number; body: string }
type Whose = { id: string; organizationId: string }

/** A delivery as it is stored before its first attempt. */
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

/** Whoever stored a sample has made its attempt by then, or has died, and another process makes it. */
const sampleLateMs = minute

/** A sample as it is stored before its attempt, which whoever stores it makes at once. */
export const newSample = (endpoint: Whose, event: Event, now: number): WebhookDelivery => ({
  ...newDelivery(endpoint, event, now),
  id: sampleId(endpoint.id, event.id),
  dueAt: now + sampleLateMs,
})

/** The attempts that are kept of a delivery, oldest first. */
export const attemptsOf = ({ earlierAttempts = [], lastAttempt }: WebhookDelivery): readonly Attempt[] =>
  lastAttempt === null ? earlierAttempts : [...earlierAttempts, lastAttempt]

/**
 * The delivery after an attempt.
 *
 * @param at When the attempt began.
 * @param random From 0 to 1, by which the time of the next attempt is moved.
 */
export function afterAttempt(
  delivery: WebhookDelivery,
  { retryAfterMs, ...outcome }: Outcome,
  at: number,
  random: number,
): WebhookDelivery {
  // An attempt that we could not make is none of the ten.
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
  const askedMs = asks ? Math.min(retryAfterMs ?? 0, retryAfterMaxMs) : 0
  return { ...attempted, status: 'RETRYING', dueAt: endedAt + Math.max(usualMs, askedMs) }
}

/**
 * The delivery as it begins anew, with all its attempts before it.
 *
 * @returns null for one that has just begun, so that whoever asks again and again causes no write.
 */
export function resent(delivery: WebhookDelivery, now: number): WebhookDelivery | null {
  if (delivery.tries === 0 && delivery.dueAt !== null) return null
  return { ...delivery, status: 'PENDING', tries: 0, dueAt: now }
}

/** Reads `retry-after`: whole seconds, or a date. @returns null for anything else. */
export function retryAfterMsOf(text: string | null, now: number): number | null {
  if (text === null) return null
  if (/^\d{1,9}$/.test(text.trim())) return Number(text) * second
  const at = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text.trim())
    ? Date.parse(text)
    : Number.NaN
  return Number.isNaN(at) ? null : Math.max(at - now, 0)
}
