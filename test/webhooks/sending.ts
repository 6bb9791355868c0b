import type { Outcome } from '../../src/domain/webhook/delivery'
import type { WebhookEndpoint } from '../../src/domain/webhook/endpoint'
import type { EventReader, PostWebhook } from '../../src/ports/webhooks'
import type { NoticePorts } from '../../src/webhooks/disabled-notices'
import type { RunPorts } from '../../src/webhooks/run-ports'
import { webhookSender } from '../../src/webhooks/webhook-sender'
import { eventLogInMemory } from '../support/events'
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

export type Posted = { url: string; id: string; body: string; headers: Record<string, string> }

/** A log, scripted endpoints, and any number of processes. */
export function sendingWorld() {
  const clock = { now: Date.UTC(2026, 10, 21, 10) }
  const stores = {
    webhookEndpoints: webhookEndpointsInMemory(),
    webhookFeeds: webhookFeedsInMemory(),
    webhookDeliveries: webhookDeliveriesInMemory(),
  }
  const eventLog = eventLogInMemory()
  const listeners = new Set<{ organizationId: string | null; onEvent: () => void }>()
  const posted: Posted[] = []
  const troubles: unknown[] = []
  const disabled: string[] = []
  const told: string[] = []
  let answer: PostWebhook = async () => answered(200)

  /** Reads the log without a memory. */
  const events: EventReader = {
    async after(position, scope, limit) {
      const head = eventLog.all().at(-1)
      const page = await eventLog.after(position, scope, limit)
      const isMore = page.length === limit
      const last = isMore ? page.at(-1)! : head
      return { events: page, to: last?.position ?? 0, loggedAt: last?.loggedAt ?? 0, isMore }
    },
    positionBefore: eventLog.positionBefore,
    head: async () => eventLog.all().length,
    subscribe(organizationId, onEvent) {
      const listener = { organizationId, onEvent }
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }

  const post: PostWebhook = async (url, sent) => {
    posted.push({ url, id: sent.headers['webhook-id']!, ...sent })
    return answer(url, sent)
  }

  /** Starts a process. @param changes replacements of its ports. */
  function process(
    holder: string,
    { notify, ...changes }: Partial<RunPorts> & { notify?: NoticePorts['notify'] } = {},
  ) {
    const posting: RunPorts = {
      ...stores,
      events,
      post,
      vault,
      holder,
      now: () => clock.now,
      random: () => 0.5,
      onAttempt: () => {},
      onDisabled: ({ id }) => disabled.push(id),
      onTrouble: (error) => troubles.push(error),
      ...changes,
    }
    const noteTold: NoticePorts['notify'] = async ({ id }, { reason }) => told.push(`${id} ${reason}`) > 0
    const sender = webhookSender(posting, notify ?? noteTold)
    /** Runs it until nothing is left to do at this time. */
    const work = async (ticks = 3): Promise<void> => {
      for (let n = 0; n < ticks; n++) {
        await sender.tick()
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

  /** Adds an event in an organization. @returns its id. */
  function happen(type = 'execution.running', organizationId = 'org_a'): string {
    const [id, at] = [newId(), clock.now]
    const position = eventLog.all().length + 1
    const text = JSON.stringify({ id, type })
    void eventLog.append([
      { position, id, dataId: id, seq: 1, type, organizationId, userId: 'ada', at, loggedAt: at, text },
    ])
    for (const one of listeners) if (one.organizationId === organizationId) one.onEvent()
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
    eventLog,
    events,
    post,
    /** Sets the response of every endpoint. */
    answers(next: PostWebhook): void {
      answer = next
    },
    idsTo: (id: string): string[] =>
      posted.filter(({ url }) => url === `https://example.com/${id}`).map((one) => one.id),
  }
}
