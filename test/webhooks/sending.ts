import type { Outcome } from '../../src/domain/webhook/delivery'
import type { WebhookEndpoint } from '../../src/domain/webhook/endpoint'
import type { EventsBetween, PostableEvent, PostWebhook } from '../../src/ports/webhooks/webhooks'
import { type SenderPorts, webhookSender } from '../../src/webhooks/webhook-sender'
import {
  endpointOf,
  testSecret,
  vault,
  webhookDeliveriesInMemory,
  webhookEndpointsInMemory,
  webhookFeedsInMemory,
} from '../support/webhooks'

export const secret = testSecret

export const answered = (statusCode: number): Outcome => ({
  statusCode,
  durationMs: 0,
  error: null,
  retryAfterMs: null,
})

type Happened = { id: string; place?: string; fact: string; type: string; at: number; organizationId: string }
export type Posted = { url: string; id: string; body: string; headers: Record<string, string> }

/** A feed, scripted endpoints, and any number of processes. */
export function sendingWorld() {
  const clock = { now: Date.UTC(2026, 10, 21, 10) }
  const stores = {
    webhookEndpoints: webhookEndpointsInMemory(),
    webhookFeeds: webhookFeedsInMemory(),
    webhookDeliveries: webhookDeliveriesInMemory(),
  }
  const happened: Happened[] = []
  const listeners = new Set<{ organizationId: string; hear: (event: PostableEvent) => void }>()
  const posted: Posted[] = []
  const troubles: unknown[] = []
  const disabled: string[] = []
  const told: string[] = []
  let answer: PostWebhook = async () => answered(200)

  const placeOf = ({ id, place = id }: Happened): string => place
  const postable = ({ fact, type, at, ...event }: Happened): PostableEvent => ({
    id: event.id,
    place: placeOf({ fact, type, at, ...event }),
    fact,
    type,
    at,
    body: () => JSON.stringify({ id: event.id, type }),
  })

  const eventsBetween: EventsBetween = async ({ organizationId, types }, { from, to, after, limit }) => {
    const family = types.map((type) => type.replace('*', ''))
    const found = happened
      .filter((one) => one.organizationId === organizationId && family.some((name) => one.type.startsWith(name)))
      .filter((one) => one.at >= from && one.at < to && (after === null || placeOf(one) > after))
      .toSorted((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1))
    const page = found.slice(0, limit)
    return { events: page.map(postable), readTo: found.length > limit ? from : to }
  }

  const post: PostWebhook = async (url, sent) => {
    posted.push({ url, id: sent.headers['webhook-id']!, ...sent })
    return answer(url, sent)
  }

  const subscribe: SenderPorts['subscribe'] = (organizationId, hear) => {
    const listener = { organizationId, hear }
    listeners.add(listener)
    return () => listeners.delete(listener)
  }

  /** Starts a process. @param changes replacements of its ports. */
  function process(holder: string, changes: Partial<SenderPorts> = {}) {
    const sender = webhookSender({
      ...stores,
      eventsBetween,
      post,
      vault,
      holder,
      now: () => clock.now,
      random: () => 0.5,
      onAttempt: () => {},
      onDisabled: ({ id }) => disabled.push(id),
      tell: async ({ id }, { reason }) => told.push(`${id} ${reason}`) > 0,
      onTrouble: (error) => troubles.push(error),
      subscribe,
      ...changes,
    })
    /** Runs it until nothing is left to do at this time. */
    const work = async (beats = 3): Promise<void> => {
      for (let n = 0; n < beats; n++) {
        await sender.beat()
        await sender.settle()
      }
    }
    return { ...sender, work }
  }

  async function endpoint(id: string, change: Partial<WebhookEndpoint> = {}): Promise<void> {
    const organizationId = change.organizationId ?? 'org_a'
    await stores.webhookEndpoints.save({ ...endpointOf(id, organizationId, clock.now), ...change })
  }

  async function change(id: string, changed: Partial<WebhookEndpoint>): Promise<void> {
    const known = await stores.webhookEndpoints.load(id)
    await stores.webhookEndpoints.save({ ...known!, updatedAt: clock.now, ...changed })
  }

  let count = 0
  const newId = (): string => `evt_${String(++count).padStart(6, '0')}`

  /** Moves an event to the time when its slow write is stored. Later readers of the feed see it there. */
  function place(id: string): string {
    const placed = happened.find((one) => one.id === id)!
    placed.id = newId()
    placed.at = clock.now
    return placed.id
  }

  /** Repeats an event under its own id, at the current position. */
  function tellAgain(id: string): void {
    const again = { ...happened.find((one) => one.id === id)!, place: newId(), at: clock.now }
    happened.push(again)
    for (const one of listeners) if (one.organizationId === again.organizationId) one.hear(postable(again))
  }

  /** Adds an event in an organization. @returns its id. */
  function happen(type = 'execution.running', organizationId = 'org_a'): string {
    const id = newId()
    const event = { id, fact: id, type, at: clock.now, organizationId }
    happened.push(event)
    for (const one of listeners) if (one.organizationId === organizationId) one.hear(postable(event))
    return id
  }

  return {
    ...stores,
    clock,
    posted,
    troubles,
    disabled,
    told,
    process,
    endpoint,
    change,
    happen,
    place,
    tellAgain,
    subscribe,
    post,
    /** Sets the response of every endpoint. */
    answers(next: PostWebhook): void {
      answer = next
    },
    idsTo: (id: string): string[] =>
      posted.filter(({ url }) => url === `https://example.com/${id}`).map((one) => one.id),
  }
}
