import type { StatementView } from '../../../http/statements/views'

export type Statement = typeof StatementView.infer
export type StatementRow = Statement['rows'][number]

/** Sums of rows of any tokens. `usdCents` is null while no delivery has a price. */
export type Sums = { deposits: number; deliveries: number; unpriced: number; usdCents: bigint | null }

const centsOf = (usd: string): bigint => BigInt(usd.replace('.', ''))

export function sumsOf(rows: readonly StatementRow[]): Sums {
  const add = (field: 'deposits' | 'deliveries' | 'unpricedDeliveries') =>
    rows.reduce((sum, row) => sum + row[field], 0)
  const priced = rows.flatMap(({ deliveredUsd }) => (deliveredUsd === null ? [] : [centsOf(deliveredUsd)]))
  const [deliveries, unpriced] = [add('deliveries'), add('unpricedDeliveries')]
  const isUnknown = deliveries > 0 && unpriced === deliveries
  return {
    ...{ deposits: add('deposits'), deliveries, unpriced },
    usdCents: isUnknown ? null : priced.reduce((sum, cents) => sum + cents, 0n),
  }
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

export const monthName = (month: string): string =>
  new Date(`${month}-15T12:00:00Z`).toLocaleDateString('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' })
