import { typesNamed } from '../domain/event-types'
import { bodyOf } from '../domain/webhook/body'
import { isDelivered, type Outcome } from '../domain/webhook/delivery'
import { type FeedPorts, nextEvents } from '../http/events/event-feed'
import { eventSubscriptions } from '../http/events/event-subscription'
import type { ViewContext } from '../http/views/deposit'
import { type FeedEvent, factOf, placeOf } from '../http/views/event'
import type { ViewContextFor } from '../http/views/view-context'
import type { EventsBetween, PostableEvent } from '../ports/webhooks/webhooks'
import { sharedEvents } from '../webhooks/shared-events'
import { type SenderPorts, webhookSender } from '../webhooks/webhook-sender'
import type { Log } from './logging/log'
import type { Meters } from './telemetry/meters'

type Ports = FeedPorts &
  Pick<
    SenderPorts,
    'webhookEndpoints' | 'webhookFeeds' | 'webhookDeliveries' | 'post' | 'vault' | 'holder' | 'now' | 'random' | 'tell'
  > & {
    viewContextFor: ViewContextFor
    log: Pick<Log, 'say'>
    meters: Pick<Meters, 'count'>
    onTrouble: (work: string, error: unknown) => void
  }

const beatMs = 400
/** Poll interval for a first endpoint while no organization has one. */
const idleMs = 4_000

/** The metric label of an attempt: delivered, refused by status, or the error that occurred before any status. */
const outcomeOf = (outcome: Outcome): string => {
  if (isDelivered(outcome)) return 'DELIVERED'
  return outcome.error ?? 'REFUSED'
}

/** Posts events to the organizations' endpoints between `start` and `stop`. */
export function webhookPosting(ports: Ports) {
  const { log, meters, now } = ports
  const onTrouble = (error: unknown) => ports.onTrouble('posting webhooks', error)
  const subscribe = eventSubscriptions({ ...ports, noteTrouble: onTrouble })
  const shared = sharedEvents(eventsBetween(ports), now)
  const told = toldEvents(ports)
  const sender = webhookSender({
    ...ports,
    eventsBetween: shared.eventsBetween,
    subscribe: (organizationId, hear) =>
      subscribe(organizationId, (happened) => {
        shared.forget(organizationId)
        void told(happened, organizationId).then(hear).catch(onTrouble)
      }),
    onTrouble,
    onAttempt: (outcome) => meters.count('webhook_attempts_total', { outcome: outcomeOf(outcome) }),
    onDisabled: ({ id, organizationId, disabledReason }) => {
      log.say('WEBHOOK_ENDPOINT_DISABLED', { endpoint: id, organization: organizationId, reason: disabledReason })
      meters.count('webhook_endpoints_disabled_total', { reason: disabledReason! })
    },
    now,
  })
  let beat: ReturnType<typeof setInterval> | undefined
  let lookedAt = Number.NEGATIVE_INFINITY

  function look(): void {
    if (sender.isEmpty() && performance.now() - lookedAt < idleMs) return
    lookedAt = performance.now()
    void sender.beat()
  }

  return {
    sender,
    start(): void {
      beat = setInterval(look, beatMs)
    },
    async stop(): Promise<void> {
      clearInterval(beat)
      await sender.end()
    },
  }
}

type Rendering = { viewContextFor: ViewContextFor }

/** Returns an event ready for posting. Its body is made once for all endpoints. */
function postable(event: FeedEvent, context: ViewContext): PostableEvent {
  const { id, type, at, render } = event
  let body: string | undefined
  return { id, place: placeOf(event), fact: factOf(event), type, at, body: () => (body ??= bodyOf(render(context))) }
}

/**
 * Caches the rendered event for all endpoints of an organization. An event that concerns several organizations, such as
 * a paused chain, is rendered for each.
 */
function toldEvents({ viewContextFor }: Rendering) {
  const told = new WeakMap<FeedEvent, Map<string, Promise<PostableEvent>>>()
  return (happened: FeedEvent, organizationId: string): Promise<PostableEvent> => {
    const known = told.get(happened) ?? new Map<string, Promise<PostableEvent>>()
    told.set(happened, known)
    const event =
      known.get(organizationId) ??
      viewContextFor({ tenant: organizationId }).then((context) => postable(happened, context))
    known.set(organizationId, event)
    return event
  }
}

/** Reads the events as `GET /api/events` returns them, each as one line of JSON. */
const eventsBetween =
  (ports: FeedPorts & Rendering): EventsBetween =>
  async ({ organizationId, types }, range) => {
    const named = typesNamed(types.join(',')) ?? new Set<string>()
    const { events, readTo } = await nextEvents(ports, { tenant: organizationId, types: named }, range)
    const context = await ports.viewContextFor({ tenant: organizationId })
    return { events: events.map((event) => postable(event, context)), readTo }
  }
