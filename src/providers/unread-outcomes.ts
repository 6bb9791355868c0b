import { unreadableOf } from '../domain/unavailable'
import type { ProviderGate } from './breaker'
import type { gateRecord } from './gate-record'

/** So many answers in a row show that the provider's form changed, and not that one transaction is odd. */
const rowLeast = 5
const noteEveryMs = 60_000

type Ports = {
  record: Pick<ReturnType<typeof gateRecord>, 'last'>
  change: (change: (record: ProviderGate) => ProviderGate) => Promise<unknown>
  now: () => number
}

/**
 * Notes for people that answers about transactions cannot be read, which lasts until the service is updated. The
 * provider is asked on: it may quote well, and money in flight needs its answer. Rate limits and poll intervals bound
 * the requests.
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
