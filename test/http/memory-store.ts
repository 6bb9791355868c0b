import type { Execution } from '../../src/domain/execution'
import { isUnspent } from '../../src/domain/execution'
import type { ExecutionFilter, Page } from '../../src/ports/queries'

/** Documents in memory, each written on the condition that nobody wrote it since it was read. */
export function memoryRecords<R extends { id: string; version: number }>() {
  const rows = new Map<string, R>()
  return {
    rows,
    load: async (id: string): Promise<R | null> => rows.get(id) ?? null,
    save: async (record: R): Promise<R | null> => {
      if ((rows.get(record.id)?.version ?? 0) !== record.version) return null
      const stored = { ...record, version: record.version + 1 }
      rows.set(record.id, stored)
      return stored
    },
  }
}

const newestFirst = (a: Execution, b: Execution): number =>
  b.createdAt! - a.createdAt! || (a.id < b.id ? 1 : a.id > b.id ? -1 : 0)

export function memoryExecutions() {
  const records = memoryRecords<Execution>()
  const all = () => [...records.rows.values()]
  const isOf = (filter: { organizationId: string | null }, one: Execution) =>
    filter.organizationId === null || one.organizationId === filter.organizationId
  return {
    ...records,
    loadMany: async (ids: string[]) => all().filter(({ id }) => ids.includes(id)),
    due: async () => [],
    unspentIn: async (lane: string) => all().filter((one) => one.deposit.lane === lane && isUnspent(one)),
    waitingForIntent: async (account: string) =>
      all()
        .filter((one) => one.deposit.account === account && one.facts.waiting?.for === 'INTENT')
        .map(({ id, version, bucket }) => ({ id, version, bucket, dueAt: 0 })),
    countQuota: async (quotaKey: string) => all().filter(({ facts }) => facts.quotaKey === quotaKey).length,
    bookOf: async () => ({ broughtRaw: 0n, spentRaw: 0n, finds: 0, lastBlock: 0 }),
    list: async (filter: ExecutionFilter, { limit, after, offset = 0 }: Page) => {
      const found = all().filter(
        (one) =>
          isOf(filter, one) &&
          one.createdAt !== null &&
          (filter.userId === undefined || one.userId === filter.userId) &&
          (filter.status === undefined || filter.status.includes(one.status!)) &&
          (!after || one.createdAt < after.createdAt || (one.createdAt === after.createdAt && one.id < after.id)),
      )
      return found.toSorted(newestFirst).slice(offset, offset + limit)
    },
    find: async (tenant: { organizationId: string | null }, id: string) => {
      const one = records.rows.get(id)
      return one && isOf(tenant, one) ? one : null
    },
    movedBetween: async (tenant: { organizationId: string | null }, from: number, to: number, limit: number) =>
      all()
        .filter((one) => isOf(tenant, one) && one.history.some(({ at }) => at >= from && at < to))
        .slice(0, limit),
    countByStatus: async () => ({}),
  }
}
