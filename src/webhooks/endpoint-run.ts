import { BoundedMap } from '../domain/bounded-map'
import { alone, aloneAndAgain, rewrite } from '../domain/concurrency'
import {
  afterAttempt,
  atOnce,
  isDelivered,
  isGone,
  isOurFault,
  isSample,
  type Outcome,
  quickMs,
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
import { endpointLease } from './endpoint-lease'
import { logReader, unstoredEvents } from './log-reader'
import type { AttemptPermits, Capacity, RunPorts } from './run-ports'
import { cachedSecrets, postedSigned } from './secrets'

/** Interval of reading the due deliveries, which another process might have reset. */
const pollMs = 15_000
/** An event that waits for its attempt is stored after this time, even if the endpoint is quick. */
const waitMs = 60_000
/** If so many events wait that reading pauses, they are stored after this time, and reading continues. */
const ampleWaitMs = 5_000
/** Shortest interval between stores of waiting events, to keep the writes few. */
const storeEveryMs = 500

export type EndpointRun = ReturnType<typeof endpointRun>

type Attempted = { at: number; outcome: Outcome }

/**
 * Posts the events of one endpoint, while this process holds its lease. An event is posted, then stored together with
 * its outcome in one write. An event that must wait for its first or next attempt is stored while it waits. The time up
 * to which the log is read advances only after that, so a process can be killed at any point. If two processes post an
 * event at the same moment, it arrives twice and is stored once.
 */
export function endpointRun(ports: RunPorts, permits: AttemptPermits, capacity: Capacity, first: WebhookEndpoint) {
  const { webhookEndpoints, webhookDeliveries, now } = ports
  const { id, organizationId } = first
  let endpoint = first
  const lease = endpointLease(ports, first)
  const unstored = unstoredEvents(capacity)
  const secretsOf = cachedSecrets(ports.vault)
  let dueReadAt = Number.NEGATIVE_INFINITY
  let storeAt = Number.NEGATIVE_INFINITY
  const pace = attemptPace(now)
  /** The attempts that are not stored yet. */
  const inFlight = new Map<string, Promise<void>>()
  const due = dueDeliveries(ports, id, inFlight)
  const pump = alone(post)
  const turn = aloneAndAgain(() => poll().catch(ports.onTrouble))
  const log = logReader(ports, { endpoint: () => endpoint, lease, unstored, onStored: () => due.note() })
  const [read, store] = [aloneAndAgain(readLog), alone(storeWaiting)]

  function take(readTo: number): void {
    forget()
    log.begin(readTo)
  }

  /** Reads to the end of the log, and posts the events of a page before it reads the next. */
  async function readLog(): Promise<void> {
    while (lease.feed() && (await log.read())) await pump()
    await pump()
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
      if (delivery === null || !permits.take(first, pace.isQuick())) return
      if (delivery === due.first()) due.takeFirst()
      else unstored.take(delivery)
      begin(delivery)
    }
  }

  function begin(delivery: WebhookDelivery): void {
    const attempting = attempt(delivery)
      .finally(() => {
        permits.free(first)
        void turn()
      })
      .then((attempted) => conclude(delivery, attempted))
      .catch((error) => {
        pace.noteStored(false)
        due.rest(delivery.id, now() + pollMs)
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
      const outcome = await postedSigned(ports.post, { url: target.url, id: eventId, body }, secrets, at)
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
    lease.change((webhookFeed) => withAttempt(webhookFeed, at + outcome.durationMs, isDelivered(outcome)))
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
    if (delivery.version === 0) log.note(delivery)
    if (!isStored || after.dueAt !== null) due.note(after.dueAt ?? at)
  }

  async function disable(target: WebhookEndpoint, reason: Disabling['reason']): Promise<void> {
    let isDone = false
    const health = lease.feed() ?? newFeed(target)
    const after = await rewrite(webhookEndpoints, id, (webhookEndpoint) => {
      isDone = webhookEndpoint !== null && isActive(webhookEndpoint) && isSameTarget(webhookEndpoint, target)
      return isDone ? disabledByService(webhookEndpoint!, reason, health, now()) : null
    })
    endpoint = after ?? endpoint
    if (!isActive(endpoint)) forget()
    if (isDone) ports.onDisabled(after!)
  }

  /** Forgets what is not being posted. The next process that posts, possibly this one, reads it again. */
  function forget(): void {
    due.forget()
    log.forget()
  }

  /** Whether to store the waiting events, because the endpoint does not keep up with them. */
  function isToStore(): boolean {
    const since = unstored.waitingSince()
    if (since === null || now() < storeAt) return false
    return isFailing() || pace.isStuck() || now() - since > (unstored.isAmple() ? ampleWaitMs : waitMs)
  }

  async function storeWaiting(): Promise<void> {
    storeAt = now() + storeEveryMs
    await log.storeWaiting()
  }

  async function poll(): Promise<void> {
    if (!lease.feed() || !isActive(endpoint)) return
    if (now() >= dueReadAt) {
      due.note()
      dueReadAt = now() + pollMs
    }
    void read().catch(ports.onTrouble)
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
    /** Takes a changed version of the endpoint. */
    change(changed: WebhookEndpoint): void {
      if (changed.version > endpoint.version) endpoint = changed
    },
    /** Reads new events and begins the attempts that are due. */
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

/** If no attempt has ended for this long, the endpoint does not keep up. */
const stuckMs = 2_000
/** Limit of attempts under way and attempts that have ended but are not stored. */
const unstoredMax = 500
/**
 * The store counts as unreachable after this many consecutive attempts that could not be stored. It is retried after
 * `ms`.
 */
const away = { attempts: 16, ms: 1_000 } as const

/** The attempts at an endpoint that have no response yet, and how quickly it responds. */
function attemptPace(now: () => number) {
  /** When each attempt began. */
  const underWay = new Map<string, number>()
  let lastMs: number | null = null
  let endedAt = Number.NEGATIVE_INFINITY
  let [unstoredCount, unstoredAt] = [0, Number.NEGATIVE_INFINITY]
  const oldest = (): number => underWay.values().next().value ?? now()
  return {
    count: (): number => underWay.size,
    begin: (id: string, at: number): unknown => underWay.set(id, at),
    end(id: string): void {
      underWay.delete(id)
      endedAt = now()
    },
    /** Records whether the outcome of an attempt was stored. */
    noteStored(isStored: boolean): void {
      unstoredCount = isStored ? 0 : unstoredCount + 1
      if (!isStored) unstoredAt = now()
    },
    /**
     * Whether one more attempt may begin. While the store is unreachable, a single attempt at a time probes it, because
     * every event posted in that period will be posted again.
     *
     * @param unstored Number of attempts under way or not stored.
     */
    mayBegin: (unstored: number): boolean =>
      unstoredCount < away.attempts ? unstored < unstoredMax : unstored === 0 && now() - unstoredAt >= away.ms,
    noteAnswer(durationMs: number): void {
      lastMs = durationMs
    },
    /** Whether the last attempt was answered quickly, and no current one has waited long. */
    isQuick: (): boolean => lastMs !== null && lastMs <= quickMs && now() - oldest() <= quickMs,
    isStuck: (): boolean => now() - Math.max(oldest(), endedAt) > stuckMs,
  }
}

const queueMax = 64
const restingMax = 1_000

/**
 * The deliveries of an endpoint that are stored and due.
 *
 * @param inFlight Deliveries that are being posted, or whose attempt is being stored.
 */
function dueDeliveries(
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
      for (const [id, until] of resting) if (until <= at) resting.delete(id)
      const waiting = rows.filter((one) => !busy.has(one.id))
      const dueAtOf = (one: WebhookDelivery): number => Math.max(one.dueAt!, resting.get(one.id) ?? one.dueAt!)
      queue = waiting.filter((one) => dueAtOf(one) <= at)
      const isOld = queue.length > 0 || changes !== before
      wakeAt = isOld ? Number.NEGATIVE_INFINITY : Math.min(...waiting.map(dueAtOf))
    },
  }
}
