import { statementCounts } from '../../../domain/money/statement'
import { csvOf } from '../../../domain/plain-text'
import type { StatementView } from '../../../http/statements/views'
import { capital, grouped } from '../../data/format'

export type Statement = typeof StatementView.infer
export type StatementRow = Statement['rows'][number]

/** Sums of rows of any tokens. A value is null while none of the deliveries or refunds has a price. */
export type Sums = {
  deposits: number
  deliveries: number
  unpriced: number
  usdCents: bigint | null
  refunds: number
  unpricedRefunds: number
  refundedCents: bigint | null
}

const centsOf = (usd: string): bigint => BigInt(usd.replace('.', ''))

type CountName = 'deposits' | 'deliveries' | 'unpricedDeliveries' | 'refunds' | 'unpricedRefunds'
export function sumsOf(rows: readonly StatementRow[]): Sums {
  const add = (field: CountName) => rows.reduce((sum, row) => sum + row[field], 0)
  const value = (field: 'deliveredUsd' | 'refundedUsd', count: number, unpriced: number): bigint | null => {
    const priced = rows.flatMap((row) => (row[field] === null ? [] : [centsOf(row[field])]))
    return count > 0 && unpriced === count ? null : priced.reduce((sum, cents) => sum + cents, 0n)
  }
  const [deliveries, unpriced] = [add('deliveries'), add('unpricedDeliveries')]
  const [refunds, unpricedRefunds] = [add('refunds'), add('unpricedRefunds')]
  return {
    ...{ deposits: add('deposits'), deliveries, unpriced, refunds, unpricedRefunds },
    usdCents: value('deliveredUsd', deliveries, unpriced),
    refundedCents: value('refundedUsd', refunds, unpricedRefunds),
  }
}

/** The values, with their decimals, and what is valued. */
const valued = [
  ['deliveredUsd', 2, 'deliveries', 'unpricedDeliveries'],
  ['refundedUsd', 2, 'refunds', 'unpricedRefunds'],
  ['volumeUsd', 2, 'departures', 'unpricedDepartures'],
  ['protocolFeeUsd', 6, 'charges', 'unpricedCharges'],
  ['gasFeeUsd', 6, 'charges', 'unpricedCharges'],
] as const

/** Adds up some rows, as the statement adds up all. */
export function totalsOf(rows: readonly StatementRow[]): Statement['totals'] {
  const count = (name: (typeof statementCounts)[number]) => rows.reduce((sum, row) => sum + row[name], 0)
  const values = valued.map(([name, decimals, of, unpriced]) => {
    const sum = rows.reduce((all, row) => all + (row[name] === null ? 0n : centsOf(row[name])), 0n)
    const isUnknown = count(of) > 0 && count(of) === count(unpriced)
    const unit = 10n ** BigInt(decimals)
    return [name, isUnknown ? null : `${sum / unit}.${String(sum % unit).padStart(decimals, '0')}`]
  })
  return Object.fromEntries([...statementCounts.map((name) => [name, count(name)]), ...values]) as Statement['totals']
}

/** Formats a value in USD with all its decimals, at least two: `$0.0012`. Values shown like this add up exactly. */
export function exactUsd(usd: string | null): string {
  if (usd === null) return 'unknown'
  const [whole, fraction = ''] = usd.split('.')
  return `$${grouped(whole!)}.${fraction.replace(/0+$/, '').padEnd(2, '0')}`
}

/** Returns the rows as the API exports them. */
export function csvOfStatement({ month, isFinal, asOf, rows }: Statement): string {
  const table = rows.map((row) => ({ month, isFinal, asOf, ...row }))
  return `${csvOf([Object.keys(table[0] ?? {}), ...table.map(Object.values)])}\r\n`
}

const deposits = (count: number, period: string): string =>
  count === 1 ? `1 deposit of ${period} has` : `${grouped(count)} deposits of ${period} have`

/** What a period of days or of a month is called in a sentence. */
const periodWord = (month: string): string => (month.includes('/') ? 'this period' : 'this month')

/** Whether a month's figures can still change, in words. `asOf` is the end of the time that they cover. */
export function closingWords(statement: Statement, asOf: string): string {
  const { isFinal, isClosed, unfinishedDeposits: open } = statement
  const period = periodWord(statement.month)
  const head = capital(period)
  if (isClosed) return `${head} is closed: its figures no longer change, and each of its deposits has ended.`
  if (isFinal)
    return (
      `${head} is not closed: ${deposits(open, period)} not ended. Its own figures no longer change; fees, ` +
      'deliveries and refunds that follow count when they happen.'
    )
  const unfinished = open === 0 ? '' : ` ${deposits(open, period)} not ended.`
  return `${head} is not closed. The figures are those of ${asOf}, and they can still change.${unfinished}`
}

/** The rows of each chain with their sums, in the order of the statement. The sums add up to the totals to the cent. */
export const byChain = (rows: readonly StatementRow[]): { chainKey: string; rows: StatementRow[]; sums: Sums }[] =>
  [...Map.groupBy(rows, ({ chainKey }) => chainKey)].map(([chainKey, group]) => ({
    chainKey,
    rows: group,
    sums: sumsOf(group),
  }))

/** Returns the months to choose from, the current one first, in UTC. */
export function monthsUntil(now: number, count: number): string[] {
  const today = new Date(now)
  return Array.from({ length: count }, (_, n) =>
    new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() - n, 1)).toISOString().slice(0, 7),
  )
}

const dayName = (day: string): string =>
  new Date(`${day}T12:00:00Z`).toLocaleDateString('en-GB', { dateStyle: 'medium', timeZone: 'UTC' })

/** Names a month, or days as `2026-11-03/2026-11-09`. */
export const periodName = (month: string): string =>
  month.includes('/') ? month.split('/').map(dayName).join(' to ') : monthName(month)

export const monthName = (month: string): string =>
  new Date(`${month}-15T12:00:00Z`).toLocaleDateString('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' })
