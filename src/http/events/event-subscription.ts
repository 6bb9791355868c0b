import { eventsOf, type FeedEvent } from '../views/event'
import { type FeedPorts, sightingEvents } from './event-feed'
import { intentEvent, intentEventId } from './intent-events'
import { lateAgain } from './late-events'
import { rareEvents } from './rare-events'

type Ports = FeedPorts & { now: () => number; noteTrouble: (error: unknown) => void }
type Hear = (happened: FeedEvent) => void
type Listener = { hear: Hear; from: number }

const beatMs = 300
const pageMax = 1_000
/** A write can become readable a little after the time of its position in the feed, by any clock. */
const overlap = { ms: 3_000, looks: 10 }
const wideOverlap = { ms: 20_000, looks: 66 }
const wideEveryMs = 5_000
const rareEveryMs = 1_000
/** An event from shortly before a subscription began can be stored after it. */
const beforehandMs = 3_000
const rememberedMs = 2 * 60_000
const chunkMax = 200

/** The listeners in this process, by organization; null listens to all organizations. */
function audience() {
  const listeners = new Map<string | null, Set<Listener>>()
  return {
    isEmpty: (): boolean => listeners.size === 0,
    hears: (organizationId: string): boolean => listeners.has(null) || listeners.has(organizationId),
    tell(happened: FeedEvent): void {
      const { organizationId, at } = happened
      const whose = organizationId === null ? listeners.keys() : [organizationId, null]
      for (const tenant of [...whose])
        for (const { hear, from } of listeners.get(tenant) ?? []) if (at >= from) hear(happened)
    },
    /** @returns a function that removes the listener. */
    join(tenant: string | null, listener: Listener): () => void {
      const hearers = listeners.get(tenant) ?? new Set()
      hearers.add(listener)
      listeners.set(tenant, hearers)
      return () => {
        hearers.delete(listener)
        if (hearers.size === 0 && listeners.get(tenant) === hearers) listeners.delete(tenant)
      }
    },
  }
}

type Following = Ports & {
  listeners: ReturnType<typeof audience>
  /** By execution: the last history entry that was passed on, and when the execution was last seen. */
  told: Map<string, { seq: number; at: number }>
  /** By event of anything except an execution: when it was last seen. */
  sightingsTold: Map<string, number>
}
type Look = { from: number; at: number }

/**
 * Passes on the new events of executions that moved. For an execution not seen before, these are the events since
 * `firstFrom`.
 */
async function tellMoves(following: Following, { from, at, firstFrom }: Look & { firstFrom: number }): Promise<void> {
  const { executionQueries, listeners, told, sightingsTold } = following
  for (let after = '', hasMore = true; hasMore; ) {
    const page = await executionQueries.movesBetween(from, at + 1, after, pageMax)
    after = page.at(-1)?.id ?? after
    hasMore = page.length === pageMax
    const fresh = page.filter(({ id, seq, organizationId }) => {
      const known = told.get(id)
      if (known) known.at = at
      return listeners.hears(organizationId) && seq > (known?.seq ?? 0)
    })
    for (let n = 0; n < fresh.length; n += chunkMax) {
      const ids = fresh.slice(n, n + chunkMax).map(({ id }) => id)
      for (const execution of await executionQueries.findAll(ids)) {
        const known = told.get(execution.id)
        told.set(execution.id, { seq: execution.seq, at })
        const all = eventsOf(execution, known ? 0 : firstFrom, Number.POSITIVE_INFINITY)
        for (const one of all) if (one.seq > (known?.seq ?? 0) && !sightingsTold.has(one.id)) listeners.tell(one)
      }
    }
  }
}

/** Passes on the new events of transfers that have no execution yet. */
async function tellSightings(following: Following, { from, at }: Look): Promise<void> {
  const { listeners, told, sightingsTold } = following
  for await (const page of sightingEvents(following, { tenant: null }, from, at + 1))
    for (const one of page.toReversed()) {
      if (!sightingsTold.has(one.id) && (told.get(one.dataId)?.seq ?? 0) === 0) listeners.tell(one)
      sightingsTold.set(one.id, at)
    }
}

/** Passes on the new events of anything except deposits. They are rare, so they are not read at every tick. */
async function tellRare(following: Following, { from, at }: Look): Promise<void> {
  const { listeners, sightingsTold, intentHistory } = following
  const tell = (happened: FeedEvent[]): void => {
    for (const one of happened) {
      if (!sightingsTold.has(one.id)) listeners.tell(one)
      sightingsTold.set(one.id, at)
    }
  }
  tell(await rareEvents(following, from, at + 1))
  for await (const page of lateAgain(following, null, from, at + 1)) tell(page)
  // Every poll overlaps with earlier ones, so most of these are already stored. Known versions are not read again.
  const marks = await intentHistory.marksBetween(from, at + 1)
  const fresh = marks.filter((mark) => listeners.hears(mark.organizationId) && !sightingsTold.has(intentEventId(mark)))
  for (let n = 0; n < fresh.length; n += chunkMax)
    tell((await intentHistory.versionsOf(fresh.slice(n, n + chunkMax))).map(intentEvent))
  for (const mark of marks) sightingsTold.set(intentEventId(mark), at)
}

/** Polls for new events while there are listeners. */
async function follow(ports: Ports, listeners: Following['listeners']): Promise<void> {
  const { now, noteTrouble } = ports
  const following: Following = { ...ports, listeners, told: new Map(), sightingsTold: new Map() }
  const { told, sightingsTold } = following
  const since = now() - beforehandMs
  let looks: number[] = []
  let wideAt = now()
  let rareAt = now()
  const startOf = ({ ms, looks: count }: typeof overlap, at: number): number =>
    Math.max(Math.min(at - ms, looks.at(-count) ?? since), since)

  while (!listeners.isEmpty()) {
    const at = now()
    const isWide = at - wideAt >= wideEveryMs
    const from = startOf(isWide ? wideOverlap : overlap, at)
    try {
      await tellSightings(following, { from, at })
      await tellMoves(following, { from, at, firstFrom: startOf(wideOverlap, at) })
      const isRareDue = isWide || at - rareAt >= rareEveryMs
      if (isRareDue) await tellRare(following, { from, at })
      looks = [...looks, at].slice(-wideOverlap.looks)
      if (isWide) wideAt = at
      if (isRareDue) rareAt = at
    } catch (error) {
      noteTrouble(error)
    }
    for (const [id, when] of sightingsTold) if (when < at - rememberedMs) sightingsTold.delete(id)
    for (const [id, known] of told) if (known.at < at - rememberedMs) told.delete(id)
    await Bun.sleep(beatMs)
  }
}

/**
 * Polls for new events once for all streams of this process, and passes each event once to the listeners of its
 * organization. Every poll overlaps with earlier ones, by time and by number of polls. After a standstill of the
 * database, the number of polls decides. The last known history entry of an execution determines which of its events
 * are new.
 */
export function eventSubscriptions(ports: Ports) {
  const listeners = audience()
  let isFollowing = false

  function begin(): void {
    if (isFollowing) return
    isFollowing = true
    void follow(ports, listeners).finally(() => {
      isFollowing = false
      if (!listeners.isEmpty()) begin()
    })
  }

  /**
   * Subscribes to every event from now on.
   * @returns a function that ends the subscription.
   */
  return (tenant: string | null, hear: Hear): (() => void) => {
    const leave = listeners.join(tenant, { hear, from: ports.now() - beforehandMs })
    begin()
    return leave
  }
}
export type Subscribe = ReturnType<typeof eventSubscriptions>
