/** Where an organization has events posted to. */
export type WebhookEndpoint = {
  id: string
  version: number
  organizationId: string
  url: string
  /** Names or families of event types, as they were asked for. */
  types: readonly string[]
  description: string | null
  enabled: boolean
  disabledReason: DisabledReason | null
  /** The last times that the service disabled it, oldest first. Older documents have none. */
  disablings?: readonly Disabling[]
  /** When it was last enabled or moved to another URL. What failed before does not count against it. */
  enabledAt: number
  /** The secret that signs, encrypted. */
  secret: string
  /** The secret before the last rotation, encrypted, which signs as well until `previousExpiresAt`. */
  previousSecret: string | null
  previousExpiresAt: number | null
  createdAt: number
  updatedAt: number
  /** A deleted endpoint is not shown to anybody, and nothing is posted to it. */
  deletedAt: number | null
}

/** It answered 410, it failed for days, or its organization asked for it. */
export const disabledReasons = ['GONE', 'FAILING', 'BY_REQUEST'] as const
export type DisabledReason = (typeof disabledReasons)[number]

/** That the service disabled an endpoint, which is told as an event, with the endpoint as it was then. */
export type Disabling = Pick<WebhookEndpoint, 'url' | 'types' | 'description'> &
  Pick<WebhookFeed, 'lastSuccessAt' | 'lastFailureAt'> & {
    at: number
    reason: Exclude<DisabledReason, 'BY_REQUEST'>
    /** Whether the people who look after it were written to. */
    isTold: boolean
    /** The people who were written to so far. */
    toldTo?: readonly string[]
    /** Until then a process is writing to them, unless it died. */
    tellingUntil?: number
  }

/** How far the events of an endpoint are stored as deliveries, who posts them, and how the endpoint answers. */
export type WebhookFeed = {
  /** The id of the endpoint. */
  id: string
  version: number
  organizationId: string
  /** Every event before this place of the feed is stored as a delivery. */
  readTo: number
  /** The process that posts to the endpoint, until a time. */
  holder: string | null
  until: number
  lastSuccessAt: number | null
  lastFailureAt: number | null
  /** The first failure since the last success. */
  failingSince: number | null
}

export const urlLengthMax = 2_048
/** How many endpoints an organization may have. */
export const endpointsMax = 10
export const defaultTypes = ['deposit.*', 'execution.*'] as const
/** The events of this time are kept, and posted when an endpoint is enabled again. */
export const feedKeptMs = 7 * 24 * 60 * 60_000

/** As many times as can be within the days for which events are kept, of an endpoint that is not enabled for sport. */
const disablingsMax = 20
const failingMaxMs = 5 * 24 * 60 * 60_000

/** The feed of an endpoint of which nothing is stored yet. */
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

/** The feed after an attempt. Attempts may end in another order than they began. */
export function withAttempt(feed: WebhookFeed, at: number, isDelivered: boolean): WebhookFeed {
  if (isDelivered) return { ...feed, lastSuccessAt: Math.max(feed.lastSuccessAt ?? 0, at), failingSince: null }
  return { ...feed, lastFailureAt: Math.max(feed.lastFailureAt ?? 0, at), failingSince: feed.failingSince ?? at }
}

type Failing = Pick<WebhookFeed, 'failingSince' | 'lastFailureAt'>
/** Since when every attempt at an endpoint as it is now has failed; null where the last one did not. */
export function failingSinceOf(
  { failingSince, lastFailureAt }: Failing,
  { enabledAt }: Pick<WebhookEndpoint, 'enabledAt'>,
): number | null {
  const isBefore = lastFailureAt === null || lastFailureAt < enabledAt
  return failingSince === null || isBefore ? null : Math.max(failingSince, enabledAt)
}

/** Whether every attempt of five days failed. */
export function hasFailedTooLong(feed: Failing, endpoint: Pick<WebhookEndpoint, 'enabledAt'>, now: number): boolean {
  const since = failingSinceOf(feed, endpoint)
  return since !== null && since <= now - failingMaxMs
}

/** Whether what an endpoint answered still says something of it: it was not enabled anew or moved meanwhile. */
export const isSameTarget = (before: WebhookEndpoint, after: WebhookEndpoint): boolean =>
  before.enabledAt === after.enabledAt && before.url === after.url

export const disabled = (endpoint: WebhookEndpoint, disabledReason: DisabledReason, now: number): WebhookEndpoint => ({
  ...endpoint,
  enabled: false,
  disabledReason,
  updatedAt: now,
})

/** The endpoint as the service disables it: nobody asked for that, so it is told. */
export function disabledByService(
  endpoint: WebhookEndpoint,
  reason: Disabling['reason'],
  { lastSuccessAt, lastFailureAt }: Pick<WebhookFeed, 'lastSuccessAt' | 'lastFailureAt'>,
  now: number,
): WebhookEndpoint {
  const { url, types, description, disablings = [] } = endpoint
  const told = { at: now, reason, url, types, description, lastSuccessAt, lastFailureAt, isTold: false }
  return { ...disabled(endpoint, reason, now), disablings: [...disablings, told].slice(-disablingsMax) }
}

/** That the service disabled an endpoint, while that still stands and nobody was written to about it. */
export const untoldOf = ({
  disablings = [],
  enabled,
  disabledReason,
  deletedAt,
}: WebhookEndpoint): Disabling | null => {
  const last = disablings.at(-1)
  const stands = !enabled && deletedAt === null && last?.reason === disabledReason
  return last === undefined || last.isTold || !stands ? null : last
}

type Telling = Partial<Pick<Disabling, 'isTold' | 'tellingUntil' | 'toldTo'>>
/** The endpoint with how far people were written to about the disabling at a time. */
export const withTelling = (endpoint: WebhookEndpoint, at: number, telling: Telling): WebhookEndpoint => ({
  ...endpoint,
  disablings: (endpoint.disablings ?? []).map((one) => (one.at === at ? { ...one, ...telling } : one)),
})

export const isActive = ({ enabled, deletedAt }: Pick<WebhookEndpoint, 'enabled' | 'deletedAt'>): boolean =>
  enabled && deletedAt === null
