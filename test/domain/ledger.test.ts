import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { entryFaults, faultsOf } from '../../src/audit/invariants'
import { monthOf } from '../../src/domain/calendar'
import type { Execution } from '../../src/domain/execution/execution'
import { laneLedger } from '../../src/domain/execution/lane'
import { entriesOf } from '../../src/domain/money/ledger'
import { statementOf } from '../../src/domain/money/statement'
import { executionOf } from '../support/deposits'
import { history } from '../support/ledger-histories'

type Period = Record<'openingRaw' | 'receivedRaw' | 'returnedRaw' | 'correctedRaw', bigint> &
  Record<'protocolFeeRaw' | 'gasFeeRaw' | 'routedRaw' | 'closingRaw', bigint>

/** The opening balance and everything received equal everything paid out and the closing balance. */
function periodFaults(row: Period): string[] {
  const into = row.openingRaw + row.receivedRaw + row.returnedRaw + row.correctedRaw
  const out = row.protocolFeeRaw + row.gasFeeRaw + row.routedRaw + row.closingRaw
  return faultsOf([into === out, `${into} came in, and ${out} went out or is left.`])
}

const november = Date.UTC(2026, 10, 1)
const monthsBetween = Array.from({ length: 12 }, (_, n) => monthOf(november, n - 3))

const statement = (records: readonly Execution[], from: number, to: number) => {
  const sums = statementOf({ from, to })
  for (const record of records) sums.add(record)
  return sums.sums().rows
}
const lines = (records: readonly Execution[]) => [
  ...Map.groupBy(records, ({ id }) => id.replace(/:r\d+$/, '')).values(),
]
const check = (holds: (records: Execution[]) => void): void =>
  fc.assert(fc.property(history(november), holds), { numRuns: 300 })

test('the postings of every entry add up to zero', () =>
  check((records) => {
    expect(
      lines(records)
        .flatMap(entriesOf)
        .flatMap(({ postings }) => entryFaults(postings)),
    ).toEqual([])
  }))

test('opening balance and movements make the closing balance, which opens the next month', () =>
  check((records) => {
    const closed = new Map<string, bigint>()
    for (const [n, from] of monthsBetween.slice(0, -1).entries()) {
      for (const row of statement(records, from, monthsBetween[n + 1]!)) {
        const name = `${row.chainId}:${row.token}`
        expect(periodFaults(row)).toEqual([])
        expect(row.openingRaw).toBe(closed.get(name) ?? 0n)
        closed.set(name, row.closingRaw)
      }
    }
  }))

test('months add up to the whole time, in atomic units and in USD', () =>
  check((records) => {
    const whole = statement(records, monthsBetween[0]!, monthsBetween.at(-1)!)
    const parts = monthsBetween.slice(0, -1).flatMap((from, n) => statement(records, from, monthsBetween[n + 1]!))
    const summed = ['receivedRaw', 'returnedRaw', 'correctedRaw', 'protocolFeeRaw', 'gasFeeRaw', 'routedRaw'] as const
    const arrived = ['deliveredRaw', 'refundedRaw', 'deliveredUsdCents', 'refundedUsdCents', 'volumeUsdCents'] as const
    const counted = [...arrived, 'protocolFeeMicroUsd', 'gasFeeMicroUsd'] as const
    for (const row of whole)
      for (const field of [...summed, ...counted]) {
        const own = parts.filter(({ chainId, token }) => chainId === row.chainId && token === row.token)
        expect([field, own.reduce((sum, part) => sum + part[field], 0n)]).toEqual([field, row[field]])
      }
  }))

test('the closing balance equals what the lanes’ ledgers expect in the accounts', () =>
  check((records) => {
    const end = monthsBetween.at(-1)!
    for (const row of statement(records, monthsBetween[0]!, end)) {
      const own = records.filter(({ deposit }) => deposit.chainId === row.chainId && deposit.token === row.token)
      const book = laneLedger(own, Number.MAX_SAFE_INTEGER)
      expect(row.closingRaw).toBe(own.length === 0 ? 0n : book.broughtRaw - book.spentRaw)
    }
  }))

test('nothing that happens after a month changes its statement', () =>
  check((records) => {
    for (const to of monthsBetween.slice(1)) {
      const then = records.filter(({ deposit }) => deposit.detectedAt < to).map((record) => asOf(record, to))
      const there = then.filter(({ redriveOf, history }) => redriveOf === null || history[0]!.at < to)
      const undriven = there.map((record) => ({
        ...record,
        redrivenBy: there.some(({ redriveOf }) => redriveOf === record.id) ? record.redrivenBy : null,
      }))
      expect(statement(undriven, monthOf(to, -1), to)).toEqual(statement(records, monthOf(to, -1), to))
    }
  }))

/** A record as it was at a time. */
function asOf(record: Execution, to: number): Execution {
  const { spent, delivery, ...facts } = record.facts
  const hasLeft = spent !== undefined && spent.at < to
  const hasEnded = record.completedAt !== null && record.completedAt < to
  return {
    ...record,
    createdAt: record.createdAt !== null && record.createdAt < to ? record.createdAt : null,
    status: hasEnded ? record.status : 'RUNNING',
    completedAt: hasEnded ? record.completedAt : null,
    facts: { ...facts, ...(hasLeft && { spent }), ...(hasEnded && delivery && { delivery }) },
  }
}

test('a re-drive that its first execution does not name yet counts its money once', () =>
  check((records) => {
    const [from, to] = [monthsBetween[0]!, monthsBetween.at(-1)!]
    const unnamed = records.map((record) => ({ ...record, redrivenBy: null }))
    const received = (all: Execution[]) =>
      statement(all, from, to).map(({ receivedRaw, routedRaw }) => [receivedRaw, routedRaw])
    expect(received(unnamed)).toEqual(received(records))
  }))

test('a delivery without a price is counted as unpriced, and has no value', () => {
  const at = november + 1_000
  const delivery = { hash: '0x1', chainId: 42161, token: '0xaf', amountRaw: '990', block: 1 } as const
  const spent = { hash: '0x2', block: 1, amountRaw: '1000', at } as const
  const ended = { status: 'SUCCESS', state: 'SUCCESS', completedAt: at, createdAt: at } as const
  const priced = (n: number, valueUsd?: string) =>
    executionOf(
      n,
      { ...ended, facts: { spent, delivery: { ...delivery, ...(valueUsd && { valueUsd }) } } },
      { detectedAt: november },
    )
  const records = [priced(1), priced(2, '1004999'), priced(3, '1005000000')]
  const rows = statement(records, november, monthOf(november, 1))
  expect(rows.find(({ chainId }) => chainId === 42161)).toMatchObject({
    deliveries: 3,
    unpricedDeliveries: 1,
    deliveredUsdCents: 1_006n,
    deliveredRaw: 2_970n,
  })
})

test('fees and refunds are valued at their own time, and one without a price is counted as unpriced', () => {
  const at = november + 1_000
  const { chainId, token } = executionOf(1).deposit
  const delivery = { hash: '0x1', chainId, token, amountRaw: '890', block: 1 } as const
  const spent = { hash: '0x2', block: 1, amountRaw: '1000', at } as const
  const charged = { protocolFeeEffective: '100', gasFeeRaw: '10' }
  const ended = { status: 'SUCCESS', state: 'SUCCESS', completedAt: at, createdAt: at } as const
  const of = (n: number, facts: object, more: Partial<Execution> = {}) =>
    executionOf(n, { ...ended, facts: { spent, delivery, ...facts }, ...more } as Execution, { detectedAt: november })
  const refund = {
    ...{ protocolFeeBps: 0, refundAddress: '0x9', targetAddress: '0x9' },
    ...{ targetChainId: chainId, targetTokenAddress: token },
  }
  const givenBack = (n: number, more: object = {}) =>
    of(n, { intent: refund, delivery: { ...delivery, ...more } }, { redriveOf: `first ${n}` })
  const records = [
    of(1, { fees: charged }),
    of(2, { fees: charged, spent: { ...spent, feesUsd: { protocolFee: '149', gasFee: '49' } } }),
    of(3, { fees: charged, spent: { ...spent, feesUsd: { protocolFee: '25000050', gasFee: '150' } } }),
    of(4, { fees: { protocolFeeEffective: '0', gasFeeRaw: '0' } }),
    givenBack(5),
    givenBack(6, { valueUsd: '24985000' }),
  ]
  expect(statement(records, november, monthOf(november, 1))).toMatchObject([
    {
      ...{ charges: 3, unpricedCharges: 1, protocolFeeRaw: 300n, protocolFeeMicroUsd: 250_002n, gasFeeMicroUsd: 2n },
      ...{ deliveries: 4, unpricedDeliveries: 4 },
      ...{ refunds: 2, unpricedRefunds: 1, refundedRaw: 1_780n, refundedUsdCents: 25n },
    },
  ])
})
