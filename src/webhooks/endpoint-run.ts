import { BoundedMap } from '../domain/bounded-map'
import { rewrite } from '../domain/concurrency'
import {
  afterAttempt,
  atOnce,
  isDelivered,
  isGone,
  isOurFault,
  newDelivery,
  type Outcome,
  type WebhookDelivery,
} from '../domain/webhook/delivery'
import {
  type Disabling,
  disabledByService,
  feedKeptMs,
  hasFailedTooLong,
  isActive,
  isSameTarget,
  newFeed,
  type WebhookEndpoint,
  type WebhookFeed,
  withAttempt,
} from '../domain/webhook/endpoint'
import { signedHeaders } from '../domain/webhook/signature'
import type { RunPorts, Seats } from './run-ports'
import { secretsOf } from './secrets'

/** A process that dies loses its endpoints after this long; one that lives renews them three times meanwhile. */
const leaseMs = 30_000
const renewMs = 10_000
/** Whether another process still holds an endpoint is asked this often. */
const askMs = 2_000
/** What changed of an endpoint's health is stored at the latest after this long. */
const saveMs = 1_000
/** A write is readable at the latest this long after its place in the feed, so that the rest is read again. */
const settledMs = 10_000
/** Without having heard of an event, the feed and what is due are looked at this often. */
const lookMs = 15_000
/** What is this old is read once more, for what a process stored after it had stood still. */
const late = { ms: 5 * 60_000, everyMs: 30_000 } as const
const pageMax = 200
const readStepMs = 250
const queueMax = 64
const storedMax = 50_000
const restingMax = 1_000

export type EndpointRun = ReturnType<typeof endpointRun>

/** Runs one at a time: whoever asks meanwhile gets the one under way. */
function alone<Result>(work: () => Promise<Result>) {
  let underWay: Promise<Result> | null = null
  const run = (): Promise<Result> => {
    underWay ??= work().finally(() => {
      underWay = null
    })
    return underWay
  }
  return Object.assign(run, { underWay: () => underWay })
}

/**
 * Posts the events of one endpoint, while this process holds its lease. An event is stored as a delivery before it is
 * posted, and the place in the feed moves on only after that, so a process may be killed at any point. What two
 * processes post at the same time arrives twice and is stored once.
 */
export function endpointRun(ports: RunPorts, seats: Seats, first: WebhookEndpoint) {
  const { webhookEndpoints, webhookFeeds, webhookDeliveries, now } = ports
  const { id, organizationId } = first
  let endpoint = first
  /** The feed as it is now; null while another process holds the lease. */
  let feed: WebhookFeed | null = null
  let saved: { feed: WebhookFeed; at: number } | null = null
  let isHeard = true
  let [askAt, lookAt] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY]
  /** Every event before this place was looked for a second time. */
  let checkedTo = 0
  /** When the next delivery is due that is not in the queue. */
  let wakeAt = Number.NEGATIVE_INFINITY
  let queue: WebhookDelivery[] = []
  /** The places of the events that are stored and would be read again. */
  const stored = new BoundedMap<string, number>(storedMax)
  /** Until when each delivery rests of which an attempt could not be stored: it is still due, and was just posted. */
  const resting = new BoundedMap<string, number>(restingMax)
  const inFlight = new Map<string, Promise<void>>()
  let turning: Promise<void> | null = null
  let isToTurnAgain = false
  const [pump, read] = [alone(post), alone(readFeed)]
  /** Counts what may have become due, so that what was asked for before that is not taken for all. */
  let changes = 0

  async function hold(mayTake: () => boolean): Promise<boolean> {
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
    const known = (await webhookFeeds.load(id)) ?? newFeed(first)
    if (known.holder !== null && known.holder !== ports.holder && known.until > at) {
      askAt = at + askMs
      return false
    }
    if (!mayTake()) return false
    lookAt = wakeAt = Number.NEGATIVE_INFINITY
    queue = []
    const readTo = Math.max(known.readTo, at - feedKeptMs)
    // The process before this one may have been that far behind.
    checkedTo = Math.max(first.createdAt, readTo - 2 * late.ms)
    return keep({ ...known, readTo }, at)
  }

  async function keep(next: WebhookFeed, at: number): Promise<boolean> {
    const written = await webhookFeeds.save({ ...next, holder: ports.holder, until: at + leaseMs })
    if (!written) return lose()
    const { version, holder, until } = written
    // Attempts may have ended meanwhile.
    feed = { ...(feed ?? next), version, holder, until }
    saved = { feed: written, at }
    return true
  }

  function lose(): false {
    feed = saved = null
    return false
  }

  async function readFeed(): Promise<void> {
    isHeard = false
    // The endpoints of an organization that read at the same time ask for the same.
    const to = Math.ceil((now() + 1) / readStepMs) * readStepMs
    await readBetween(feed?.readTo ?? to, to, (readTo) => {
      if (feed) feed = { ...feed, readTo: Math.max(feed.readTo, Math.min(readTo, to - settledMs)) }
    })
    const lateTo = Math.min(to - late.ms, feed?.readTo ?? 0)
    if (lateTo - checkedTo >= late.everyMs)
      await readBetween(checkedTo, lateTo, (readTo) => {
        checkedTo = readTo
      })
    for (const [known, place] of stored) if (place < checkedTo) stored.delete(known)
    lookAt = now() + lookMs
  }

  /** Stores the events between two places of the feed, and says after each page how far they are stored. */
  async function readBetween(begin: number, to: number, onRead: (readTo: number) => void): Promise<void> {
    let [from, after]: [number, string | null] = [begin, null]
    for (let isMore = true; isMore && feed; ) {
      const range = { from, to, after, limit: pageMax }
      const { events, readTo } = await ports.eventsBetween({ organizationId, types: endpoint.types }, range)
      const fresh = events.filter((event) => !stored.has(event.id))
      const at = now()
      await Promise.all(
        fresh.map(({ id, type, at: place, body }) =>
          webhookDeliveries.save(newDelivery(endpoint, { id, type, at: place, body: body() }, at)),
        ),
      )
      for (const event of fresh) stored.set(event.id, event.at)
      if (fresh.length > 0) noteChange(Number.NEGATIVE_INFINITY)
      const last = events.length === pageMax ? events.at(-1)! : null
      isMore = last !== null || readTo < to
      from = last?.at ?? readTo
      after = last?.id ?? after
      onRead(from)
      if (isMore) await pump()
    }
  }

  function noteChange(dueAt: number): void {
    changes += 1
    wakeAt = Math.min(wakeAt, dueAt)
  }

  async function refill(): Promise<void> {
    const before = changes
    // What is answered may be older than the end of an attempt that ends meanwhile.
    const busy = new Set(inFlight.keys())
    const rows = await webhookDeliveries.next(id, queueMax + inFlight.size + resting.size)
    const at = now()
    for (const [known, until] of resting) if (until <= at) resting.delete(known)
    const waiting = rows.filter((one) => !busy.has(one.id))
    const dueAtOf = (one: WebhookDelivery): number => Math.max(one.dueAt!, resting.get(one.id) ?? one.dueAt!)
    queue = waiting.filter((one) => dueAtOf(one) <= at)
    const isOld = queue.length > 0 || changes !== before
    wakeAt = isOld ? Number.NEGATIVE_INFINITY : Math.min(...waiting.map(dueAtOf))
  }

  /** Whether this process may post now. A lease that has ended may be another one's already. */
  const mayPost = (): boolean => feed !== null && feed.until > now()

  async function post(): Promise<void> {
    if (!mayPost()) return
    if (queue.length === 0 && now() >= wakeAt) await refill()
    const most = feed?.failingSince == null ? atOnce.usual : atOnce.failing
    while (mayPost() && queue.length > 0 && inFlight.size < most && seats.take(first)) {
      const delivery = queue.shift()!
      const attempting = attempt(delivery)
        .catch((error) => {
          resting.set(delivery.id, now() + lookMs)
          ports.onTrouble(error)
        })
        .finally(() => {
          inFlight.delete(delivery.id)
          seats.free(first)
          void turn()
        })
      inFlight.set(delivery.id, attempting)
    }
  }

  async function attempt(delivery: WebhookDelivery): Promise<void> {
    const at = now()
    const { eventId, body } = delivery
    const target = endpoint
    const secrets = secretsOf(target, ports.vault, at)
    const outcome: Outcome =
      secrets.length === 0
        ? { statusCode: null, durationMs: 0, error: 'SECRET_UNREADABLE', retryAfterMs: null }
        : await ports.post(target.url, { headers: signedHeaders({ id: eventId, body }, secrets, at), body })
    const after = afterAttempt(delivery, outcome, at, ports.random())
    const isStored = (await webhookDeliveries.save(after)) !== null
    if (!isStored || after.dueAt !== null) noteChange(after.dueAt ?? at)
    ports.onAttempt(outcome)
    if (isOurFault(outcome) || !isSameTarget(target, endpoint)) return
    if (feed) feed = withAttempt(feed, at + outcome.durationMs, isDelivered(outcome))
    if (isGone(outcome)) await disable(target, 'GONE')
    else if (feed && hasFailedTooLong(feed, target, at)) await disable(target, 'FAILING')
  }

  async function disable(target: WebhookEndpoint, reason: Disabling['reason']): Promise<void> {
    let isDone = false
    const health = feed ?? newFeed(target)
    const after = await rewrite(webhookEndpoints, id, (known) => {
      isDone = known !== null && isActive(known) && isSameTarget(known, target)
      return isDone ? disabledByService(known!, reason, health, now()) : null
    })
    endpoint = after ?? endpoint
    queue = []
    if (isDone) ports.onDisabled(after!)
  }

  async function look(): Promise<void> {
    if (!feed || !isActive(endpoint)) return
    if (now() >= lookAt) wakeAt = Number.NEGATIVE_INFINITY
    if ((isHeard || now() >= lookAt) && !read.underWay())
      void read().then(turn, (error) => {
        isHeard = true // it is read again at the next beat, not at once
        ports.onTrouble(error)
      })
    await pump()
  }

  function turn(): Promise<void> {
    if (turning) isToTurnAgain = true
    turning ??= look()
      .catch(ports.onTrouble)
      .finally(() => {
        turning = null
        const isAgain = isToTurnAgain
        isToTurnAgain = false
        return isAgain ? turn() : undefined
      })
    return turning
  }

  const isBusy = (): boolean => turning !== null || read.underWay() !== null || inFlight.size > 0

  return {
    organizationId,
    /** Takes or renews the lease where that is due. @returns whether this process posts to the endpoint. */
    hold,
    /** Takes note that something happened in the organization. */
    hear: (): void => {
      isHeard = true
    },
    /** The endpoint as it was changed meanwhile. */
    change(changed: WebhookEndpoint): void {
      if (changed.version > endpoint.version) endpoint = changed
    },
    /** Stores what is new and begins the attempts that are due. */
    turn,
    /** Waits for the attempts under way and for what they lead to at once. */
    async settle(): Promise<void> {
      while (isBusy()) await Promise.all([turning, read.underWay()?.catch(() => {}), ...inFlight.values()])
    },
    /** Ends the attempts under way and lets another process go on at once. */
    async end(): Promise<void> {
      const held = feed
      feed = null
      queue = []
      while (isBusy()) await Promise.all([turning, read.underWay()?.catch(() => {}), ...inFlight.values()])
      if (held) await webhookFeeds.save({ ...held, holder: null, until: 0 })
      saved = null
    },
  }
}
