import { rewrite } from '../domain/concurrency'
import {
  type Disabling,
  unannouncedDisabling,
  type WebhookEndpoint,
  withEmailProgress,
} from '../domain/webhook/endpoint'
import type { WebhookEndpoints } from '../ports/webhooks'

/** Notes that a member was written to, before the next one is. */
export type NoteEmailed = (personId: string) => Promise<void>

export type NoticePorts = {
  webhookEndpoints: Pick<WebhookEndpoints, 'load' | 'save'>
  /**
   * Writes to the members who look after an endpoint and were not written to yet.
   *
   * @returns whether all were written to. Some members want no e-mail at this hour.
   */
  notify: (endpoint: WebhookEndpoint, disabling: Disabling, noteEmailed: NoteEmailed) => Promise<boolean>
  now: () => number
  onTrouble: (error: unknown) => void
}

/**
 * The process that disabled an endpoint, or claimed its notification, has this long before another process takes over.
 */
const ownMs = 60_000
/** Interval between checks of whether members with quiet hours can be written to. */
const restMs = 15 * 60_000
/** Longest wait for e-mails when a process ends. Another process sends the rest. */
const endMs = 2_000

/** An endpoint whose notification is pending, as last read, and when to try again. */
type Waiting = { endpoint: WebhookEndpoint; tryAt: number }

/**
 * Writes to members when the service has disabled an endpoint: at least once, rarely twice. It retries for as long as
 * it takes, because a mail server can be down for hours.
 */
export function disabledNotices({ webhookEndpoints, notify, now, onTrouble }: NoticePorts) {
  const telling = new Map<string, Promise<void>>()
  const waiting = new Map<string, Waiting>()

  /** @returns the current endpoint, or null if it was reported, is being reported, or is no longer disabled. */
  async function claim(id: string, { at }: Disabling): Promise<WebhookEndpoint | null> {
    let mine: WebhookEndpoint | null = null
    await rewrite(webhookEndpoints, id, (webhookEndpoint) => {
      const unannounced = webhookEndpoint && unannouncedDisabling(webhookEndpoint)
      if (unannounced?.at !== at) waiting.delete(id)
      const isFree = unannounced?.at === at && (unannounced.tellingUntil ?? 0) <= now()
      mine = isFree ? withEmailProgress(webhookEndpoint!, at, { tellingUntil: now() + ownMs }) : null
      return mine
    })
    return mine
  }

  async function write({ id }: WebhookEndpoint, disabling: Disabling): Promise<void> {
    const claimed = await claim(id, disabling)
    if (claimed === null) return
    const { at } = disabling
    const note = (change: (now: Disabling) => Parameters<typeof withEmailProgress>[2]) =>
      rewrite(webhookEndpoints, id, (webhookEndpoint) => {
        const current = webhookEndpoint?.disablings?.find((one) => one.at === at)
        return current ? withEmailProgress(webhookEndpoint!, at, change(current)) : null
      })
    const isDone = await notify(claimed, unannouncedDisabling(claimed)!, async (personId) => {
      await note(({ toldTo = [] }) => ({ toldTo: [...toldTo, personId], tellingUntil: now() + ownMs }))
    })
    if (isDone) {
      await note(() => ({ isTold: true }))
      waiting.delete(id)
    } else {
      await note(() => ({ tellingUntil: now() + restMs }))
      waiting.set(id, { endpoint: claimed, tryAt: now() + restMs })
    }
  }

  function attempt({ endpoint }: Waiting): void {
    const { id } = endpoint
    if (telling.has(id)) return
    waiting.set(id, { endpoint, tryAt: now() + ownMs })
    telling.set(
      id,
      write(endpoint, unannouncedDisabling(endpoint)!)
        .catch(onTrouble)
        .finally(() => telling.delete(id)),
    )
  }

  return {
    /** @param isOwn Whether this process has just disabled it. */
    note(endpoint: WebhookEndpoint, isOwn: boolean): void {
      const { id } = endpoint
      const unannounced = unannouncedDisabling(endpoint)
      if (!unannounced) {
        waiting.delete(id)
        return
      }
      const tryAt = isOwn ? now() : Math.max(unannounced.at + ownMs, waiting.get(id)?.tryAt ?? 0)
      waiting.set(id, { endpoint, tryAt })
      if (tryAt <= now()) attempt({ endpoint, tryAt })
    },
    /** Retries what could not be written, however long ago it was. */
    again(): void {
      for (const one of [...waiting.values()]) if (one.tryAt <= now()) attempt(one)
    },
    /** Waits for the e-mails that are being sent. */
    async settle(): Promise<void> {
      await Promise.all(telling.values())
    },
    /** Does the same when the process ends, but does not wait for a slow mail server. */
    async end(): Promise<void> {
      const over = Promise.withResolvers<void>()
      const timer = setTimeout(over.resolve, endMs)
      await Promise.race([Promise.all(telling.values()), over.promise])
      clearTimeout(timer)
    },
  }
}
