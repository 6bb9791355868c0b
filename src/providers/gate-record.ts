import { aged } from '../domain/aged'
import type { ChainPair } from '../domain/chain/chain'
import { rewrite } from '../domain/concurrency'
import { unreadableOf } from '../domain/unavailable'
import type { Records } from '../ports/records'
import { openGate, type ProviderGate, pairOf, type Shut, scopesOf } from './breaker'

/**
 * Maximum age of this process's copy of the record, in milliseconds. Until the copy is renewed, a caller can repeat a
 * failure that another process has recorded.
 */
const copyMs = 1_000
/** This many unreadable responses in a row show a changed format, not one odd transaction. */
const rowLeast = 5
const noteEveryMs = 60_000

/** A scope that this process shut or opened. `shut` is null once it is open. `isOwn`: for this process alone. */
export type GateChange = { provider: string; pair: ChainPair | null; shut: Shut | null; isOwn: boolean }

export type GateRecord = ReturnType<typeof gateRecord>

/** The record of one provider that all processes share, and this process's copy of it. */
export function gateRecord(
  id: string,
  records: Records<ProviderGate>,
  { now, onChange }: { now: () => number; onChange: (change: GateChange) => void },
) {
  const load = async (): Promise<ProviderGate> => (await records.load(id)) ?? openGate(id)
  const copy = aged(load, { now, forMs: copyMs, from: 'END' })

  return {
    read: (): Promise<ProviderGate> => copy.get(),
    /** The copy, of any age. */
    last: (): ProviderGate => copy.peek() ?? openGate(id),
    /**
     * Changes the stored record.
     *
     * @param change Returns the same record to leave it unchanged.
     * @returns The record before and after.
     */
    async change(change: (record: ProviderGate) => ProviderGate): Promise<[before: ProviderGate, after: ProviderGate]> {
      let before = openGate(id)
      const after = await rewrite(records, id, (stored) => {
        before = stored ?? openGate(id)
        const changed = change(before)
        return changed === before ? null : changed
      })
      const providerGate = after ?? before
      copy.set(undefined, providerGate)
      for (const one of changesOf(before, providerGate)) onChange(one)
      return [before, providerGate]
    },
  }
}

/** Returns the scopes that were opened, shut, or shut for more processes or another reason. */
function changesOf(before: ProviderGate, after: ProviderGate): GateChange[] {
  const provider = after.id
  const changes = [...new Set([...scopesOf(before), ...scopesOf(after)])].flatMap((scope): GateChange[] => {
    const [was, is] = [before.shut[scope], after.shut[scope]]
    const pair = pairOf(scope)
    if (!is) return [{ provider, pair, shut: null, isOwn: was!.by !== null }]
    const isNew = !was || was.reason !== is.reason || (was.by !== null && is.by === null)
    return isNew || (was.why === null && is.why !== null) ? [{ provider, pair, shut: is, isOwn: is.by !== null }] : []
  })
  if ((before.unread === null) === (after.unread === null)) return changes
  const { unread } = after
  const shut = unread && { reason: 'FAILING' as const, why: unread.what, since: unread.since, ...noProbe }
  return [...changes, { provider, pair: null, shut, isOwn: false }]
}
const noProbe = { probeAt: 0, probes: 0, by: null }

/**
 * Records for operators that responses about transactions or prices cannot be read; an update of the service ends this.
 * The provider is still queried: its quotes can be good, and money in flight needs its response. Rate limits and poll
 * intervals bound the requests.
 */
export function unreadResponses(of: 'OUTCOME' | 'PRICE', record: GateRecord, now: () => number) {
  let row = 0
  const isOwn = ({ unread }: ProviderGate) => unread !== null && (unread.of ?? 'OUTCOME') === of
  return {
    async noted<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
      try {
        const answer = await ask()
        row = 0
        if (isOwn(record.last()))
          await record.change((stored) => (isOwn(stored) ? { ...stored, unread: null } : stored))
        return answer
      } catch (error) {
        const what = unreadableOf(error)
        if (what === null) throw error
        row += 1
        const { unread } = record.last()
        if (row >= rowLeast && (unread === null || unread.at + noteEveryMs <= now()))
          await record.change((stored) => ({
            ...stored,
            unread: { of, what, since: stored.unread?.since ?? now(), at: now() },
          }))
        throw error
      }
    },
  }
}
