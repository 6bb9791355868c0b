import { type MarkedCollection, markOf } from '../../src/domain/event-marks'
import { type AppenderPorts, eventAppender } from '../../src/events/appender'
import { eventTail } from '../../src/events/tail'
import { viewContext } from '../../src/http/views/view-context'
import type { EventLog, EventMarks, EventReader, LoggedEvent } from '../../src/ports/webhooks'
import type { Marks } from './records'
import { until } from './until'

export function eventLogInMemory(): EventLog & { all(): readonly LoggedEvent[] } {
  const events: LoggedEvent[] = []
  return {
    all: () => events,
    head: async () => events.at(-1) ?? null,
    async append(batch) {
      for (const event of batch) {
        if (event.position !== events.length + 1) return false
        events.push(event)
      }
      return true
    },
    named: async (dataIds) =>
      events
        .filter(({ dataId }) => dataIds.includes(dataId))
        .map(({ id, dataId, seq, type }) => ({ id, dataId, seq, type })),
    after: async (position, { organizationId, userId, dataId }, limit) =>
      events
        .slice(position)
        .filter((one) => [null, organizationId].includes(one.organizationId) || organizationId === null)
        .filter((one) => (userId ?? one.userId) === one.userId && (dataId ?? one.dataId) === one.dataId)
        .slice(0, limit),
    positionOf: async (id) => events.find((one) => one.id === id)?.position ?? null,
    async positionBefore(time) {
      const first = events.find(({ loggedAt }) => loggedAt >= time)
      return first ? first.position - 1 : events.length
    },
  }
}

/** The marks that the fakes of these collections set. */
export function eventMarksOn(collections: Record<MarkedCollection, { marks: Marks }>): EventMarks {
  return {
    due: async (collection, after, to, limit) =>
      [...collections[collection].marks]
        .filter(([, { dueAt }]) => dueAt > after && dueAt <= to)
        .toSorted(([, a], [, b]) => a.dueAt - b.dueAt)
        .slice(0, limit)
        .map(([id, mark]) => ({ collection, id, ...mark })),
    async clear(all) {
      for (const { collection, id, mark, next } of all) {
        const { marks } = collections[collection]
        if (marks.get(id)?.mark !== mark) continue
        if (next === null) marks.delete(id)
        else marks.set(id, { dueAt: next, mark: markOf(next, mark) })
      }
    },
  }
}

type Ports = AppenderPorts['records'] &
  Pick<AppenderPorts, 'eventLog' | 'eventMarks' | 'now'> &
  Parameters<typeof viewContext>[0]
const thrown = (error: unknown): never => {
  throw error
}

/** An appender whose clock and facts are those of the API. */
export function appenderOn(ports: Ports, onTrouble: (error: unknown) => void = thrown) {
  const { eventLog, eventMarks, now } = ports
  const contextFor = viewContext(ports)
  const context = () => contextFor({ tenant: '' })
  return eventAppender({ records: ports, eventLog, eventMarks, viewContext: context, now, onTrouble })
}

/** Appends the events of every record that is marked now, as a process that has just started. */
export const publishing = (ports: Ports) => (): Promise<number> => appenderOn(ports).round()

/** Reads a log, and polls it often. `left` waits until every stream has ended. The database can then be closed. */
export function eventsOn(eventLog: EventLog): EventReader & { left(): Promise<unknown> } {
  const streams = new Set<object>()
  const reads = new Set<Promise<unknown>>()
  const noted = <Result>(read: Promise<Result>): Promise<Result> => {
    reads.add(read)
    const over = () => reads.delete(read)
    read.then(over, over)
    return read
  }
  const tail = eventTail({
    eventLog: {
      head: () => noted(eventLog.head()),
      after: (...given) => noted(eventLog.after(...given)),
      positionBefore: (time) => noted(eventLog.positionBefore(time)),
    },
    untilAppended: (ms) => Bun.sleep(Math.min(ms, 10)),
    // Thrown outside the reader, which would otherwise restart without end.
    onTrouble: (error) =>
      queueMicrotask(() => {
        throw error
      }),
  })
  return {
    ...tail,
    subscribe(organizationId, listener) {
      const stream = {}
      streams.add(stream)
      const leave = tail.subscribe(organizationId, listener)
      return () => {
        streams.delete(stream)
        leave()
      }
    },
    left: () => until('no stream reads the log', (note) => note(streams.size + reads.size) === 0),
  }
}
