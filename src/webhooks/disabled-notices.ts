import { rewrite } from '../domain/concurrency'
import { type Disabling, untoldOf, type WebhookEndpoint, withTelling } from '../domain/webhook/endpoint'
import type { WebhookEndpoints } from '../ports/webhooks/webhooks'

export type NoticePorts = {
  webhookEndpoints: Pick<WebhookEndpoints, 'load' | 'save'>
  /** Writes to the people who look after an endpoint. */
  tell: (endpoint: WebhookEndpoint, disabling: Disabling) => Promise<void>
  now: () => number
  onTrouble: (error: unknown) => void
}

/** The process that disabled an endpoint, or that claims to write of it, has this long before another one does. */
const ownMs = 60_000

/** Writes to people when the service has disabled an endpoint: at least once, and rarely twice. */
export function disabledNotices({ webhookEndpoints, tell, now, onTrouble }: NoticePorts) {
  const telling = new Map<string, Promise<void>>()

  /** @returns the endpoint as it is now, or null when it is told, being told, or disabled no more. */
  async function claim(id: string, { at }: Disabling): Promise<WebhookEndpoint | null> {
    let mine: WebhookEndpoint | null = null
    await rewrite(webhookEndpoints, id, (known) => {
      const untold = known && untoldOf(known)
      const isFree = untold?.at === at && (untold.tellingUntil ?? 0) <= now()
      mine = isFree ? withTelling(known!, at, { tellingUntil: now() + ownMs }) : null
      return mine
    })
    return mine
  }

  async function write({ id }: WebhookEndpoint, disabling: Disabling): Promise<void> {
    const claimed = await claim(id, disabling)
    if (claimed === null) return
    const { at } = disabling
    await tell(claimed, disabling)
    await rewrite(webhookEndpoints, id, (known) => known && withTelling(known, at, { isTold: true }))
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
