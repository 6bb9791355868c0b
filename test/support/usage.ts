import { dateOf } from '../../src/domain/calendar'
import { depositIdOfExecution } from '../../src/domain/deposit/deposit-stage'
import type { Execution } from '../../src/domain/execution/execution'
import { arrivedRawOf } from '../../src/domain/money/amount'
import { positionOfRequest } from '../../src/http/dashboard/keys'
import type {
  LedgerQueries,
  RequestCount,
  RequestLog,
  RequestNote,
  UsageQueries,
  UsageRow,
} from '../../src/ports/limits'
import type { PagePosition } from '../../src/ports/records'
import { isMatch, page } from './queries'

/** Usage of the given executions, with the interface of the real store. */
export function usageOn(executions: { all(): Execution[] }): UsageQueries {
  const keyOf = ({ facts }: Execution): string | null => facts.intent?.apiKeyId ?? null
  const among = (organizationId: string | null, apiKeyId?: string) =>
    executions
      .all()
      .filter((row) => organizationId === null || row.organizationId === organizationId)
      .filter((row) => apiKeyId === undefined || keyOf(row) === apiKeyId)
  const isWithin = (at: number, from: string, to: string) => dateOf(at) >= from && dateOf(at) <= to
  return {
    async rows(organizationId, from, to, apiKeyId) {
      const begun = among(organizationId, apiKeyId).filter(
        ({ createdAt }) => createdAt !== null && isWithin(createdAt, from, to),
      )
      return begun.map((row): UsageRow => {
        const { deposit, facts, completedAt } = row
        return {
          date: dateOf(row.createdAt!),
          apiKeyId: keyOf(row),
          fromChainId: deposit.chainId,
          toChainId: facts.intent?.targetChainId ?? null,
          token: deposit.token,
          status: row.status!,
          count: 1,
          amountInRaw: arrivedRawOf(row),
          protocolFeeRaw: BigInt(facts.fees?.protocolFeeEffective ?? 0),
          protocolFeeForgivenRaw: BigInt(facts.fees?.protocolFeeForgiven ?? 0),
          gasFeeRaw: BigInt(facts.fees?.gasFeeRaw ?? 0),
          sponsoredMicroUsd: BigInt(facts.sponsoredMicroUsd ?? 0),
          secondsToSuccess: row.status === 'SUCCESS' ? Math.round((completedAt! - deposit.detectedAt) / 1_000) : 0,
        }
      })
    },
    async deposits(organizationId, from, to, apiKeyId) {
      return among(organizationId, apiKeyId)
        .filter(({ redriveOf, refundOf }) => redriveOf === null && refundOf === null)
        .filter(({ deposit }) => isWithin(deposit.detectedAt, from, to))
        .map((row) => ({ date: dateOf(row.deposit.detectedAt), apiKeyId: keyOf(row), count: 1 }))
    },
  }
}

/** Every record, as the real one streams them, and its deposits in pages. */
export const ledgerOn = (executions: { all(): Execution[] }): LedgerQueries => ({
  async lines({ organizationId, createdFrom = 0, createdTo = Infinity, ...filter }, asked) {
    const firsts = executions
      .all()
      .filter(
        ({ redriveOf, deposit, ...row }) =>
          redriveOf === null &&
          (organizationId === null || row.organizationId === organizationId) &&
          isMatch(filter.userId, row.userId) &&
          isMatch(filter.depositAddress, deposit.account) &&
          isMatch(filter.fromChainId, deposit.chainId) &&
          isMatch(filter.fromTokenAddress, deposit.token) &&
          deposit.detectedAt >= createdFrom &&
          deposit.detectedAt < createdTo,
      )
    return page(firsts, ({ deposit }) => deposit.detectedAt, asked).map((first) => ({
      first,
      records: executions.all().filter(({ id }) => depositIdOfExecution(id) === first.id),
    }))
  },
  async *records(organizationId, before) {
    for (const record of executions.all())
      if (record.organizationId === organizationId && record.deposit.detectedAt < before) yield record
  },
})

const keptMax = 100

/** Newest first. */
const byPosition = (a: PagePosition, b: PagePosition): number =>
  b.createdAt - a.createdAt || (a.id === b.id ? 0 : a.id < b.id ? 1 : -1)

/** Counts requests by day and keeps the newest, like the real log. A query costs no more after a million requests. */
export function requestLogInMemory(): RequestLog {
  const newest = new Map<string, RequestNote[]>()
  const days = new Map<string, RequestCount>()
  return {
    note(keyId, request) {
      newest.set(keyId, [...(newest.get(keyId) ?? []), request].slice(-keptMax))
      const date = dateOf(request.at)
      const { requests, errors } = days.get(`${keyId} ${date}`) ?? { requests: 0, errors: 0 }
      const isError = request.status >= 400
      days.set(`${keyId} ${date}`, { keyId, date, requests: requests + 1, errors: errors + (isError ? 1 : 0) })
    },
    list: async ({ keyIds, areRefused }, { limit, after }) =>
      keyIds
        .flatMap((keyId) => (newest.get(keyId) ?? []).map((request) => ({ ...request, keyId })))
        .filter(({ status }) => !areRefused || status >= 400)
        .filter((row) => !after || byPosition(after, positionOfRequest(row)) < 0)
        .toSorted((a, b) => byPosition(positionOfRequest(a), positionOfRequest(b)))
        .slice(0, limit),
    counts: async (keyIds, from, to) =>
      [...days.values()].filter(
        ({ keyId, date }) => (keyIds === null || keyIds.includes(keyId)) && date >= from && date <= to,
      ),
    settle: async () => {},
  }
}
