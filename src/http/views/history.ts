import type { HistoryEntry } from '../../domain/execution/execution'
import { view } from '../../domain/schema'
import { Count, isoTime, StatusOrNull, Text, TextOrNull, Time } from './scalar'

/** One entry for every transition and every stored fact that a reader can see (extensions 4.4). */
export const HistoryEntryView = view({
  seq: Count('Number of the entry, from 1; never restarts', 8),
  at: Time('When it happened', '2026-11-21T10:00:25.310Z'),
  event: Text('The event', 'transaction submitted'),
  from: TextOrNull('State before', 'PENDING'),
  to: Text('State after', 'RUNNING'),
  status: StatusOrNull('Status after it; null before there is one', 'RUNNING'),
  note: TextOrNull('An error or an operator’s reason, in one sentence', null),
})

export const historyView = (entries: HistoryEntry[]): (typeof HistoryEntryView.infer)[] =>
  entries.map(({ seq, at, event, from, to, status, note }) => ({ seq, at: isoTime(at), event, from, to, status, note }))

export const TransitionView = view({
  event: Text('The event', 'transaction submitted'),
  from: TextOrNull('State before; null at the beginning', 'PENDING'),
  to: Text('State after; unchanged if only a fact was noted', 'RUNNING'),
})
