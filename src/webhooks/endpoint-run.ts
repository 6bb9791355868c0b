import { alone, aloneAndAgain, rewrite } from '../domain/concurrency'
import {
  afterAttempt,
  atOnce,
  isDelivered,
  isGone,
  isOurFault,
  isSample,
  type Outcome,
  type WebhookDelivery,
} from '../domain/webhook/delivery'
import {
  type Disabling,
  disabledByService,
  hasFailedTooLong,
  isActive,
  isSameTarget,
  newFeed,
  type WebhookEndpoint,
  withAttempt,
} from '../domain/webhook/endpoint'
import { signedHeaders } from '../domain/webhook/signature'
import type { PostableEvent } from '../ports/webhooks/webhooks'
import { attemptPace, unstoredMax } from './attempt-pace'
import { dueDeliveries } from './due-deliveries'
import { endpointLease } from './endpoint-lease'
import { feedReader } from './feed-reader'
import { lookMs, readingTimes } from './reading-times'
import type { Room, RunPorts, Seats } from './run-ports'
import { keptSecrets } from './secrets'
import { unstoredEvents } from './unstored-events'

/** An event that waits for its attempt is stored after this time, even if the endpoint is quick. */
const waitMs = 60_000
/** Shortest interval between stores of waiting events, to keep the writes few. */
const storeEveryMs = 500

export type EndpointRun = ReturnType<typeof endpointRun>

type Attempted = { at: number; outcome: Outcome }

/**
 * Posts the events of one endpoint, while this process holds its lease. An event is posted, then stored together with
 * its outcome in one write. An event that must wait for its first or next attempt is stored while it waits. The
 * position in the feed advances only after that, so a process can be killed at any point. If two processes post an
 * event at the same moment, it arrives twice and is stored once.
 */
export function endpointRun(ports: RunPorts, seats: Seats, room: Room, first: WebhookEndpoint) {
  const { webhookEndpoints, webhookDeliveries, now } = ports
  const { id, organizationId } = first
  let endpoint = first
  const lease = endpointLease(ports, first)
  const unstored = unstoredEvents(room)
  const secretsOf = keptSecrets(ports.vault)
  const readings = readingTimes(now, organizationId)
  let storeAt = Number.NEGATIVE_INFINITY
  const pace = attemptPace(now)
  /** The attempts that are not stored yet. */
  const inFlight = new Map<string, Promise<void>>()
  const due = dueDeliveries(ports, id, inFlight)
  const pump = alone(post)
  const turn = aloneAndAgain(() => look().catch(ports.onTrouble))
  const feed = feedReader(ports, { endpoint: () => endpoint, lease, unstored, onStored: () => due.note(), pump })
  const [read, store] = [alone(readFeed), alone(storeWaiting)]

  function take(readTo: number): void {
    forget()
    feed.begin(readTo)
  }

  async function readFeed(): Promise<void> {
    readings.noteBegin()
    if (!(await feed.read())) readings.soon()
    readings.noteEnd()
  }

  const isFailing = (): boolean => lease.feed()?.failingSince != null

  /** Returns the delivery that has been due longest, stored or not. */
  function nextOne(): WebhookDelivery | null {
    const fresh = unstored.first(({ id: one }) => !inFlight.has(one) && !due.isResting(one))
    const stored = due.first()
    return fresh === null || (stored !== null && stored.dueAt! < fresh.dueAt!) ? stored : fresh
  }

  async function post(): Promise<void> {
    if (!lease.mayPost() || !pace.mayBegin(inFlight.size)) return
    if (due.isToRead()) await due.read()
    const most = isFailing() ? atOnce.failing : atOnce.usual
    while (lease.mayPost() && pace.count() < most && pace.mayBegin(inFlight.size)) {
      const delivery = nextOne()
      if (delivery === null || !seats.take(first, pace.isQuick())) return
      if (delivery === due.first()) due.takeFirst()
      else unstored.take(delivery)
      begin(delivery)
    }
  }

  function begin(delivery: WebhookDelivery): void {
    const attempting = attempt(delivery)
      .finally(() => {
        seats.free(first)
        void turn()
      })
      .then((attempted) => conclude(delivery, attempted))
      .catch((error) => {
        pace.noteStored(false)
        due.rest(delivery.id, now() + lookMs)
        unstored.giveBack(delivery)
        ports.onTrouble(error)
      })
      .finally(() => {
        inFlight.delete(delivery.id)
        if (inFlight.size === unstoredMax - 1 || due.isToRead()) void turn()
      })
    inFlight.set(delivery.id, attempting)
  }

  async function attempt(delivery: WebhookDelivery): Promise<Attempted> {
    const { id: deliveryId, eventId, body } = delivery
    const [at, target] = [now(), endpoint]
    pace.begin(deliveryId, at)
    try {
      const secrets = secretsOf(target, at)
      const outcome: Outcome =
        secrets.length === 0
          ? { statusCode: null, durationMs: 0, error: 'SECRET_UNREADABLE', retryAfterMs: null }
          : await ports.post(target.url, { headers: signedHeaders({ id: eventId, body }, secrets, at), body })
      ports.onAttempt(outcome)
      if (!isSample(delivery)) await judge(target, at, outcome)
      return { at, outcome }
    } finally {
      pace.end(deliveryId)
    }
  }

  /** Records how the endpoint responds, before anything more is posted to it. */
  async function judge(target: WebhookEndpoint, at: number, outcome: Outcome): Promise<void> {
    if (isOurFault(outcome) || !isSameTarget(target, endpoint)) return
    pace.noteAnswer(outcome.durationMs)
    lease.change((known) => withAttempt(known, at + outcome.durationMs, isDelivered(outcome)))
    const health = lease.feed()
    const isToEnd = isGone(outcome) || (health !== null && hasFailedTooLong(health, target, at))
    if (isToEnd) await disable(target, isGone(outcome) ? 'GONE' : 'FAILING').catch(ports.onTrouble)
  }

  async function conclude(delivery: WebhookDelivery, { at, outcome }: Attempted): Promise<void> {
    // The endpoint was deleted during the attempt and might be erased with its organization: store nothing new for it.
    if (delivery.version === 0 && endpoint.deletedAt !== null) return
    const after = afterAttempt(delivery, outcome, at, ports.random())
    const isStored = (await webhookDeliveries.save(after)) !== null
    pace.noteStored(true)
    if (delivery.version === 0) feed.note(delivery)
    if (!isStored || after.dueAt !== null) due.note(after.dueAt ?? at)
  }

  async function disable(target: WebhookEndpoint, reason: Disabling['reason']): Promise<void> {
    let isDone = false
    const health = lease.feed() ?? newFeed(target)
    const after = await rewrite(webhookEndpoints, id, (known) => {
      isDone = known !== null && isActive(known) && isSameTarget(known, target)
      return isDone ? disabledByService(known!, reason, health, now()) : null
    })
    endpoint = after ?? endpoint
    if (!isActive(endpoint)) forget()
    if (isDone) ports.onDisabled(after!)
  }

  /** Forgets what is not being posted. The next process that posts, possibly this one, reads it again. */
  function forget(): void {
    due.forget()
    feed.forget()
    readings.atOnce()
  }

  /** Whether to store the waiting events, because the endpoint does not keep up with them. */
  function isToStore(): boolean {
    const since = unstored.waitingSince()
    if (since === null || now() < storeAt) return false
    return isFailing() || pace.isStuck() || now() - since > waitMs
  }

  async function storeWaiting(): Promise<void> {
    storeAt = now() + storeEveryMs
    await feed.storeWaiting()
  }

  async function look(): Promise<void> {
    if (!lease.feed() || !isActive(endpoint)) return
    if (readings.isDue() && !feed.mayWait() && !read.underWay()) {
      due.note()
      void read().then(turn, (error) => {
        readings.atOnce() // at the next tick
        ports.onTrouble(error)
      })
    }
    if (isToStore() && !store.underWay()) void store().then(turn, ports.onTrouble)
    await pump()
  }

  function isBusy(): boolean {
    return turn.underWay() !== null || inFlight.size > 0 || [read, store].some(({ underWay }) => underWay() !== null)
  }

  async function settle(): Promise<void> {
    while (isBusy()) {
      const works = [read, store].map(({ underWay }) => underWay()?.catch(() => {}))
      await Promise.all([turn.underWay(), ...works, ...inFlight.values()])
    }
  }

  return {
    organizationId,
    /** Acquires or renews the lease if that is due. @returns whether this process posts to the endpoint. */
    async hold(mayTake: () => boolean): Promise<boolean> {
      const isHeld = await lease.hold(mayTake, take)
      if (!lease.feed()) forget()
      return isHeld
    },
    /** Takes an event. It is posted at the next turn, after the lease and the endpoint are checked. */
    hear(event: PostableEvent): void {
      if (!feed.hear(event)) readings.soon()
    },
    /** Takes a changed version of the endpoint. */
    change(changed: WebhookEndpoint): void {
      if (changed.version > endpoint.version) endpoint = changed
    },
    /** Stores new events and begins the attempts that are due. */
    turn,
    /** Waits for the attempts under way and their immediate consequences. */
    settle,
    /** Ends the attempts under way and releases the endpoint immediately to another process. */
    async end(): Promise<void> {
      await lease.end(async () => {
        due.forget()
        await settle()
      })
      forget()
    },
  }
}
