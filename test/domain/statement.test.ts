import { expect, test } from 'bun:test'
import type { Execution } from '../../src/domain/execution/execution'
import { entriesOf, openRawOf } from '../../src/domain/money/ledger'
import { centsOf, microUsdOf, statementOf } from '../../src/domain/money/statement'
import { addressOf, executionOf, hashOf, token } from '../support/deposits'
import { intent } from '../support/world'

const [from, to] = [1_000, 2_000]
const fees = { protocolFeeEffective: '100', gasFeeRaw: '10' }
const spentAt = (at: number, amountRaw = '1000') => ({ hash: hashOf(9), block: 2, amountRaw, at })
const delivery = { hash: hashOf(8), chainId: 42161, token: addressOf(0x71), amountRaw: '880', block: 3 } as const
const done = { status: 'SUCCESS', state: 'SUCCESS' } as const
type Changed = Omit<Partial<Execution>, 'facts'> & { facts?: object }
const of = (
  n: number,
  detectedAt: number,
  { facts = {}, ...changed }: Changed = {},
  chainId: 1 | 8453 = 8453,
): Execution => executionOf(n, { ...changed, facts: facts as Execution['facts'] }, { detectedAt, chainId })
const sumsOf = (records: readonly Execution[], apiKeyId?: string) => {
  const statement = statementOf({ from, to, apiKeyId })
  for (const record of records) statement.add(record)
  return statement.sums()
}

test('a period begins with its first instant and ends before its last', () => {
  const rows = (detectedAt: number) => sumsOf([of(1, detectedAt)]).rows
  expect(rows(999)).toMatchObject([{ openingRaw: 1_000n, receivedRaw: 0n, closingRaw: 1_000n, deposits: 0 }])
  expect(rows(1_000)).toMatchObject([{ openingRaw: 0n, receivedRaw: 1_000n, closingRaw: 1_000n, deposits: 1 }])
  expect(rows(1_999)).toMatchObject([{ receivedRaw: 1_000n, inProgressRaw: 1_000n, symbol: 'USDC', decimals: 6 }])
  expect(rows(2_000)).toEqual([])
})

test('a routed deposit is received, charged, routed and delivered, each on its chain', () => {
  const facts = {
    fees,
    spent: { ...spentAt(1_500), valueUsd: '100500000' },
    delivery: { ...delivery, valueUsd: '88000000' },
  }
  const { rows, unfinishedDeposits, unmatchedDeposits } = sumsOf([of(1, from, { ...done, completedAt: 1_600, facts })])
  expect(rows).toMatchObject([
    {
      ...{ chainId: 8453, token, openingRaw: 0n, receivedRaw: 1_000n, returnedRaw: 0n, correctedRaw: 0n },
      ...{ protocolFeeRaw: 100n, gasFeeRaw: 10n, routedRaw: 890n, closingRaw: 0n, inProgressRaw: 0n },
      ...{ deliveredRaw: 0n, deposits: 1, deliveries: 0, charges: 1, unpricedCharges: 1 },
      ...{ departures: 1, unpricedDepartures: 0, volumeUsdCents: 101n },
    },
    {
      ...{ chainId: 42161, token: delivery.token, receivedRaw: 0n, deliveredRaw: 880n, deliveries: 1, deposits: 0 },
      ...{
        unpricedDeliveries: 0,
        deliveredUsdCents: 88n,
        refunds: 0,
        charges: 0,
        departures: 0,
        symbol: '',
        decimals: null,
      },
    },
  ])
  expect([unfinishedDeposits, unmatchedDeposits]).toEqual([0, 0])
})

test('a charge of one unit of either fee counts, and a deposit without fees is no charge', () => {
  const charges = (protocolFeeEffective: string, gasFeeRaw: string) =>
    sumsOf([of(1, from, { facts: { fees: { protocolFeeEffective, gasFeeRaw }, spent: spentAt(1_500) } })]).rows[0]!
      .charges
  expect([charges('1', '0'), charges('0', '1'), charges('0', '0')]).toEqual([1, 1, 0])
})

test('money whose value was unknown when it left is counted, and is in no volume', () => {
  const left = (n: number, valueUsd?: string) =>
    of(n, from, { facts: { fees, spent: { ...spentAt(1_500), ...(valueUsd && { valueUsd }) } } })
  expect(sumsOf([left(1), left(2, '499999'), left(3, '500000')]).rows).toMatchObject([
    { departures: 3, unpricedDepartures: 1, volumeUsdCents: 1n, routedRaw: 2_670n },
  ])
})

test('deposits of the period that have not ended are counted', () => {
  const unfinished = (detectedAt: number, changed: Changed = {}) =>
    sumsOf([of(1, detectedAt, changed)]).unfinishedDeposits
  expect([999, 1_000, 1_999, 2_000].map((at) => unfinished(at))).toEqual([0, 1, 1, 0])
  expect(unfinished(from, { ...done, completedAt: 1_500 })).toBe(0)
})

test('a key’s statement has the deposits of its intents, and counts those that still wait for one', () => {
  const matched = { facts: { intent: { ...intent, apiKeyId: 'key' } } }
  const other = { facts: { intent: { ...intent, apiKeyId: 'other' } } }
  const records = [
    of(1, from, matched),
    of(2, from, other),
    of(3, from),
    of(4, to),
    of(5, from, { completedAt: 1_500 }),
    of(6, from),
  ]
  const { rows, unmatchedDeposits } = sumsOf(records, 'key')
  expect(rows).toMatchObject([{ receivedRaw: 1_000n, deposits: 1 }])
  expect(unmatchedDeposits).toBe(2)
  expect(sumsOf(records).rows).toMatchObject([{ receivedRaw: 5_000n, deposits: 5 }])
  expect(sumsOf(records).unmatchedDeposits).toBe(0)
})

test('a re-drive belongs to the key of its first execution, and shares its money', () => {
  const first = of(1, from, {
    facts: { intent: { ...intent, apiKeyId: 'key' } },
    completedAt: 1_100,
    redrivenBy: 'next',
  })
  const again = {
    ...of(1, from, { facts: { fees, spent: spentAt(1_500) }, createdAt: 1_200 }),
    ...{ id: `${first.id}:r1`, redriveOf: first.id },
  }
  for (const records of [
    [first, again],
    [again, first],
  ]) {
    expect(sumsOf(records, 'key').rows).toMatchObject([
      { receivedRaw: 1_000n, correctedRaw: 0n, routedRaw: 890n, deposits: 1 },
    ])
    expect(sumsOf(records, 'other').rows).toEqual([])
    expect(sumsOf(records, 'key').unfinishedDeposits).toBe(1)
  }
  // Its first execution does not name it yet, and comes later.
  const alone = { ...again, facts: { ...again.facts, intent: { ...intent, apiKeyId: 'key' } } }
  expect(sumsOf([alone], 'key').rows).toMatchObject([{ receivedRaw: 0n, routedRaw: 890n, deposits: 0 }])
})

/** The line of a deposit that ended and was re-driven. */
const redriven = (first: Changed, again: Changed): Execution[] => {
  const ended = of(1, from, { completedAt: 1_100, redrivenBy: 'next', ...first })
  return [ended, { ...of(1, from, again), id: `${ended.id}:r1`, redriveOf: ended.id }]
}

test('a hidden re-drive does not change statements of periods before its request', () => {
  const gone = { status: 'FAILED_NO_FUNDS', state: 'FAILED_NO_FUNDS' } as const
  for (const first of [gone, { status: 'DEAD_LETTER', state: 'DEAD_LETTER' } as const]) {
    const [ended, again] = redriven(first, {})
    const asked = (at: number) => sumsOf([ended!, { ...again!, history: [{ ...again!.history[0]!, at }] }]).rows
    expect(asked(2_500)).toEqual(sumsOf([ended!]).rows)
    expect(asked(1_500)).toMatchObject([{ receivedRaw: 1_000n, correctedRaw: 0n, inProgressRaw: 1_000n }])
  }
})

test('a re-drive holds nothing after another deposit included its money', () => {
  const taker = (at: number) => of(2, from, { facts: { fees, spent: spentAt(at, '2000') } })
  const dead = { status: 'DEAD_LETTER', state: 'DEAD_LETTER' } as const
  const line = redriven(dead, { createdAt: 1_200, takenBy: taker(0).id })
  for (const order of [(all: Execution[]) => all, (all: Execution[]) => all.toReversed()]) {
    const row = (at: number) => sumsOf(order([...line, taker(at)])).rows
    expect(row(1_999)).toMatchObject([{ routedRaw: 1_890n, closingRaw: 0n, inProgressRaw: 0n }])
    expect(row(2_000)).toMatchObject([{ routedRaw: 0n, closingRaw: 2_000n, inProgressRaw: 2_000n }])
  }
  const ended = line.map((record) => ({ ...record, ...dead, completedAt: 1_300 }))
  expect(sumsOf([...ended, taker(2_000)]).rows).toMatchObject([{ closingRaw: 2_000n, inProgressRaw: 1_000n }])
})

test('money that a deposit of another key included moves to that key’s books when it leaves', () => {
  const by = (apiKeyId: string) => ({ intent: { ...intent, apiKeyId } })
  const taker = (key: string) => of(2, from, { facts: { ...by(key), fees, spent: spentAt(1_500, '2000') } })
  const dead = { status: 'DEAD_LETTER', state: 'DEAD_LETTER', completedAt: 1_300, takenBy: taker('b').id } as const
  const left = [of(1, from, { ...dead, facts: by('a') })]
  const again = redriven({ facts: by('a') }, { ...dead, createdAt: 1_200, facts: by('a') })
  for (const line of [left, again])
    for (const order of [(all: Execution[]) => all, (all: Execution[]) => all.toReversed()]) {
      const rowOf = (takingKey: string, key?: string, period = { from, to }) => {
        const statement = statementOf({ ...period, apiKeyId: key })
        for (const record of order([...line, taker(takingKey)])) statement.add(record)
        return statement.sums().rows[0]
      }
      expect(rowOf('b', 'a')).toMatchObject({
        receivedRaw: 1_000n,
        correctedRaw: -1_000n,
        routedRaw: 0n,
        closingRaw: 0n,
      })
      expect(rowOf('b', 'b')).toMatchObject({
        receivedRaw: 1_000n,
        correctedRaw: 1_000n,
        routedRaw: 1_890n,
        closingRaw: 0n,
      })
      expect(rowOf('b', 'a', { from, to: 1_500 })).toMatchObject({ correctedRaw: 0n, closingRaw: 1_000n })
      expect(rowOf('b', 'b', { from, to: 1_500 })).toMatchObject({ correctedRaw: 0n, closingRaw: 1_000n })
      expect(rowOf('a', 'a')).toMatchObject({ receivedRaw: 2_000n, correctedRaw: 0n, closingRaw: 0n })
      expect(rowOf('b')).toMatchObject({ receivedRaw: 2_000n, correctedRaw: 0n, closingRaw: 0n })
      expect(rowOf('b', 'c')).toBeUndefined()
    }
})

test('the sums of one statement can be read twice', () => {
  const first = of(1, from, { completedAt: 1_100, redrivenBy: 'next' })
  const statement = statementOf({ from, to })
  statement.add(first)
  expect(structuredClone(statement.sums().rows)).toEqual(statement.sums().rows)
})

test('rows are in the order of chains, then of tokens', () => {
  const tokenOf = (n: number, token: number, chainId: 1 | 8453) => ({
    ...of(n, from, {}, chainId),
    deposit: { ...of(n, from, {}, chainId).deposit, token: addressOf(token) },
  })
  const records = [tokenOf(1, 9, 8453), tokenOf(2, 8, 8453), tokenOf(3, 10, 8453), tokenOf(4, 12, 1)]
  for (const order of [records, records.toReversed()])
    expect(sumsOf(order).rows.map((row) => [row.chainId, row.token])).toEqual([
      [1, addressOf(12)],
      [8453, addressOf(8)],
      [8453, addressOf(9)],
      [8453, addressOf(10)],
    ])
})

test('a refund by a bridge and a correction are no deposits', () => {
  expect(sumsOf([of(1, from, { refundOf: 'another' })]).rows).toMatchObject([{ returnedRaw: 1_000n, deposits: 0 }])
  const gone = of(1, from, { status: 'FAILED_NO_FUNDS', state: 'FAILED_NO_FUNDS', completedAt: 1_500 })
  expect(sumsOf([gone]).rows).toMatchObject([{ receivedRaw: 1_000n, correctedRaw: -1_000n, deposits: 1 }])
})

test('a token in any case is one row', () => {
  const cased = (n: number, address: string) => {
    const record = of(n, from)
    return { ...record, deposit: { ...record.deposit, token: address as typeof token } }
  }
  const address = addressOf(0xabc)
  expect(sumsOf([cased(1, address), cased(2, address.replace('abc', 'AbC'))]).rows).toMatchObject([
    { receivedRaw: 2_000n, deposits: 2 },
  ])
})

test('a value is rounded half up, to cents and to millionths', () => {
  expect([499_999n, 500_000n, 1_499_999n, 1_500_000n].map(centsOf)).toEqual([0n, 1n, 1n, 2n])
  expect([49n, 50n, 149n, 150n].map(microUsdOf)).toEqual([0n, 1n, 1n, 2n])
})

const kindsOf = (...line: Execution[]) =>
  entriesOf(line).map(({ kind, at, postings }) => [
    kind,
    at,
    ...postings.map((each) => `${each.account} ${each.amountRaw}`),
  ])

test('a deposit that the chain does not have is corrected when it ends', () => {
  const gone = of(1, from, { status: 'FAILED_NO_FUNDS', state: 'FAILED_NO_FUNDS', completedAt: 1_500 })
  expect(kindsOf(gone)).toEqual([
    ['RECEIVED', 1_000, 'SENDER -1000', 'DEPOSIT_ACCOUNT 1000'],
    ['CORRECTED', 1_500, 'SENDER 1000', 'DEPOSIT_ACCOUNT -1000'],
  ])
  expect(kindsOf(of(1, from, { status: 'DEAD_LETTER', state: 'DEAD_LETTER', completedAt: 1_500 }))).toHaveLength(1)
})

test('a deposit is received when it was detected, however late its execution became visible', () => {
  expect(kindsOf(of(1, from, { createdAt: 1_200 }))).toEqual([
    ['RECEIVED', 1_000, 'SENDER -1000', 'DEPOSIT_ACCOUNT 1000'],
  ])
})

test('rounding that made a deposit smaller is corrected when its money leaves', () => {
  const amountRaw = '10000000'
  const rounded = of(1, from, {
    facts: { balance: { totalReceivedRaw: '9999998', block: 1 }, spent: spentAt(900, '9999998') },
  })
  expect(kindsOf({ ...rounded, deposit: { ...rounded.deposit, amountRaw } })).toEqual([
    ['RECEIVED', 1_000, 'SENDER -10000000', 'DEPOSIT_ACCOUNT 10000000'],
    ['CORRECTED', 1_000, 'SENDER 2', 'DEPOSIT_ACCOUNT -2'],
    ['SPENT', 900, 'DEPOSIT_ACCOUNT -9999998', 'PROTOCOL_FEE 0', 'GAS_FEE 0', 'PROVIDER 9999998'],
  ])
})

test('a re-drive that finds less than the record before it corrects nothing', () => {
  const sized = (record: Execution): Execution => ({ ...record, deposit: { ...record.deposit, amountRaw: '10000000' } })
  const first = sized(
    of(1, from, { status: 'DEAD_LETTER', state: 'DEAD_LETTER', completedAt: 1_100, redrivenBy: 'next' }),
  )
  const facts = { balance: { totalReceivedRaw: '9999998', block: 1 }, spent: spentAt(1_500, '9999998') }
  const again = { ...sized(of(1, from, { facts, createdAt: 1_200 })), id: `${first.id}:r1`, redriveOf: first.id }
  expect(kindsOf(first, again).map(([kind]) => kind)).toEqual(['RECEIVED', 'SPENT'])
})

test('fees have a value only if one was collected', () => {
  const spent = { ...spentAt(1_500), feesUsd: { protocolFee: '5', gasFee: '7' } }
  const valued = (protocolFeeEffective: string, gasFeeRaw: string) =>
    entriesOf([of(1, from, { facts: { fees: { protocolFeeEffective, gasFeeRaw }, spent } })]).at(-1)!.feesUsd
  const value = { protocolFee: 5n, gasFee: 7n }
  expect([valued('0', '0'), valued('1', '0'), valued('0', '1')]).toEqual([null, value, value])
})

test('a refund by a bridge returns from the provider, and an operator’s refund goes to the refund address', () => {
  expect(kindsOf(of(1, from, { refundOf: 'another' }))).toEqual([
    ['RETURNED', 1_000, 'PROVIDER -1000', 'DEPOSIT_ACCOUNT 1000'],
  ])
  const back = { ...delivery, chainId: 8453, token } as const
  const terms = {
    ...{ protocolFeeBps: 0, refundAddress: addressOf(7), targetAddress: addressOf(7) },
    ...{ targetChainId: 8453, targetTokenAddress: token },
  }
  const refund = {
    ...of(1, from, { ...done, createdAt: 1_200, completedAt: 1_600 }),
    ...{ redriveOf: 'first', facts: { intent: terms, spent: spentAt(1_500), delivery: back } as never },
  }
  expect(kindsOf(refund).at(-1)).toEqual(['REFUNDED', 1_600, 'PROVIDER -880', 'REFUND_ADDRESS 880'])
  expect(kindsOf({ ...refund, redriveOf: null }).at(-1)).toEqual(['DELIVERED', 1_600, 'PROVIDER -880', 'RECIPIENT 880'])
  expect(kindsOf({ ...refund, completedAt: null }).at(-1)![0]).toBe('SPENT')
})

test('an unfinished execution holds its amount from its start until its money leaves or it ends', () => {
  const open = (record: Execution) => [1_000, 1_001, 1_500, 1_501].map((at) => openRawOf([record], at))
  expect(open(of(1, from))).toEqual([0n, 1_000n, 1_000n, 1_000n])
  expect(open(of(1, from, { facts: { spent: spentAt(1_500) } }))).toEqual([0n, 1_000n, 1_000n, 0n])
  expect(open(of(1, from, { completedAt: 1_500 }))).toEqual([0n, 1_000n, 1_000n, 0n])
  const redrive = { ...of(1, 900), redriveOf: 'first', history: [{ ...of(1, 900).history[0]!, at: from }] }
  // Its first history entries were dropped, so it was asked for before the first that is left.
  const old = { ...redrive, history: [{ ...redrive.history[0]!, at: 1_400 }] }
  for (const one of [
    { ...redrive, createdAt: null },
    { ...redrive, createdAt: 1_400 },
    { ...old, createdAt: from },
  ])
    expect(open(one)).toEqual([0n, 1_000n, 1_000n, 1_000n])
  // Both hold the same money.
  const less = executionOf(2, {}, { detectedAt: from, amountRaw: '900' })
  for (const line of [
    [of(1, from), less],
    [less, of(1, from)],
  ])
    expect(openRawOf(line, 1_500)).toBe(1_000n)
})
