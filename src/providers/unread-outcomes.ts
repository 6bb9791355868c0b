import { unreadableOf } from '../domain/unavailable'
import type { ProviderGate } from './breaker'
import type { gateRecord } from './gate-record'

/** This many unreadable responses in a row show a changed format, not one odd transaction. */
const rowLeast = 5
const noteEveryMs = 60_000

type Ports = {
  record: Pick<ReturnType<typeof gateRecord>, 'last'>
  change: (change: (record: ProviderGate) => ProviderGate) => Promise<unknown>
  now: () => number
}

/**
 * Records for operators that responses about transactions cannot be read; an update of the service ends this. The
 * provider is still queried: its quotes can be good, and money in flight needs its response. Rate limits and poll
 * intervals bound the requests.
 */
export function unreadOutcomes({ record, change, now }: Ports) {
  let row = 0
  return {
    async noted<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
      try {
        const answer = await ask()
        row = 0
        if (record.last().unread !== null) await change((stored) => ({ ...stored, unread: null }))
        return answer
      } catch (error) {
        const what = unreadableOf(error)
        if (what === null) throw error
        row += 1
        const { unread } = record.last()
        if (row >= rowLeast && (unread === null || unread.at + noteEveryMs <= now()))
          await change((stored) => ({
            ...stored,
            unread: { what, since: stored.unread?.since ?? now(), at: now() },
          }))
        throw error
      }
    },
  }
}
