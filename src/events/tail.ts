import type { EventLog, EventPage, EventReader, EventScope, LoggedEvent } from '../ports/webhooks'

type Ports = {
  eventLog: Pick<EventLog, 'head' | 'after' | 'positionBefore'>
  /** Waits for a signal that events were appended, at most this long. */
  untilAppended: (ms: number) => Promise<void>
  /** Must not throw: a reader that ended while others listen starts again immediately. */
  onTrouble: (error: unknown) => void
}

/** Poll interval if no signal arrives. */
const pollMs = 500
const pageMax = 1_000
/** Events cached in memory for the readers of this process. */
const cachedMax = 5_000

const isIn = (event: LoggedEvent, { organizationId, userId, dataId }: EventScope): boolean =>
  (organizationId === null || event.organizationId === organizationId || event.organizationId === null) &&
  (userId === undefined || event.userId === userId) &&
  (dataId === undefined || event.dataId === dataId)

/**
 * Reads the end of the log once for all readers of this process. Each of them reads by position, from memory if its
 * position is recent enough and from the database otherwise, so none gets an event twice or too late.
 */
export function eventTail({ eventLog, untilAppended, onTrouble }: Ports): EventReader {
  /** The newest events, without a gap. The last one is at `end`, the position up to which the log was read. */
  let loggedEvents: LoggedEvent[] = []
  let end: number | null = null
  const listeners = new Map<string | null, Set<() => void>>()
  let isFollowing = false

  const signal = (organizationId: string | null): void => {
    for (const listener of listeners.get(organizationId) ?? []) listener()
  }

  /** @returns whether there might be more. */
  async function read(): Promise<boolean> {
    end ??= (await eventLog.head())?.position ?? 0
    const page = await eventLog.after(end, { organizationId: null }, pageMax)
    if (page.length === 0) return false
    const gap = page.findIndex(({ position }, n) => position !== end! + 1 + n)
    const news = gap === -1 ? page : page.slice(0, gap)
    if (gap !== -1) onTrouble(new Error(`The log of events has a gap before position ${page[gap]!.position}`))
    loggedEvents = [...loggedEvents, ...news].slice(-cachedMax)
    end += news.length
    const whose = new Set(news.map(({ organizationId }) => organizationId))
    for (const organizationId of whose.has(null) ? [...listeners.keys()] : [...whose, null]) signal(organizationId)
    return gap === -1 && page.length === pageMax
  }

  async function follow(): Promise<void> {
    while (listeners.size > 0) {
      const isMore = await read().catch((error) => {
        onTrouble(error)
        return false
      })
      if (!isMore) await untilAppended(pollMs)
    }
    // Without a reader, this process reads no new events.
    loggedEvents = []
    end = null
  }

  const begin = (): void => {
    if (isFollowing) return
    isFollowing = true
    void follow().finally(() => {
      isFollowing = false
      if (listeners.size > 0) begin()
    })
  }

  function inMemory(position: number, scope: EventScope, limit: number): EventPage {
    const first = loggedEvents.length === 0 ? end! + 1 : loggedEvents[0]!.position
    const events: LoggedEvent[] = []
    let n = position + 1 - first
    for (; n < loggedEvents.length && events.length < limit; n++)
      if (isIn(loggedEvents[n]!, scope)) events.push(loggedEvents[n]!)
    const last = loggedEvents[n - 1]
    return {
      ...{ events, to: Math.max(position, last?.position ?? position), loggedAt: last?.loggedAt ?? 0 },
      isMore: n < loggedEvents.length,
    }
  }

  return {
    async after(position, scope, limit) {
      const isRecent = end !== null && position >= end - loggedEvents.length
      if (isRecent) return inMemory(position, scope, limit)
      const endBefore = end ?? 0
      const events = await eventLog.after(position, scope, limit)
      const isMore = events.length === limit
      const last = events.at(-1)
      // The database has every event that this process had before the read.
      const to = isMore ? last!.position : Math.max(position, endBefore, last?.position ?? 0)
      return { events, to, loggedAt: last?.loggedAt ?? 0, isMore }
    },
    positionBefore: (time) => eventLog.positionBefore(time),
    head: async () => end ?? (await eventLog.head())?.position ?? 0,
    subscribe(organizationId, listener) {
      const all = listeners.get(organizationId) ?? new Set()
      listeners.set(organizationId, all.add(listener))
      begin()
      return () => {
        all.delete(listener)
        if (all.size === 0 && listeners.get(organizationId) === all) listeners.delete(organizationId)
      }
    },
  }
}
