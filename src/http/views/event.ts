import { stageOf } from '../../domain/deposit/deposit-stage'
import { errorCodes, errorRow } from '../../domain/error'
import {
  depositEventTypes,
  executionEventTypes,
  movedType,
  orphanedType,
  supersededType,
} from '../../domain/event-types'
import type { Execution, HistoryEntry } from '../../domain/execution/execution'
import { feedPlaceOf } from '../../domain/execution/feed-place'
import { supersededThen, supersedings } from '../../domain/execution/lane'
import { isTerminal } from '../../domain/execution/status'
import { oneOfViews, view } from '../../domain/schema'
import type { DepositFound } from '../../ports/queries'
import { eventId } from '../events/event-id'
import { DepositView, depositView, type ViewContext } from './deposit'
import { balanceVerified, confirmedDeposit, routeFound, submitted } from './event-examples'
import { example } from './examples'
import { FullExecutionView, fullExecutionView } from './execution-full'
import { TransitionView } from './history'
import {
  ChainEventView,
  EndpointEventView,
  IntentEventView,
  IntentHeldEventView,
  KeyEventView,
  QuotaEventView,
  type RareEventView,
} from './rare-event'
import { Count, described, isoTime, StatusOrNull, Text, TextOrNull, Time } from './scalar'

export const MoveView = view({
  id: Text('The execution', example.depositId),
  userId: Text('Your stable identifier of the user', 'user-1'),
  event: Text('The event', 'route found'),
  from: TextOrNull('State before', 'finding route'),
  to: Text('State after', 'pricing fees'),
  status: StatusOrNull('Status after it', null),
})

type Entry = { seq: number; timestamp: string; transition?: object }

const headOf = ({ seq, timestamp, transition }: Entry) => ({
  id: Text(
    'Always the same for this event; sorts in feed order',
    eventId(Date.parse(timestamp), example.depositId, seq),
  ),
  timestamp: Time('When it happened', timestamp),
  seq: Count('Number of the history entry: keep the highest per `data.id`', seq),
  transition: described(
    TransitionView.or('null'),
    'The change of state, see `GET /api/lifecycle`; null while a deposit is not confirmed',
    ...(transition ? [transition] : []),
  ),
})

export const DepositEventView = view({
  ...headOf(balanceVerified),
  type: described(view.enumerated(...depositEventTypes), 'The event', 'deposit.confirmed'),
  data: described(DepositView, 'The deposit at that time', confirmedDeposit),
})
export const ExecutionEventView = view({
  ...headOf(submitted),
  type: described(view.enumerated(...executionEventTypes, supersededType), 'The event', 'execution.running'),
  data: described(FullExecutionView, 'The execution at that time'),
})
export const MoveEventView = view({
  ...headOf(routeFound),
  type: described(view.enumerated(movedType), 'The event', movedType),
  data: described(MoveView, 'The move from one state to the next'),
})

/** One event, the same in a list and in a stream (extensions 6.1). */
export const EventView = oneOfViews('An event. Its `type` determines the form of `data`', [
  ChainEventView,
  DepositEventView,
  ExecutionEventView,
  IntentHeldEventView,
  KeyEventView,
  EndpointEventView,
  IntentEventView,
  MoveEventView,
  QuotaEventView,
])
export type MovingView = {
  id: string
  type: string
  timestamp: string
  seq: number
  transition: typeof TransitionView.infer | null
  data: DepositView | FullExecutionView | typeof MoveView.infer
}
export type EventView = MovingView | RareEventView

/** An event that is rendered only when it is read. */
export type FeedEvent = {
  id: string
  /** The time of its position in the feed. */
  at: number
  /**
   * The sort key, in the form of an id, of an event that is listed again at a later position. If absent, the id is the
   * sort key.
   */
  place?: string
  type: string
  /** Null for events of all organizations. */
  organizationId: string | null
  /** Null for events without a user. */
  userId: string | null
  dataId: string
  seq: number
  render: (context: ViewContext) => EventView
}

/**
 * Returns the fact that an event reports. It stays the same if the history entry gets a later position in the feed
 * after the event was sent. A transfer can be dropped more than once without a history entry.
 */
export const factOf = ({ id, dataId, seq, type }: FeedEvent): string =>
  seq === 0 || type === orphanedType ? id : `${dataId} ${seq} ${type}`

const isIntake = { 'intent missing': 'deposit.waiting_for_intent', 'balance verified': 'deposit.confirmed' } as Record<
  string,
  string
>

const isSuperseding = new Set<string>(Object.values(supersedings).map(({ event }) => event))

function typeOf(
  execution: Execution,
  { event, from, to, status }: HistoryEntry,
  before: HistoryEntry | undefined,
): string {
  if (from === null) return execution.refundOf === null ? 'deposit.detected' : 'deposit.returned'
  const isNewStatus = status !== null && status !== (before?.status ?? null)
  if (isNewStatus || (to === 'FAILED' && event.endsWith('failed'))) return `execution.${status!.toLowerCase()}`
  if (from === to && isSuperseding.has(event)) return supersededType
  return isIntake[event] ?? movedType
}

/** Returns the event's position in the feed: its sort key, and where reading continues. */
export const placeOf = ({ id, place = id }: Pick<FeedEvent, 'id' | 'place'>): string => place

/** Returns the events of an execution between two positions of the feed: one for each history entry. */
export function eventsOf(execution: Execution, from: number, to: number): FeedEvent[] {
  const { id: dataId, organizationId, userId, history } = execution
  return history.flatMap((entry, n) => {
    const at = feedPlaceOf(entry)
    if (at < from || at >= to) return []
    const { seq, event, from: before, to: after } = entry
    const type = typeOf(execution, entry, history[n - 1])
    const head = { id: eventId(at, dataId, seq), type: type, timestamp: isoTime(entry.at), seq }
    const transition = { event, from: before, to: after }
    const render = (context: ViewContext): EventView => ({
      ...head,
      transition,
      data: dataOf(type, execution, n, { ...context, now: entry.at }),
    })
    return [{ id: head.id, at, type: type, organizationId, userId, dataId, seq, render }]
  })
}

function dataOf(type: string, execution: Execution, n: number, context: ViewContext): MovingView['data'] {
  const { event, from, to, status } = execution.history[n]!
  if (type === movedType) return { id: execution.id, userId: execution.userId, event, from, to, status }
  const then = asOf(execution, n)
  if (type.startsWith('execution.')) return fullExecutionView(then, context)
  const found = {
    id: then.id,
    detectedAt: then.deposit.detectedAt,
    stage: stageOf(then),
    sighting: null,
    execution: then,
    newest: then,
  }
  return depositView(found, context)
}

const codeOf = new Map(errorCodes.map((code) => [errorRow(code).message, code]))

/** Returns the record as it was after one of its entries, if it still holds those facts. */
function asOf(execution: Execution, n: number): Execution {
  const entry = execution.history[n]!
  const { facts, cause, createdAt } = execution
  const { spent, delivery, transactions, dropped, receipt, route, fees, candidates, waiting, ...rest } = facts
  const wasThere = (at: number) => at <= entry.at
  const isLast = n === execution.history.length - 1
  const code = entry.note === null ? undefined : codeOf.get(entry.note)
  const noted = code && { code, category: errorRow(code).category, message: entry.note!, at: entry.at }
  return {
    ...execution,
    ...supersededThen(execution, n + 1),
    state: entry.to,
    status: entry.status,
    seq: entry.seq,
    history: execution.history.slice(0, n + 1),
    cause: cause && wasThere(cause.at) ? cause : (noted ?? null),
    createdAt: createdAt !== null && wasThere(createdAt) ? createdAt : null,
    completedAt: isTerminal(entry.to) ? (execution.completedAt ?? entry.at) : null,
    dueAt: isLast ? execution.dueAt : entry.at,
    facts: {
      ...rest,
      ...(route && wasThere(route.quotedAt) && { route, ...(candidates && { candidates }), ...(fees && { fees }) }),
      ...(transactions && { transactions: transactions.filter(({ at }) => wasThere(at)) }),
      ...(dropped && { dropped: dropped.filter(({ at }) => wasThere(at)) }),
      ...(receipt && wasThere(receipt.at) && { receipt }),
      ...(spent && wasThere(spent.at) && { spent }),
      ...(delivery && isTerminal(entry.to) && { delivery }),
      ...(waiting && wasThere(waiting.since) && { waiting }),
    },
  }
}

/**
 * Returns the events of an unconfirmed transfer that has no record yet: it was detected, and it might have been
 * dropped.
 */
export function eventsOfSighting(found: DepositFound & { sighting: object }, from: number, to: number): FeedEvent[] {
  const { sighting, detectedAt, id: dataId } = found as Extract<DepositFound, { execution: null }>
  if (sighting.stage === 'UNSUPPORTED') return []
  const { organizationId, userId } = sighting
  const entries = [{ at: detectedAt, seq: 1, type: 'deposit.detected', stage: 'CONFIRMING' as const }]
  const dropped = { at: sighting.updatedAt, seq: 2, type: orphanedType, stage: 'ORPHANED' as const }
  const all = found.stage === 'ORPHANED' ? [...entries, dropped] : entries
  return all
    .filter(({ at }) => at >= from && at < to)
    .map(({ at, seq, type, stage }) => {
      const id = eventId(at, dataId, seq)
      const then = { ...found, stage, sighting: { ...sighting, stage, updatedAt: at } } as DepositFound
      const head = { id, type: type, timestamp: isoTime(at), seq, transition: null }
      const render = (context: ViewContext): EventView => ({
        ...head,
        data: depositView(then, { ...context, now: at }),
      })
      return { id, at, type: type, organizationId, userId, dataId, seq, render }
    })
}
