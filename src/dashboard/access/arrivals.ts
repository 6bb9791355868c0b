import { statuses } from '../../domain/execution/status'
import type { LiveEvent } from '../live/stream'

/** The outcome of each event type. An attempt that will be repeated has none. */
const outcomes = new Map<string, 'arrived' | 'delivered' | 'failed'>([['deposit.detected', 'arrived']])
for (const [status, { kind, tone }] of Object.entries(statuses))
  if (kind === 'terminal')
    outcomes.set(`execution.${status.toLowerCase()}`, tone === 'success' ? 'delivered' : 'failed')

/** Counts what arrived, was delivered and failed, each deposit and execution once. */
export function countArrivals() {
  const ids = { arrived: new Set<string>(), delivered: new Set<string>(), failed: new Set<string>() }
  return {
    add(events: readonly Pick<LiveEvent, 'type' | 'data'>[]): boolean {
      let isAny = false
      for (const { type, data } of events) {
        const outcome = outcomes.get(type)
        if (!outcome) continue
        ids[outcome].add(data.id)
        isAny = true
      }
      return isAny
    },
    /** Returns one sentence about everything since the last call. Null if nothing happened. */
    sentence(): string | null {
      const [arrived, delivered, failed] = [ids.arrived.size, ids.delivered.size, ids.failed.size]
      for (const each of Object.values(ids)) each.clear()
      const deposits = (count: number) => `${count} ${count === 1 ? 'deposit' : 'deposits'}`
      const parts = [
        arrived > 0 && `${deposits(arrived)} arrived`,
        delivered > 0 && `${arrived > 0 ? delivered : deposits(delivered)} delivered`,
        failed > 0 && `${arrived + delivered > 0 ? failed : deposits(failed)} failed`,
      ].filter(Boolean)
      return parts.length === 0 ? null : `${parts.join(', ')}.`
    },
  }
}
