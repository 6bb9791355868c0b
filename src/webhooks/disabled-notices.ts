import { rewrite } from '../domain/concurrency'
import { type Disabling, untoldOf, type WebhookEndpoint, withTold } from '../domain/webhook/endpoint'
import type { WebhookEndpoints } from '../ports/webhooks/webhooks'

export type NoticePorts = {
  webhookEndpoints: Pick<WebhookEndpoints, 'load' | 'save'>
  /** Writes to the people who look after an endpoint. */
  tell: (endpoint: WebhookEndpoint, disabling: Disabling) => Promise<void>
  now: () => number
  onTrouble: (error: unknown) => void
}

/** The process that disabled an endpoint has this long to write of it, before another one does. */
const ownMs = 60_000

/** Writes to people when the service has disabled an endpoint: at least once, and rarely twice. */
export function disabledNotices({ webhookEndpoints, tell, now, onTrouble }: NoticePorts) {
  const telling = new Map<string, Promise<void>>()

  async function write(endpoint: WebhookEndpoint, disabling: Disabling): Promise<void> {
    await tell(endpoint, disabling)
    await rewrite(webhookEndpoints, endpoint.id, (known) => (known && untoldOf(known) ? withTold(known) : null))
  }

  return {
    /** @param isOwn Whether this process has just disabled it. */
    note(endpoint: WebhookEndpoint, isOwn: boolean): void {
      const { id } = endpoint
      const untold = untoldOf(endpoint)
      if (!untold || telling.has(id) || (!isOwn && untold.at > now() - ownMs)) return
      telling.set(
        id,
        write(endpoint, untold)
          .catch(onTrouble)
          .finally(() => telling.delete(id)),
      )
    },
    /** Waits for the letters that are being written. */
    async settle(): Promise<void> {
      await Promise.all(telling.values())
    },
  }
}
