import { BoundedMap } from '../domain/bounded-map'
import type { WebhookDelivery } from '../domain/webhook/delivery'
import type { RunPorts } from './run-ports'

const queueMax = 64
const restingMax = 1_000

/**
 * The deliveries of an endpoint that are stored and due.
 *
 * @param inFlight Deliveries that are being posted, or whose attempt is being stored.
 */
export function dueDeliveries(
  { webhookDeliveries, now }: Pick<RunPorts, 'webhookDeliveries' | 'now'>,
  endpointId: string,
  inFlight: ReadonlyMap<string, unknown>,
) {
  /** When the next delivery outside the queue is due. */
  let wakeAt = Number.NEGATIVE_INFINITY
  let queue: WebhookDelivery[] = []
  /**
   * The end of the back-off of each delivery whose attempt could not be stored. It is still due, but was just posted.
   */
  const resting = new BoundedMap<string, number>(restingMax)
  /** Counts new due deliveries, so a read that began earlier does not count as complete. */
  let changes = 0

  return {
    first(): WebhookDelivery | null {
      while (queue[0] && inFlight.has(queue[0].id)) queue.shift()
      return queue[0] ?? null
    },
    takeFirst: (): WebhookDelivery | undefined => queue.shift(),
    isResting: (id: string): boolean => (resting.get(id) ?? Number.NEGATIVE_INFINITY) > now(),
    rest: (id: string, until: number): unknown => resting.set(id, until),
    /** Notes that a delivery might be due from a time on; if absent, now. */
    note(dueAt = Number.NEGATIVE_INFINITY): void {
      changes += 1
      wakeAt = Math.min(wakeAt, dueAt)
    },
    forget(): void {
      queue = []
      wakeAt = Number.NEGATIVE_INFINITY
    },
    isToRead: (): boolean => queue.length === 0 && now() >= wakeAt,
    async read(): Promise<void> {
      const before = changes
      // The response can predate the end of an attempt that ends during the read.
      const busy = new Set(inFlight.keys())
      const rows = await webhookDeliveries.next(endpointId, queueMax + inFlight.size + resting.size)
      const at = now()
      for (const [known, until] of resting) if (until <= at) resting.delete(known)
      const waiting = rows.filter((one) => !busy.has(one.id))
      const dueAtOf = (one: WebhookDelivery): number => Math.max(one.dueAt!, resting.get(one.id) ?? one.dueAt!)
      queue = waiting.filter((one) => dueAtOf(one) <= at)
      const isOld = queue.length > 0 || changes !== before
      wakeAt = isOld ? Number.NEGATIVE_INFINITY : Math.min(...waiting.map(dueAtOf))
    },
  }
}
