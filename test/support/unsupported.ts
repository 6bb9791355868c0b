import { includesUnsupported } from '../../src/domain/deposit/deposit-stage'
import { othersIdIn, type Unsupported, unsupportedDepositOf } from '../../src/domain/deposit/unsupported'
import { depositIdOf, type Execution } from '../../src/domain/execution/execution'
import { laneId } from '../../src/domain/execution/lane'
import type { OfLane, UnsupportedDeposits } from '../../src/ports/detection'
import type { DepositFilter, DepositRecord } from '../../src/ports/queries'
import { recordsOf } from './records'

type Kept<Row> = { all(): Row[] }

export const isLike = (part: DepositFilter['hashPart'], hashes: readonly (string | null | undefined)[]): boolean =>
  part === undefined || hashes.some((hash) => hash?.startsWith(part.begin) && hash.endsWith(part.end))

export const routedOn = (executions: Kept<Execution>) => (records: readonly OfLane[]) =>
  records.map(({ account, chainId, token, newest }) => {
    const rows = executions.all()
    const finds = rows.filter(
      ({ deposit, redriveOf }) =>
        deposit.lane === laneId(account, chainId, token) && deposit.txHash === null && redriveOf === null,
    )
    const last = finds.toSorted((a, b) => b.deposit.block - a.deposit.block)[0]
    const ids = newest.map(({ txHash, logIndex }) => depositIdOf(chainId, txHash, logIndex))
    const recorded = new Set(rows.map(({ id }) => id).filter((id) => ids.includes(id)))
    const isShown = (last?.createdAt ?? null) !== null
    return { sweptTo: last?.deposit.block ?? -1, executionId: last?.id ?? null, isShown, recorded }
  })

export function unsupportedInMemory(executions: Kept<Execution>, ...records: Unsupported[]) {
  const kept = recordsOf<Unsupported>('unsupported', ...records)
  const asked = { saves: 0 }
  const port: UnsupportedDeposits = {
    load: kept.load,
    async save(record) {
      asked.saves++
      return kept.save(record)
    },
    routedOf: async (of) => routedOn(executions)(of),
    countOf: async (account, chainId, most) =>
      kept
        .all()
        .filter((one) => one.account === account && one.chainId === chainId)
        .slice(0, most).length,
    due: async (chainId, now, limit) =>
      kept
        .all()
        .filter((one) => one.chainId === chainId && one.dueAt !== null && one.dueAt <= now)
        .toSorted((a, b) => a.dueAt! - b.dueAt!)
        .slice(0, limit),
    unjudged: async (chainId, now, limit) =>
      kept
        .all()
        .filter((one) => one.chainId === chainId && one.judgeAt !== null && one.judgeAt <= now)
        .toSorted((a, b) => a.judgeAt! - b.judgeAt!)
        .slice(0, limit),
    pointedAt: async (chainId, block, limit) =>
      kept
        .all()
        .filter((one) => one.chainId === chainId && one.pointedFrom !== null && one.pointedFrom <= block)
        .toSorted((a, b) => a.pointedFrom! - b.pointedFrom!)
        .slice(0, limit),
  }
  return { ...kept, ...port, asked }
}

/**
 * Returns the unsupported deposits that match a filter, as a list shows them. The caller applies the filter's other
 * fields.
 */
export function unsupportedShown(executions: Kept<Execution>, records: Kept<Unsupported>) {
  const shown = (record: Unsupported, token?: DepositFilter['fromTokenAddress']): DepositRecord => {
    const sighting = unsupportedDepositOf(record, routedOn(executions)([record])[0]!, token)
    const { id, detectedAt, stage } = sighting
    return { id, detectedAt, stage, sighting, execution: null, newest: null }
  }
  const isAmong = (record: Unsupported, token = '') =>
    record.others?.some((each) => each === token.toLowerCase()) ?? false
  return {
    list: (filter: DepositFilter): DepositRecord[] =>
      !includesUnsupported(filter)
        ? []
        : records.all().flatMap((record) => {
            const { txHash, hashPart, fromTokenAddress } = filter
            const hashes = record.newest.map((one) => one.txHash)
            if (!isLike(hashPart, hashes)) return []
            if (txHash && !hashes.some((hash) => hash === txHash.toLowerCase())) return []
            if (fromTokenAddress && record.others !== null)
              return isAmong(record, fromTokenAddress) ? [shown(record, fromTokenAddress)] : []
            const found = shown(record)
            const { count } = found.sighting as { count: number }
            return count > 0 || record.others !== null || txHash || hashPart ? [found] : []
          }),
    find(id: string): DepositRecord | null {
      const own = records.all().find((record) => record.id === id)
      if (own) return shown(own)
      const other = othersIdIn(id)
      const shared = records.all().find((record) => record.id === other?.othersId)
      return shared && isAmong(shared, other?.token) ? shown(shared, other!.token) : null
    },
  }
}
