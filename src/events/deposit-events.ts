import { stageOf } from '../domain/deposit/deposit-stage'
import type { Sighting } from '../domain/deposit/sighting'
import { errorCodes, errorRow } from '../domain/error'
import { detectedType, movedType, orphanedType, returnedType, supersededType } from '../domain/event-types'
import type { Execution, HistoryEntry } from '../domain/execution/execution'
import { supersededThen, supersedings } from '../domain/execution/lane'
import { isTerminal } from '../domain/execution/status'
import { depositView, type ViewContext } from '../http/views/deposit'
import type { MovingView } from '../http/views/event'
import { fullExecutionView } from '../http/views/execution-full'
import { isoTime } from '../http/views/scalar'
import type { EventDraft } from './event-draft'
import { eventId } from './event-id'

/** History entries that are events of a deposit without a status. */
const intakeTypes: Partial<Record<string, string>> = {
  'intent missing': 'deposit.waiting_for_intent',
  'lane occupied': 'deposit.queued',
  paused: 'deposit.paused',
  'balance verified': 'deposit.confirmed',
}

const isSuperseding = new Set<string>(Object.values(supersedings).map(({ event }) => event))

function typeOf(
  execution: Execution,
  { event, from, to, status }: HistoryEntry,
  before: HistoryEntry | undefined,
): string {
  if (from === null) return execution.refundOf === null ? detectedType : returnedType
  const isNewStatus = status !== null && status !== (before?.status ?? null)
  if (isNewStatus || (to === 'FAILED' && event.endsWith('failed'))) return `execution.${status!.toLowerCase()}`
  if (from === to && isSuperseding.has(event)) return supersededType
  const isWait = event === 'lane occupied' || event === 'paused'
  return (isWait && status !== null ? undefined : intakeTypes[event]) ?? movedType
}

/** Returns the events of an execution in the order of its history, one for each entry. */
export function draftsOfExecution(execution: Execution): EventDraft[] {
  const { id: dataId, organizationId, userId, history } = execution
  return history.map((entry, n) => {
    const { seq, event, from, to } = entry
    const type = typeOf(execution, entry, history[n - 1])
    // The detection of the same money was already an event, under the id of its own fact.
    const of = type === returnedType ? `${dataId} returned` : dataId
    const id = eventId(entry.storedAt ?? entry.at, of, seq)
    const render = (context: ViewContext): MovingView => ({
      ...{ id, type, timestamp: isoTime(entry.at), seq },
      transition: { event, from, to },
      data: dataOf(type, execution, n, { ...context, now: entry.at }),
    })
    return { id, at: entry.at, type, organizationId, userId, dataId, seq, render }
  })
}

function dataOf(type: string, execution: Execution, n: number, context: ViewContext): MovingView['data'] {
  const { event, from, to, status } = execution.history[n]!
  if (type === movedType) return { id: execution.id, userId: execution.userId, event, from, to, status }
  const then = asOf(execution, n)
  if (type.startsWith('execution.')) return fullExecutionView(then, context)
  const deposit = {
    id: then.id,
    detectedAt: then.deposit.detectedAt,
    stage: stageOf(then),
    sighting: null,
    execution: then,
    newest: then,
  }
  return depositView(deposit, context)
}

const codeOf = new Map(errorCodes.map((code) => [errorRow(code).message, code]))

/** Whether it had its intent after an entry, as far as its history says. A re-drive has one from the start. */
const wasMatched = ({ redriveOf, history }: Execution, n: number): boolean =>
  redriveOf !== null || history[0]!.seq !== 1 || history.slice(0, n + 1).some(({ event }) => event === 'intent matched')

/** Returns the record as it was after one of its entries, if it still holds those facts. */
function asOf(execution: Execution, n: number): Execution {
  const entry = execution.history[n]!
  const { facts, cause, createdAt } = execution
  const { intent, routeId, spent, delivery, transactions, dropped, receipt, route, fees, ...others } = facts
  const { candidates, waiting, ...rest } = others
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
      ...(wasMatched(execution, n) && { ...(intent && { intent }), ...(routeId && { routeId }) }),
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

/** Returns the events of an unconfirmed transfer: it was detected, and its block might have been dropped. */
export function draftsOfSighting(sighting: Sighting): EventDraft[] {
  const { id: dataId, organizationId, userId, detectedAt, stage, updatedAt } = sighting
  const dropped = sighting.orphanedAt ?? (stage === 'ORPHANED' ? [updatedAt] : [])
  const all = [
    { at: detectedAt, seq: 1, type: detectedType, stage: 'CONFIRMING' as const },
    ...dropped.map((at) => ({ at, seq: 2, type: orphanedType, stage: 'ORPHANED' as const })),
  ]
  return all.map(({ at, seq, type, stage: then }) => {
    const id = eventId(at, dataId, seq)
    const seen = { ...sighting, stage: then, updatedAt: at }
    const deposit = { id: dataId, detectedAt, stage: then, sighting: seen, execution: null, newest: null }
    const render = (context: ViewContext): MovingView => ({
      ...{ id, type, timestamp: isoTime(at), seq, transition: null },
      data: depositView(deposit, { ...context, now: at }),
    })
    return { id, at, type, organizationId, userId, dataId, seq, render }
  })
}
