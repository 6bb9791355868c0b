import { aloneAndAgain } from '../domain/concurrency'
import type { Semaphore } from '../domain/limits/semaphore'
import { repeat } from '../domain/repeat'
import { type AppenderPorts, eventAppender } from '../events/appender'
import type { OwnMarks } from '../events/own-marks'
import { eventTail } from '../events/tail'
import { type ViewContextPorts, viewContext } from '../http/views/view-context'
import { storedLease } from '../limits/stored-semaphores'
import type { Records } from '../ports/records'
import type { EventLog, EventReader, Signal } from '../ports/webhooks'

/** Poll interval if no signal arrives. */
const tickMs = 500
/** Rest between rounds: at least twice as long as a round took. Several writes of a record then cost one read. */
const rest = { leastMs: 40, mostMs: 250, times: 2 } as const
/** The lease only saves work, because the positions of the log decide. If its holder dies, another soon takes over. */
const times = { forMs: 3_000, renewMs: 1_000 } as const

type Ports = Pick<AppenderPorts, 'records' | 'eventLog' | 'eventMarks'> & {
  /** What an event shows and no record holds. */
  facts: Omit<ViewContextPorts, 'now'>
  semaphoreRecords: Records<Semaphore>
  signals: EventSignals
  /** Unique to this process. */
  name: string
  now: () => number
  onTrouble: (what: string, error: unknown) => void
}

/** `marked`: a record has events. `appended`: the log has new events. `own`: the marks that this process has set. */
export type EventSignals = { marked: Signal; appended: Signal; own: Pick<OwnMarks, 'take'> }

/** Lets one process at a time append to the log. If it dies, another takes over. */
export function eventAppending(ports: Ports) {
  const { records, eventLog, eventMarks, facts, semaphoreRecords, signals, name, now } = ports
  const onTrouble = (error: unknown) => ports.onTrouble('the event log', error)
  const held = storedLease(semaphoreRecords, 'event log', { holder: name, ...times, now })
  const contextFor = viewContext({ ...facts, now })
  // Every organization sees an event in the same way.
  const context = () => contextFor({ tenant: '' })
  const appender = eventAppender({ records, eventLog, eventMarks, viewContext: context, now, onTrouble })
  let isStopped = false
  let isPollDue = true

  async function round(): Promise<void> {
    const own = signals.own.take()
    const isPoll = isPollDue || !own.isAll
    if (isStopped || !(await held.hold())) return
    isPollDue = false
    if ((await appender.round(own.marks, isPoll)) > 0) signals.appended.send()
  }

  const turn = aloneAndAgain(async () => {
    const began = performance.now()
    await round().catch(onTrouble)
    const restMs = rest.times * (performance.now() - began)
    await Bun.sleep(Math.min(Math.max(restMs, rest.leastMs), rest.mostMs))
  })

  /** Also finds what a failed round left. */
  const poll = (): Promise<void> => {
    isPollDue = true
    return turn()
  }
  const ticking = repeat({ everyMs: tickMs, work: poll, onTrouble })

  return {
    start(): void {
      ticking.start()
      signals.marked.subscribe((isOwn) => {
        const isOurs = held.isHeld()
        if (isOurs) void (isOwn ? turn() : poll())
        return isOurs
      })
    },
    async stop(): Promise<void> {
      isStopped = true
      await ticking.stop()
      await turn.underWay()
      await held.release().catch(onTrouble)
    },
  }
}

/** Reads the log once for everything in this process. */
export function eventReading(
  eventLog: EventLog,
  { appended }: EventSignals,
  onTrouble: (what: string, error: unknown) => void,
): EventReader {
  let next = Promise.withResolvers<void>()
  appended.subscribe(() => {
    next.resolve()
    next = Promise.withResolvers<void>()
    return false
  })
  const untilAppended = (ms: number) => Promise.race([next.promise, Bun.sleep(ms)])
  return eventTail({ eventLog, untilAppended, onTrouble: (error) => onTrouble('reading the event log', error) })
}
