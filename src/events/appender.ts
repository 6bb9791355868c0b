import { BoundedMap } from '../domain/bounded-map'
import { inParts } from '../domain/concurrency'
import { type MarkedCollection, markedCollections } from '../domain/event-marks'
import { eventRetentionMs } from '../domain/retention'
import type { ViewContext } from '../http/views/deposit'
import type { EventLog, EventMark, EventMarks, EventName, LoggedEvent, OwnMark } from '../ports/webhooks'
import { type EventDraft, factOf, factsBarring } from './event-draft'
import { draftsOf, draftsOfStored, type MarkedRecords } from './marked-records'

export type AppenderPorts = {
  records: MarkedRecords
  eventLog: Pick<EventLog, 'head' | 'append' | 'named'>
  eventMarks: EventMarks
  /** Facts that an event shows but no record holds. An event is rendered as its organization sees it. */
  viewContext: () => Promise<ViewContext>
  now: () => number
  /** Called if a record's events cannot be rendered. They wait, and other records continue. */
  onTrouble: (error: unknown) => void
}

/**
 * Collections that change many times a second; the others change rarely. Sightings come first, because they happen
 * first.
 */
const often = ['sightings', 'executions'] as const satisfies readonly MarkedCollection[]
const isOften = (name: MarkedCollection): boolean => (often as readonly MarkedCollection[]).includes(name)
const rareEveryMs = 1_000
/**
 * Overlap of a poll with the previous one, and the wider overlap once a second. Every five seconds a poll reads all
 * marks, because there is no limit to how late a write can be.
 */
const [overlapMs, wideOverlapMs] = [100, 1_000]
const allEveryMs = 5_000
/**
 * A record's mark is removed after this time without another event, because removing it updates all indexes of the
 * record.
 */
const clearAfterMs = 5_000
const [marksMax, recordsMax, namesMax, clearMax] = [5_000, 100, 500, 100]
const batchMax = { events: 500, bytes: 4_000_000 } as const
/** A batch older than this is dropped, and its records are read again: a name in it might have been erased. */
const staleMs = 10_000
const attemptsMax = 20
/** Above the number of objects in one batch. */
const recordsCached = 20_000

/** `from`: the latest `at` of this event and the record's earlier ones. Sorting by it keeps their order. */
type Draft = EventDraft & { mark: EventMark; from: number }
type MarkedDrafts = {
  collection: MarkedCollection
  marks: readonly EventMark[]
  drafts: readonly (readonly EventDraft[])[]
}
type Head = { position: number; loggedAt: number }

/** Adds the time by which a batch is sorted. The events of one record stay in their order. */
function inTime(ofRecord: readonly EventDraft[]): (EventDraft & { from: number })[] {
  let from = 0
  return ofRecord.map((draft) => {
    from = Math.max(from, draft.at)
    return { ...draft, from }
  })
}

class StaleRead extends Error {
  override message = 'The events were read too long ago'
}

/** The next poll finds what was not logged in time. */
const leftToPoll = (error: unknown): void => {
  if (!(error instanceof StaleRead)) throw error
}

const keyOf = ({ collection, id }: EventMark): string => `${collection} ${id}`

/** Appends events to the log, each once, and remembers which ones are there. */
function logWriter({ eventLog, viewContext, now, onTrouble }: AppenderPorts) {
  let head: Head | null = null
  /** The logged facts by object. They are current for as long as every append succeeds. */
  const loggedFacts = new BoundedMap<string, Set<string>>(recordsCached)
  let appended = 0

  function forget(): void {
    head = null
    loggedFacts.clear()
  }

  async function factsOf(dataIds: readonly string[]): Promise<void> {
    const all = [...new Set(dataIds)]
    const missing = all.filter((id) => !loggedFacts.has(id))
    const names: EventName[] = []
    for (const part of inParts(missing, namesMax)) names.push(...(await eventLog.named(part)))
    // Entries set now are the newest, so none is evicted before the append.
    for (const id of all) loggedFacts.set(id, loggedFacts.get(id) ?? new Set())
    for (const name of names) loggedFacts.get(name.dataId)!.add(factOf(name))
  }

  /** Renders the events that are not in the log. A record that cannot be rendered loses its later events too. */
  function render(all: readonly Draft[], context: ViewContext, failed: Set<EventMark>): LoggedEvent[] {
    const taken = new Set<string>()
    let { position, loggedAt } = head!
    loggedAt = Math.max(loggedAt, now())
    return all.flatMap((draft) => {
      const { id, dataId, seq, type, organizationId, userId, at, mark } = draft
      const fact = factOf(draft)
      const logged = loggedFacts.get(dataId)!
      const isBarred = factsBarring(draft).some((one) => logged.has(one))
      if (failed.has(mark) || isBarred || taken.has(`${dataId} ${fact}`)) return []
      try {
        const text = JSON.stringify(draft.render(context))
        taken.add(`${dataId} ${fact}`)
        position += 1
        return [{ position, id, dataId, seq, type, organizationId, userId, at, loggedAt, text }]
      } catch (error) {
        failed.add(mark)
        onTrouble(error)
        return []
      }
    })
  }

  /** Appends in batches. @returns false if another process has appended. */
  async function appendAll(events: readonly LoggedEvent[], readAt: number): Promise<boolean> {
    for (let from = 0; from < events.length; ) {
      let [to, bytes] = [from, 0]
      while (to < events.length && to - from < batchMax.events && bytes < batchMax.bytes)
        bytes += events[to++]!.text.length
      if (now() - readAt > staleMs) throw new StaleRead()
      const batch = events.slice(from, to)
      if (!(await eventLog.append(batch))) return false
      head = batch.at(-1)!
      for (const event of batch) loggedFacts.get(event.dataId)?.add(factOf(event))
      appended += batch.length
      from = to
    }
    return true
  }

  /** @returns the marks whose events could not be rendered. */
  async function append(all: readonly Draft[], readAt: number): Promise<Set<EventMark>> {
    const failed = new Set<EventMark>()
    if (all.length === 0) return failed
    const context = await viewContext()
    for (let attempt = 0; attempt < attemptsMax; attempt++) {
      try {
        head ??= (await eventLog.head()) ?? { position: 0, loggedAt: 0 }
        await factsOf(all.map(({ dataId }) => dataId))
        if (await appendAll(render(all, context, failed), readAt)) return failed
      } catch (error) {
        forget()
        throw error
      }
      forget()
    }
    throw new Error(`Other processes appended events ${attemptsMax} times in a row`)
  }

  return {
    append,
    /** Number of events that this process has appended. */
    appended: (): number => appended,
  }
}

/** Marks whose events are in the log, until they are cleared. `next`: when the record has its next event. */
function loggedMarks({ eventMarks, now }: Pick<AppenderPorts, 'eventMarks' | 'now'>) {
  const logged = new Map<string, EventMark & { next: number | null; since: number }>()

  async function clear(): Promise<void> {
    const at = now()
    const ready = [...logged.values()].filter(({ next, since }) => next !== null || at - since >= clearAfterMs)
    for (const part of inParts(ready, clearMax)) {
      await eventMarks.clear(part)
      for (const mark of part) logged.delete(keyOf(mark))
    }
  }

  return {
    isFresh: (one: EventMark): boolean => logged.get(keyOf(one))?.mark !== one.mark,
    note: (mark: EventMark, next: number | null): unknown => logged.set(keyOf(mark), { ...mark, next, since: now() }),
    clear,
  }
}

/**
 * Moves the events of marked records into the log, each once. Several processes may do this at the same time, because
 * each position is taken once. A successful append therefore proves that the check for logged facts, made after the
 * head was read, was current. A process that stalled finds its position taken and starts again.
 */
export function eventAppender(ports: AppenderPorts) {
  const { records, eventMarks, now } = ports
  const drafts = draftsOf(records)
  const writer = logWriter(ports)
  const logged = loggedMarks(ports)
  const reached = new Map<MarkedCollection, number>()
  let [rareAt, allAt] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY]
  async function take(collection: MarkedCollection, marks: readonly EventMark[]): Promise<void> {
    const readAt = now()
    const since = readAt - eventRetentionMs
    const all: (readonly EventDraft[])[] = []
    for (const part of inParts(marks, recordsMax)) {
      const ids = part.map(({ id }) => id)
      all.push(...(await drafts[collection](ids, since)))
    }
    await log({ collection, marks, drafts: all }, readAt)
  }

  async function log({ collection, marks, drafts: read }: MarkedDrafts, readAt: number): Promise<void> {
    const since = readAt - eventRetentionMs
    // An older event was logged and has expired.
    const current = read.map((ofRecord) => ofRecord.filter(({ at }) => at >= since))
    const isDue = ({ at }: EventDraft): boolean => collection === 'executions' || at <= readAt
    const all = marks.flatMap((mark, n) => inTime(current[n]!.filter(isDue)).map((draft) => ({ ...draft, mark })))
    const failed = await writer.append(
      all.toSorted((a, b) => a.from - b.from),
      readAt,
    )
    for (const [n, mark] of marks.entries()) {
      if (failed.has(mark)) continue
      const later = current[n]!.filter((draft) => !isDue(draft)).map(({ at }) => at)
      logged.note(mark, later.length > 0 ? Math.min(...later) : null)
    }
  }

  /** Takes marks whose records this process has just stored, without a read of either. */
  async function takeOwn(own: readonly OwnMark[]): Promise<void> {
    const readAt = now()
    for (const collection of often) {
      const all = own.filter((one) => one.collection === collection && one.dueAt <= readAt && logged.isFresh(one))
      const marks = all.map(({ record: _, ...mark }) => mark)
      const stored = all.map(({ record }) => draftsOfStored[collection](record))
      if (marks.length > 0) await log({ collection, marks, drafts: stored }, readAt).catch(leftToPoll)
    }
  }

  /** On a slow machine, reads the records again, in halves if no event of the whole got into the log in time. */
  async function takeAll(collection: MarkedCollection, marks: readonly EventMark[]): Promise<void> {
    const before = writer.appended()
    try {
      await take(collection, marks)
    } catch (error) {
      if (!(error instanceof StaleRead)) throw error
      if (writer.appended() > before) return takeAll(collection, marks)
      if (marks.length === 1) throw error
      for (const half of inParts(marks, Math.ceil(marks.length / 2))) await takeAll(collection, half)
    }
  }

  async function poll(collection: MarkedCollection, backMs: number): Promise<void> {
    const to = now()
    let after = Math.max((reached.get(collection) ?? -1) - backMs, -1)
    for (let isMore = true; isMore; ) {
      const marks = await eventMarks.due(collection, after, to, marksMax)
      const fresh = marks.filter(logged.isFresh)
      if (fresh.length > 0) await takeAll(collection, fresh)
      const last = marks.at(-1)?.dueAt ?? after
      reached.set(collection, Math.max(reached.get(collection) ?? -1, last))
      isMore = marks.length === marksMax
      // More marks of the same millisecond might follow.
      after = last - 1 > after ? last - 1 : last
    }
  }

  return {
    /**
     * Appends the events of marked records once. Rounds must not overlap.
     *
     * @param own The marks that this process has set since the last round.
     * @param isPoll Whether to read the database for the marks of other processes too.
     * @returns the number of events.
     */
    async round(own: readonly OwnMark[] = [], isPoll = true): Promise<number> {
      const before = writer.appended()
      await takeOwn(own)
      if (!isPoll) return writer.appended() - before
      const at = now()
      const isAll = at - allAt >= allEveryMs
      const isRare = isAll || at - rareAt >= rareEveryMs
      const rare = markedCollections.filter((name) => !isOften(name))
      const backMs = isAll ? Number.POSITIVE_INFINITY : isRare ? wideOverlapMs : overlapMs
      for (const name of [...often, ...(isRare ? rare : [])]) await poll(name, backMs)
      await logged.clear()
      if (isRare) rareAt = at
      if (isAll) allAt = at
      return writer.appended() - before
    },
  }
}
