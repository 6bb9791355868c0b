import { feedKeptMs, newFeed, type WebhookEndpoint, type WebhookFeed } from '../domain/webhook/endpoint'
import type { RunPorts } from './run-ports'

/** A process that dies loses its endpoints after this long; one that lives renews them three times meanwhile. */
const leaseMs = 30_000
const renewMs = 10_000
/** Whether another process still holds an endpoint is asked this often. */
const askMs = 2_000
/** What changed of an endpoint's health is stored at the latest after this long. */
const saveMs = 1_000

type LeasePorts = Pick<RunPorts, 'webhookFeeds' | 'holder' | 'now'>
export type EndpointLease = ReturnType<typeof endpointLease>

/** The feed of an endpoint, while this process is the one that posts to it. */
export function endpointLease({ webhookFeeds, holder, now }: LeasePorts, endpoint: WebhookEndpoint) {
  /** The feed as it is now; null while another process holds the lease. */
  let feed: WebhookFeed | null = null
  let saved: { feed: WebhookFeed; at: number } | null = null
  let askAt = Number.NEGATIVE_INFINITY

  async function keep(next: WebhookFeed, at: number): Promise<boolean> {
    const written = await webhookFeeds.save({ ...next, holder, until: at + leaseMs })
    if (!written) {
      feed = saved = null
      return false
    }
    // Attempts may have ended meanwhile.
    feed = { ...(feed ?? next), version: written.version, holder: written.holder, until: written.until }
    saved = { feed: written, at }
    return true
  }

  return {
    feed: (): WebhookFeed | null => feed,
    /** Changes what is known of the feed, which is stored within a second. */
    change(next: (known: WebhookFeed) => WebhookFeed): void {
      if (feed) feed = next(feed)
    },
    /** Whether this process may post now. A lease that has ended may be another one's already. */
    mayPost: (): boolean => feed !== null && feed.until > now(),
    /**
     * Takes or renews the lease where that is due.
     *
     * @param onTake is called before it is taken anew.
     */
    async hold(mayTake: () => boolean, onTake: (readTo: number) => void): Promise<boolean> {
      const at = now()
      if (feed && saved) {
        const { readTo, lastSuccessAt, lastFailureAt, failingSince } = feed
        const isSame = Object.entries({ readTo, lastSuccessAt, lastFailureAt, failingSince }).every(
          ([name, value]) => saved!.feed[name as keyof WebhookFeed] === value,
        )
        if (at - saved.at < (isSame ? renewMs : saveMs)) return feed.until > at
        return keep(feed, at)
      }
      if (at < askAt) return false
      const known = (await webhookFeeds.load(endpoint.id)) ?? newFeed(endpoint)
      if (known.holder !== null && known.holder !== holder && known.until > at) {
        askAt = at + askMs
        return false
      }
      if (!mayTake()) return false
      const readTo = Math.max(known.readTo, at - feedKeptMs)
      onTake(readTo)
      return keep({ ...known, readTo }, at)
    },
    /** Posts no more, and leaves the endpoint to another process once what is under way has ended. */
    async end(untilEnded: () => Promise<void>): Promise<void> {
      const held = feed
      feed = null
      await untilEnded()
      if (held) await webhookFeeds.save({ ...held, holder: null, until: 0 })
      saved = null
    },
  }
}
