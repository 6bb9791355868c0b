import { dateOf } from '../../src/domain/calendar'
import type { Execution } from '../../src/domain/execution/execution'
import type { RequestLog, RequestNote } from '../../src/ports/request-log'
import type { UsageQueries, UsageRow } from '../../src/ports/usage'

/** What executions come to, asked as the real ones are. */
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
          amountInRaw: BigInt(deposit.amountRaw),
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

export function requestLogInMemory(): RequestLog {
  const notes: { keyId: string; request: RequestNote }[] = []
  return {
    note: (keyId, request) => void notes.push({ keyId, request }),
    ofKey: async (keyId) => notes.flatMap((note) => (note.keyId === keyId ? note.request : [])).toReversed(),
    async counts(keyIds, from, to) {
      const asked = notes.filter(({ keyId }) => keyIds === null || keyIds.includes(keyId))
      const byDay = Map.groupBy(asked, ({ keyId, request }) => `${keyId} ${dateOf(request.at)}`)
      return [...byDay].flatMap(([name, found]) => {
        const [keyId, date] = name.split(' ') as [string, string]
        const errors = found.filter(({ request }) => request.status >= 400).length
        return date >= from && date <= to ? { keyId, date, requests: found.length, errors } : []
      })
    },
    settle: async () => {},
  }
}
