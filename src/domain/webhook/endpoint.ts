/** Where an organization's events are posted. */
export type WebhookEndpoint = {
  id: string
  version: number
  organizationId: string
  url: string
  /** Names or families of event types, as requested. */
  types: readonly string[]
  description: string | null
  enabled: boolean
  disabledReason: DisabledReason | null
  /** Most recent times the service disabled the endpoint, oldest first. Absent in older documents. */
  disablings?: readonly Disabling[]
  /** When the endpoint was last enabled or moved to another URL. Earlier failures do not count against it. */
  enabledAt: number
  /** Signing secret, encrypted. */
  secret: string
  /** Encrypted secret from before the last rotation. It also signs until `previousExpiresAt`. */
  previousSecret: string | null
  previousExpiresAt: number | null
  createdAt: number
  updatedAt: number
  /** A deleted endpoint is hidden, and nothing is posted to it. */
  deletedAt: number | null
}

/** The endpoint responded with 410, failed for days, or was disabled at the organization's request. */
export const disabledReasons = ['GONE', 'FAILING', 'BY_REQUEST'] as const
export type DisabledReason = (typeof disabledReasons)[number]

/**
 * Record that the service disabled an endpoint, with the endpoint's settings at that time. It is reported as an event.
 */
export type Disabling = Pick<WebhookEndpoint, 'url' | 'types' | 'description'> &
  Pick<WebhookFeed, 'lastSuccessAt' | 'lastFailureAt'> & {
    at: number
    reason: Exclude<DisabledReason, 'BY_REQUEST'>
    /** Whether the responsible members were e-mailed. */
    isTold: boolean
    /** Members who have been e-mailed so far. */
    toldTo?: readonly string[]
    /** Until this time a process is e-mailing the members, unless it died. */
    tellingUntil?: number
  }

/**
 * Progress of an endpoint's feed: how far events are stored as deliveries, which process posts them, and how the
 * endpoint responds.
 */
export type WebhookFeed = {
  id: string
  version: number
  organizationId: string
  /** Every event that was logged before this time is stored as a delivery. */
  readTo: number
  /** Process that posts to the endpoint until `until`. */
  holder: string | null
  until: number
  lastSuccessAt: number | null
  lastFailureAt: number | null
  /** First failure since the last success. */
  failingSince: number | null
}

export const urlLengthMax = 2_048
/** Most endpoints of one organization. */
export const endpointsMax = 10
export const defaultTypes = ['deposit.*', 'execution.*'] as const
/** Events of this period are retained, and are posted when an endpoint is enabled again. */
export const feedRetentionMs = 7 * 24 * 60 * 60_000

/** Most retained disablings of one endpoint. Only an endpoint that is enabled again every few hours loses some. */
const disablingsMax = 20
const failingMaxMs = 5 * 24 * 60 * 60_000

/** Returns the progress of an endpoint that has none stored. */
export const newFeed = ({ id, organizationId, createdAt }: WebhookEndpoint): WebhookFeed => ({
  id,
  version: 0,
  organizationId,
  readTo: createdAt,
  holder: null,
  until: 0,
  lastSuccessAt: null,
  lastFailureAt: null,
  failingSince: null,
})

/** Returns the progress after an attempt. Attempts can end in a different order than they began. */
export function withAttempt(feed: WebhookFeed, at: number, isDelivered: boolean): WebhookFeed {
  if (isDelivered) return { ...feed, lastSuccessAt: Math.max(feed.lastSuccessAt ?? 0, at), failingSince: null }
  return { ...feed, lastFailureAt: Math.max(feed.lastFailureAt ?? 0, at), failingSince: feed.failingSince ?? at }
}

type Failing = Pick<WebhookFeed, 'failingSince' | 'lastFailureAt'>
/**
 * Returns the time since which every attempt at the current endpoint has failed; null if the last attempt succeeded.
 */
export function failingSinceOf(
  { failingSince, lastFailureAt }: Failing,
  { enabledAt }: Pick<WebhookEndpoint, 'enabledAt'>,
): number | null {
  const isBefore = lastFailureAt === null || lastFailureAt < enabledAt
  return failingSince === null || isBefore ? null : Math.max(failingSince, enabledAt)
}

/** Whether every attempt has failed for five days. */
export function hasFailedTooLong(feed: Failing, endpoint: Pick<WebhookEndpoint, 'enabledAt'>, now: number): boolean {
  const since = failingSinceOf(feed, endpoint)
  return since !== null && since <= now - failingMaxMs
}

/**
 * Whether a response to `before` still applies to `after`: the endpoint was neither enabled again nor moved in between.
 */
export const isSameTarget = (before: WebhookEndpoint, after: WebhookEndpoint): boolean =>
  before.enabledAt === after.enabledAt && before.url === after.url

export const withDisabled = (
  endpoint: WebhookEndpoint,
  disabledReason: DisabledReason,
  now: number,
): WebhookEndpoint => ({
  ...endpoint,
  enabled: false,
  disabledReason,
  updatedAt: now,
})

/**
 * Returns the endpoint as disabled by the service. The organization did not request this, so its members are notified.
 */
export function disabledByService(
  endpoint: WebhookEndpoint,
  reason: Disabling['reason'],
  { lastSuccessAt, lastFailureAt }: Pick<WebhookFeed, 'lastSuccessAt' | 'lastFailureAt'>,
  now: number,
): WebhookEndpoint {
  const { url, types, description, disablings = [] } = endpoint
  const disabling = { at: now, reason, url, types, description, lastSuccessAt, lastFailureAt, isTold: false }
  return { ...withDisabled(endpoint, reason, now), disablings: [...disablings, disabling].slice(-disablingsMax) }
}

/** Returns the latest disabling if it still applies and the members have not been e-mailed; null otherwise. */
export const unannouncedDisabling = ({
  disablings = [],
  enabled,
  disabledReason,
  deletedAt,
}: WebhookEndpoint): Disabling | null => {
  const last = disablings.at(-1)
  const stands = !enabled && deletedAt === null && last?.reason === disabledReason
  return last === undefined || last.isTold || !stands ? null : last
}

type EmailProgress = Partial<Pick<Disabling, 'isTold' | 'tellingUntil' | 'toldTo'>>
/** Returns the endpoint with the progress of e-mails about the disabling of time `at`. */
export const withEmailProgress = (
  endpoint: WebhookEndpoint,
  at: number,
  disabling: EmailProgress,
): WebhookEndpoint => ({
  ...endpoint,
  disablings: (endpoint.disablings ?? []).map((one) => (one.at === at ? { ...one, ...disabling } : one)),
})

export const isActive = ({ enabled, deletedAt }: Pick<WebhookEndpoint, 'enabled' | 'deletedAt'>): boolean =>
  enabled && deletedAt === null
