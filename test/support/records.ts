import { assureDueOrEnded, mayFollow } from '../../src/adapters/mongo/collections/executions'
import { eventsOf, markOf } from '../../src/domain/event-marks'
import { type Execution, unspentOf } from '../../src/domain/execution/execution'
import { isResidue, laneLedger } from '../../src/domain/execution/lane'
import { isOfProvider } from '../../src/domain/execution/retry'
import {
  brokenIdentity,
  type CollectionName,
  type Identity,
  IllegalChange,
  identities,
} from '../../src/domain/record-identity'
import type { Due, Executions } from '../../src/ports/executions'
import type { Records } from '../../src/ports/records'

/** Copies a row as a database would: without undefined fields, and frozen. */
const kept = <Row>(row: Row): Row => frozen(JSON.parse(JSON.stringify(row)))

function frozen<Part>(part: Part): Part {
  if (typeof part !== 'object' || part === null) return part
  for (const inner of Object.values(part)) frozen(inner)
  return Object.freeze(part)
}

/** A fake of the record store with the same guarantee as the real one: each conditional write is atomic. */
export const recordsInMemory = <R extends { id: string; version: number }>(...records: R[]) =>
  lawfulRecords<R>({}, records)

/** The same for a named collection, with its immutable fields and transitions enforced. */
export const recordsOf = <R extends { id: string; version: number }>(name: CollectionName, ...records: R[]) =>
  lawfulRecords<R>(identities[name], records, name)

/** The marks of records with events, as the real store sets them. */
export type Marks = Map<string, { dueAt: number; mark: string }>

function lawfulRecords<R extends { id: string; version: number }>(
  identity: Identity,
  records: R[],
  name?: CollectionName,
) {
  const stored = new Map<string, R>()
  /** All records, until one changes. */
  let unchanged: readonly R[] | null = null
  /** What was stored for a record. A small world stores the same record again whenever it returns to it. */
  const copies = new WeakMap<R, R>()
  const lawful = new WeakMap<R, WeakSet<R>>()
  const marks: Marks = new Map()
  let writes = 0
  const mark = (before: R | null, record: R): void => {
    const dueAt = (eventsOf as Record<string, unknown> as Record<string, (...rows: (R | null)[]) => number | null>)[
      name!
    ]?.(before, record)
    if (dueAt != null) marks.set(record.id, { dueAt, mark: markOf(dueAt, `${record.version}`) })
  }
  const store = (record: R, saved: R = kept(record)): R => {
    stored.set(saved.id, saved)
    unchanged = null
    writes += 1
    return saved
  }
  const next = (record: R): R => {
    const known = copies.get(record)
    if (known?.version === record.version + 1) return known
    const saved = kept({ ...record, version: record.version + 1 })
    copies.set(record, saved)
    return saved
  }
  const assureLawful = (before: R, record: R): void => {
    if (lawful.get(before)?.has(record)) return
    const broken = brokenIdentity(identity, before, record)
    if (broken !== null) throw new IllegalChange(record.id, broken)
    lawful.set(before, (lawful.get(before) ?? new WeakSet()).add(record))
  }
  const port: Records<R> = {
    load: async (id) => stored.get(id) ?? null,
    async save(record) {
      const before = stored.get(record.id)
      if ((before?.version ?? 0) !== record.version) return null
      if (before) assureLawful(before, record)
      const saved = store(record, next(record))
      mark(before ?? null, saved)
      return saved
    },
  }
  for (const record of records) mark(null, store(record))
  writes = 0
  return {
    ...port,
    marks,
    get: (id: string): R => stored.get(id)!,
    all: (): R[] => [...stored.values()],
    /** All records, in the same list until one changes. */
    unchanged: (): readonly R[] => (unchanged ??= [...stored.values()]),
    /** Changes a record without a version check. */
    change: (id: string, changed: Partial<R>) => store({ ...stored.get(id)!, ...changed }),
    /** Replaces all records by those of an earlier moment. */
    restore(earlier: readonly R[]): void {
      if (unchanged === earlier) return
      stored.clear()
      for (const record of earlier) stored.set(record.id, record)
      unchanged = earlier
    },
    /** Number of writes so far. */
    writes: (): number => writes,
  }
}

const toDue = ({ id, version, dueAt, bucket }: Execution): Due => ({ id, version, dueAt: dueAt!, bucket })

export function executionsInMemory(...records: Execution[]) {
  const kept = recordsOf<Execution>('executions', ...records)
  const begun = new Map<string, Execution>()
  const inLane = (lane: string) => kept.all().filter(({ deposit }) => deposit.lane === lane)
  const port: Executions = {
    load: kept.load,
    async save(record) {
      assureDueOrEnded(record)
      const routeId = record.facts.routeId
      const isTaken = routeId && kept.all().some(({ id, facts }) => id !== record.id && facts.routeId === routeId)
      if (isTaken) throw new Error('Another record already has one of its keys')
      const before = kept.get(record.id)
      if (before?.version === record.version && !mayFollow(before.state, record.state))
        throw new IllegalChange(record.id)
      const saved = await kept.save(record)
      if (record.version > 0) begun.delete(record.id)
      else if (saved) begun.set(record.id, saved)
      return saved
    },
    begun(id) {
      const record = begun.get(id) ?? null
      begun.delete(id)
      return record
    },
    async loadMany(ids) {
      const wanted = new Set(ids)
      return kept.all().filter(({ id }) => wanted.has(id))
    },
    due: async (now, after, limit) =>
      kept
        .all()
        .filter(({ dueAt }) => dueAt !== null && dueAt > after && dueAt <= now)
        .toSorted((a, b) => a.dueAt! - b.dueAt!)
        .slice(0, limit)
        .map(toDue),
    unspentIn: async (lane) => unspentOf(inLane(lane)),
    residueIn: async (lane) => inLane(lane).filter(isResidue),
    waitingForLane: async (lane, limit) =>
      inLane(lane)
        .filter(({ facts, dueAt }) => facts.waiting?.for === 'LANE' && dueAt !== null)
        .toSorted((a, b) => a.deposit.detectedAt - b.deposit.detectedAt)
        .slice(0, limit)
        .map(toDue),
    failedBetween: async ({ fromChainId, fromToken, toChainId, toToken }, limit) =>
      kept
        .all()
        .filter(({ status, deposit, facts: { intent }, cause, dueAt }) => {
          const isFrom = deposit.chainId === fromChainId && deposit.token === fromToken
          const isTo = intent?.targetChainId === toChainId && intent.targetTokenAddress === toToken
          return status === 'FAILED' && isFrom && isTo && dueAt !== null && cause !== null && isOfProvider(cause.code)
        })
        .toSorted((a, b) => a.dueAt! - b.dueAt!)
        .slice(0, limit)
        .map(toDue),
    waitingForIntent: async (account) =>
      kept
        .all()
        .filter(({ deposit, facts, dueAt }) => deposit.account === account && !facts.intent && dueAt !== null)
        .toSorted((a, b) => a.deposit.detectedAt - b.deposit.detectedAt || (a.id < b.id ? -1 : 1))
        .map(toDue),
    sentFrom: async (account, chainId) =>
      kept
        .all()
        .filter(({ deposit, facts, state, cause }) => {
          const isBridged = facts.order !== undefined && facts.route?.kind === 'BRIDGE'
          const isOut = state === 'RUNNING' || (state === 'DEAD_LETTER' && cause?.code === 'FUNDS_RETURNED')
          return deposit.account === account && deposit.chainId === chainId && isBridged && isOut
        })
        .toSorted((a, b) => b.deposit.detectedAt - a.deposit.detectedAt),
    leadingTo: async (lane, txHash) =>
      kept.all().filter(({ facts, completedAt }) => {
        const { transactions = [], dropped = [], mint, spent, delivery } = facts
        const sent = [...transactions, ...dropped, ...(mint?.transactions ?? [])]
        const hashes = [...sent.map(({ hash }) => hash), spent?.hash, delivery?.hash]
        const belongs = txHash === null || hashes.includes(txHash)
        return facts.leadsTo === lane && (completedAt === null || belongs)
      }),
    carriers: async (ids) =>
      kept
        .all()
        .filter(({ id }) => ids.includes(id))
        .map(({ id, version, facts }) => ({ id, version, quotaKey: facts.quotaKey ?? null })),
    countQuota: async (quotaKey, except = []) =>
      kept.all().filter(({ id, facts }) => facts.quotaKey === quotaKey && !except.includes(id)).length,
    ledgerOf: async (lane, block) => laneLedger(inLane(lane), block),
    spendsOf: async (lane) => laneLedger(inLane(lane), Infinity).spends,
  }
  return { ...kept, ...port }
}
