import { isFreeFor } from '../domain/lease'
import { feedRetentionMs, newFeed, type WebhookEndpoint, type WebhookFeed } from '../domain/webhook/endpoint'
import type { RunPorts } from './run-ports'

/**
 * A process that dies loses its endpoints after this time. A live process renews the lease of an idle endpoint three
 * times in that period. A busy endpoint is written every second anyway, so its lease can be short.
 */
const [idleMs, busyMs] = [30_000, 4_000]
const renewMs = 10_000
/** Interval between checks of whether another process still holds an endpoint. */
const askMs = 2_000
/** Changes of an endpoint's health are stored within this time. */
const saveMs = 1_000

type LeasePorts = Pick<RunPorts, 'webhookFeeds' | 'holder' | 'now'>
export type EndpointLease = ReturnType<typeof endpointLease>

/** The feed of an endpoint, while this process is the one that posts to it. */
export function endpointLease({ webhookFeeds, holder, now }: LeasePorts, endpoint: WebhookEndpoint) {
  /** The current feed; null while another process holds the lease. */
  let feed: WebhookFeed | null = null
  let saved: { feed: WebhookFeed; at: number; isBusy: boolean } | null = null
  let askAt = Number.NEGATIVE_INFINITY

  async function keep(next: WebhookFeed, at: number, isBusy: boolean): Promise<boolean> {
    const written = await webhookFeeds.save({ ...next, holder, until: at + (isBusy ? busyMs : idleMs) })
    if (!written) {
      feed = saved = null
      return false
    }
    // Attempts can end during the write.
    feed = { ...(feed ?? next), version: written.version, holder: written.holder, until: written.until }
    saved = { feed: written, at, isBusy }
    return true
  }

  return {
    feed: (): WebhookFeed | null => feed,
    /** Changes the feed's cached state, which is stored within a second. */
    change(next: (current: WebhookFeed) => WebhookFeed): void {
      if (feed) feed = next(feed)
    },
    /** Whether this process may post now. After a lease has ended, another process might hold it. */
    mayPost: (): boolean => feed !== null && feed.until > now(),
    /**
     * Acquires or renews the lease if that is due.
     *
     * @param onTake Called before the lease is acquired again.
     */
    async hold(mayTake: () => boolean, onTake: (readTo: number) => void): Promise<boolean> {
      const at = now()
      if (feed && saved) {
        const { readTo, lastSuccessAt, lastFailureAt, failingSince } = feed
        const isSame = Object.entries({ readTo, lastSuccessAt, lastFailureAt, failingSince }).every(
          ([name, value]) => saved!.feed[name as keyof WebhookFeed] === value,
        )
        if (at - saved.at < (isSame && !saved.isBusy ? renewMs : saveMs)) return feed.until > at
        return keep(feed, at, !isSame)
      }
      if (at < askAt) return false
      const webhookFeed = (await webhookFeeds.load(endpoint.id)) ?? newFeed(endpoint)
      if (!isFreeFor(holder, webhookFeed, at)) {
        askAt = Math.min(at + askMs, webhookFeed.until)
        return false
      }
      if (!mayTake()) return false
      const readTo = Math.max(webhookFeed.readTo, at - feedRetentionMs)
      onTake(readTo)
      return keep({ ...webhookFeed, readTo }, at, false)
    },
    /** Stops posting, waits for the attempts under way, then releases the endpoint to another process. */
    async end(untilEnded: () => Promise<void>): Promise<void> {
      const held = feed
      feed = null
      await untilEnded()
      if (held) await webhookFeeds.save({ ...held, holder: null, until: 0 })
      saved = null
    },
  }
}
