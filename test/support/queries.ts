import { depositIdOfExecution, stageOf } from '../../src/domain/deposit/deposit-stage'
import { type MovedSighting, movedTo, type Sighting } from '../../src/domain/deposit/sighting'
import type { Unsupported } from '../../src/domain/deposit/unsupported'
import { providerFaults } from '../../src/domain/error'
import { deadlineOf, enteredAt } from '../../src/domain/execution/deadline'
import type { Execution } from '../../src/domain/execution/execution'
import { successorOf } from '../../src/domain/execution/lane'
import { emptyChain, type LinkedEntry, placeOf } from '../../src/domain/tenant/audit-chain'
import type {
  AuditQueries,
  DepositQueries,
  DepositRecord,
  ExecutionFilter,
  ExecutionQueries,
} from '../../src/ports/queries'
import type { Page, TenantScope } from '../../src/ports/records'
import { isLike, unsupportedShown } from './unsupported'

/** Whether only a routing provider delays the execution: it waits for one, or it will retry after one's failure. */
const waitsForProvider = ({ status, cause, facts: { waiting } }: Execution): boolean =>
  waiting ? waiting.for === 'PROVIDER' : status === 'FAILED' && cause !== null && providerFaults.includes(cause.code)

const dayMs = 86_400_000

type Kept<Row> = { all(): Row[] }

const isOf = ({ organizationId }: TenantScope, row: TenantScope) =>
  organizationId === null || row.organizationId === organizationId
export const isMatch = (asked: unknown, value: unknown) => asked === undefined || asked === value
const isWithin = (
  time: number,
  { createdFrom = 0, createdTo = Infinity }: { createdFrom?: number | undefined; createdTo?: number | undefined },
) => time >= createdFrom && time < createdTo

export function page<Row extends { id: string }>(
  rows: Row[],
  timeOf: (row: Row) => number,
  { limit, after, offset = 0, isOldestFirst = false }: Page,
) {
  const sign = isOldestFirst ? -1 : 1
  const isBehind = (row: Row) =>
    !after ||
    sign * (timeOf(row) - after.createdAt) < 0 ||
    (timeOf(row) === after.createdAt && row.id !== after.id && row.id < after.id === !isOldestFirst)
  const ordered = (a: Row, b: Row) => sign * (timeOf(b) - timeOf(a) || (a.id < b.id ? 1 : -1))
  return rows
    .filter(isBehind)
    .toSorted(ordered)
    .slice(offset, offset + limit)
}

const isSettledBy = (time = Infinity, { cause, completedAt }: Execution): boolean =>
  (cause?.at ?? 0) <= time && (completedAt ?? 0) <= time

const hashesOf = ({ deposit, facts: { transactions = [], dropped = [], spent, delivery } }: Execution) => [
  deposit.txHash,
  ...[...dropped, ...transactions].map(({ hash }) => hash),
  spent?.hash,
  delivery?.hash,
]

/**
 * Queries on a list of executions, with the interface of the real store. A hash that a record dropped is not found here
 * either.
 */
export function executionQueriesOn(executions: Kept<Execution>): ExecutionQueries {
  const matching = (filter: ExecutionFilter) =>
    executions
      .all()
      .filter(
        (row) =>
          row.createdAt !== null &&
          isOf(filter, row) &&
          isMatch(filter.userId, row.userId) &&
          (filter.txHash === undefined || hashesOf(row).includes(filter.txHash.toLowerCase() as never)) &&
          isLike(filter.hashPart, hashesOf(row)) &&
          isMatch(filter.depositAddress, row.deposit.account) &&
          isMatch(filter.targetAddress, row.facts.intent?.targetAddress) &&
          isMatch(filter.routeId, row.facts.routeId) &&
          isMatch(filter.depositId, depositIdOfExecution(row.id)) &&
          (filter.status === undefined || (row.status !== null && filter.status.includes(row.status))) &&
          isMatch(filter.fromChainId, row.deposit.chainId) &&
          isMatch(filter.toChainId, row.facts.intent?.targetChainId) &&
          isMatch(filter.fromTokenAddress, row.deposit.token) &&
          isMatch(filter.fromTokenSymbol, row.deposit.symbol) &&
          (filter.amountsRaw === undefined || filter.amountsRaw.includes(row.deposit.amountRaw)) &&
          isMatch(filter.provider, row.facts.route?.provider) &&
          isMatch(filter.causeCode, row.cause?.code) &&
          isMatch(filter.apiKeyId, row.facts.intent?.apiKeyId) &&
          isMatch(filter.superseded, successorOf(row) !== null) &&
          (filter.completedFrom === undefined || (row.completedAt ?? -1) >= filter.completedFrom) &&
          isSettledBy(filter.settledTo, row) &&
          isWithin(row.createdAt, filter),
      )
  const byOf = (row: Execution) => deadlineOf(row)?.by ?? Number.POSITIVE_INFINITY
  const late = (now: number, isMatch: (row: Execution) => boolean = () => true) =>
    executions
      .all()
      .filter((row) => byOf(row) < now && isMatch(row))
      .toSorted((a, b) => byOf(a) - byOf(b))
  return {
    list: async (filter, wanted) => page(matching(filter), ({ createdAt }) => createdAt!, wanted),
    count: async (filter, most) => Math.min(matching(filter).length, most),
    async countByState(tenant, now) {
      const groups = Map.groupBy(
        executions.all().filter((row) => isOf(tenant, row)),
        ({ state, status }) => `${state} ${status}`,
      )
      return [...groups.values()].map((rows) => ({
        state: rows[0]!.state,
        status: rows[0]!.status,
        count: rows.length,
        superseded: rows.filter(successorOf).length,
        unlisted: rows.filter(({ status, redriveOf, refundOf }) => status === null && (redriveOf ?? refundOf) !== null)
          .length,
        forProvider: rows.filter((row) => row.completedAt === null && waitsForProvider(row)).length,
        oldestAt: Math.min(...rows.map(({ deposit }) => deposit.detectedAt)),
        enteredAt: rows[0]!.completedAt === null ? Math.min(...rows.map(enteredAt)) : null,
        overdue: rows.filter((row) => byOf(row) < now).length,
        endedLastDay: rows.filter(({ completedAt }) => completedAt !== null && completedAt >= now - dayMs).length,
      }))
    },
    inState: async (tenant, state, limit) =>
      executions
        .all()
        .filter((row) => row.state === state && row.completedAt === null && isOf(tenant, row))
        .toSorted((a, b) => a.deposit.detectedAt - b.deposit.detectedAt || (a.id < b.id ? -1 : 1))
        .slice(0, limit),
    find: async (tenant, id) => executions.all().find((row) => row.id === id && isOf(tenant, row)) ?? null,
    async findAll(ids) {
      const wanted = new Set(ids)
      return executions.all().filter(({ id }) => wanted.has(id))
    },
    overdue: async (tenant, now, limit) => late(now, (row) => isOf(tenant, row)).slice(0, limit),
    countOverdue: async (now, most) =>
      [
        ...Map.groupBy(late(now).slice(0, most), (row) => `${deadlineOf(row)!.kind} ${row.deposit.chainId}`).values(),
      ].map((rows) => ({
        kind: deadlineOf(rows[0]!)!.kind,
        chainId: rows[0]!.deposit.chainId,
        count: rows.length,
      })),
    async countByStatus(tenant) {
      const shown = executions.all().filter((row) => row.createdAt !== null && isOf(tenant, row))
      return Object.fromEntries(
        Map.groupBy(shown, ({ status }) => status!)
          .entries()
          .map(([name, rows]) => [name, rows.length]),
      )
    },
  }
}

type Intended = { id: string; targetAddress: string; refundAddress: string | null }

/** @param intents Only the current version of each intent is known here. */
export function depositQueriesOn(
  executions: Kept<Execution>,
  sightings: Kept<Sighting>,
  intents: Kept<Intended>,
  unsupported: Kept<Unsupported> = { all: () => [] },
): DepositQueries {
  const onNoList = unsupportedShown(executions, unsupported)
  const isPaidTo = (account: string, target: string | undefined) =>
    target === undefined ||
    intents.all().some((one) => one.id === account && [one.targetAddress, one.refundAddress].includes(target))
  const newestOf = (execution: Execution, byId: Map<string, Execution>): Execution => {
    const next = execution.redrivenBy && byId.get(execution.redrivenBy)
    return next ? newestOf(next, byId) : execution
  }
  const confirmed = (execution: Execution, byId: Map<string, Execution>): DepositRecord => ({
    id: execution.id,
    detectedAt: execution.deposit.detectedAt,
    stage: stageOf(execution),
    sighting: null,
    execution,
    newest: newestOf(execution, byId),
  })
  const seen = (sighting: MovedSighting): DepositRecord => ({
    id: sighting.id,
    detectedAt: sighting.detectedAt,
    stage: sighting.stage === 'ORPHANED' ? 'ORPHANED' : 'CONFIRMING',
    sighting,
    execution: null,
    newest: null,
  })
  const moved = (one: Sighting): MovedSighting => {
    const records = [
      ...executions.all().map(({ id, deposit }) => ({ ...deposit, id })),
      ...sightings.all().filter(({ stage }) => stage !== 'ORPHANED'),
    ]
    return one.stage === 'ORPHANED' ? { ...one, movedTo: movedTo(one, records) } : one
  }
  const all = (tenant: TenantScope): DepositRecord[] => {
    const byId = new Map(executions.all().map((execution) => [execution.id, execution]))
    return [
      ...[...byId.values()]
        .filter((row) => row.redriveOf === null && isOf(tenant, row))
        .map((row) => confirmed(row, byId)),
      ...sightings
        .all()
        .filter((row) => !byId.has(row.id) && isOf(tenant, row))
        .map((row) => seen(moved(row))),
    ]
  }
  return {
    async list(filter, wanted) {
      const found = [...all(filter), ...onNoList.list(filter).filter((one) => isOf(filter, one.sighting!))]
      const rows = found.filter((found) => {
        const { userId } = found.execution ?? found.sighting
        const { account, chainId, token, txHash, amountRaw } = found.execution?.deposit ?? found.sighting!
        return (
          (found.execution !== null || found.sighting.stage !== 'CONFIRMED') &&
          (filter.stage === undefined || filter.stage.includes(found.stage)) &&
          isMatch(filter.userId, userId) &&
          (found.stage === 'UNSUPPORTED' ||
            isMatch(filter.txHash?.toLowerCase(), txHash) ||
            (found.execution?.deposit.paidIn ?? []).some((hash) => hash === filter.txHash?.toLowerCase())) &&
          isMatch(filter.depositAddress, account) &&
          (filter.fromAddress === undefined || sendersOf(found).includes(filter.fromAddress)) &&
          isPaidTo(account, filter.targetAddress) &&
          isMatch(filter.fromChainId, chainId) &&
          isMatch(filter.fromTokenAddress, token) &&
          (filter.amountsRaw === undefined || filter.amountsRaw.includes(amountRaw)) &&
          (found.stage === 'UNSUPPORTED' ||
            isLike(filter.hashPart, found.execution ? hashesOf(found.execution) : [txHash])) &&
          isWithin(found.detectedAt, filter)
        )
      })
      return page(rows, ({ detectedAt }) => detectedAt, wanted)
    },
    async find(tenant, id) {
      const onNone = onNoList.find(id)
      const others = onNone && isOf(tenant, onNone.sighting!) ? onNone : null
      return all(tenant).find((found) => found.id === id) ?? others
    },
  }
}

const sendersOf = ({ execution, sighting }: DepositRecord) =>
  execution ? [execution.deposit.fromAddress, ...(execution.deposit.senders ?? [])] : [sighting!.fromAddress]

export const auditQueriesOn = (entries: LinkedEntry[]): AuditQueries => ({
  async list(filter, wanted) {
    const rows = entries.filter(
      (entry) =>
        isOf(filter, entry) &&
        isMatch(filter.verb, entry.verb) &&
        isMatch(filter.target, entry.target) &&
        isMatch(filter.actorId, entry.actor.id) &&
        isWithin(entry.at, filter),
    )
    const placed = rows.map((entry) => ({ id: placeOf(entry), entry }))
    return page(placed, ({ entry }) => entry.at, wanted).map(({ entry }) => entry)
  },
  async head(organizationId) {
    const last = entries.findLast((entry) => entry.organizationId === organizationId)
    return last ? { seq: last.seq, hash: last.hash } : emptyChain(organizationId)
  },
  chain: async (organizationId, after, limit) =>
    entries.filter((entry) => entry.organizationId === organizationId && entry.seq > after).slice(0, limit),
  names: async () => [],
  isWhole: async (organizationId) =>
    entries.every((entry) => !isOf({ organizationId }, entry) || typeof entry.seq === 'number'),
  async nextChain(after) {
    const ids = entries.map(({ organizationId }) => organizationId).filter((id) => id > after)
    return ids.toSorted()[0] ?? null
  },
})
