import { expect, test } from 'bun:test'
import { csvOfStatement, totalsOf } from '../../../src/dashboard/pages/statement/statement-figures'
import type { Execution } from '../../../src/domain/execution/execution'
import { executionOf, hashOf, sightingOf } from '../../support/deposits'
import { stores } from '../../support/stores'
import { testAll } from '../../support/test-all'
import { peopledWorld, target, usdc } from '../world'

const at = Date.UTC(2026, 10, 20, 10)
const intent = { apiKeyId: 'key_1', version: 1, protocolFeeBps: 50, sponsoredGas: false, ...target }
const fees = { protocolFeeEffective: '125000', protocolFeeForgiven: '0', gasFeeRaw: '18432' }
const deliveredFacts = (n: number, valueUsd?: string) =>
  ({
    intent,
    fees,
    routeId: hashOf(n),
    spent: {
      ...{ hash: hashOf(n), block: 2, amountRaw: '25000000', at: at + 1_000 },
      ...(valueUsd && { valueUsd: '2499750000', feesUsd: { protocolFee: '12500000', gasFee: '1843200' } }),
    },
    delivery: {
      hash: hashOf(n),
      chainId: 42161,
      token: usdc.arbitrum,
      amountRaw: '24831711',
      block: 3,
      ...(valueUsd && { valueUsd }),
    },
  }) as unknown as Execution['facts']
const success = { status: 'SUCCESS', state: 'SUCCESS', createdAt: at, completedAt: at + 2_000, dueAt: null } as const
const of = (n: number, change: Partial<Execution>, detectedAt = at) =>
  executionOf(
    n,
    { organizationId: 'org_a', ...change },
    { amountRaw: '25000000', token: usdc.base, chainId: 8453, detectedAt },
  )
const left = {
  status: 'FAILED_UNROUTABLE_MAIN',
  state: 'FAILED_UNROUTABLE_MAIN',
  createdAt: at,
  completedAt: at,
} as const

const records = [
  of(1, { ...success, facts: deliveredFacts(1, '2483171100') }),
  of(2, { ...success, facts: deliveredFacts(2) }),
  of(3, { ...left, dueAt: null }, Date.UTC(2026, 9, 31, 23, 59)),
  of(4, { status: 'PENDING', state: 'PENDING', createdAt: at }),
  of(5, { ...success, facts: deliveredFacts(5), organizationId: 'org_b' }),
]

testAll(stores)('a statement has balances and movements by chain and token', async (_, open) => {
  const { store } = await open()
  for (const record of records) await store.executions.save(record)
  const { ledger, depositQueries } = store
  const { ask, client } = await peopledWorld({ ledger, depositQueries })
  const { json, status, headers } = await ask('/api/statements?month=2026-11', { key: client })
  expect([status, headers.get('cache-control')]).toEqual([200, 'private, no-cache'])
  const base = {
    chainId: 8453,
    chainKey: 'base',
    tokenAddress: usdc.base,
    tokenSymbol: 'USDC',
    tokenDecimals: 6,
    opening: '25000000',
    received: '75000000',
    returned: '0',
    corrected: '0',
    protocolFee: '250000',
    gasFee: '36864',
    routed: '49713136',
    closing: '50000000',
    inProgress: '25000000',
    leftInAccount: '25000000',
    delivered: '0',
    refunded: '0',
    deposits: 3,
    deliveries: 0,
    unpricedDeliveries: 0,
    deliveredUsd: '0.00',
    refunds: 0,
    unpricedRefunds: 0,
    refundedUsd: '0.00',
    departures: 2,
    unpricedDepartures: 1,
    volumeUsd: '25.00',
    charges: 2,
    unpricedCharges: 1,
    protocolFeeUsd: '0.125000',
    gasFeeUsd: '0.018432',
  }
  expect(json).toMatchObject({
    month: '2026-11',
    from: '2026-11-01T00:00:00.000Z',
    to: '2026-12-01T00:00:00.000Z',
    isFinal: false,
    asOf: '2026-11-21T10:00:00.000Z',
    rows: [
      base,
      {
        chainId: 42161,
        opening: '0',
        closing: '0',
        delivered: '49663422',
        deliveries: 2,
        unpricedDeliveries: 1,
        deliveredUsd: '24.83',
      },
    ],
    totals: {
      ...{ deposits: 3, deliveries: 2, unpricedDeliveries: 1, deliveredUsd: '24.83' },
      ...{ refunds: 0, charges: 2, unpricedCharges: 1, protocolFeeUsd: '0.125000', gasFeeUsd: '0.018432' },
    },
  })
  const october = (await ask('/api/statements?month=2026-10', { key: client })).json
  expect(october).toMatchObject({ isFinal: true, asOf: '2026-11-01T00:00:00.000Z' })
  expect(october.rows).toMatchObject([{ opening: '0', received: '25000000', closing: '25000000' }])
})

test('the statements of consecutive days add up to that of all of them, and include both ends', async () => {
  const world = await peopledWorld()
  for (const record of records) await world.store.executions.save(record)
  const between = async (from: string, to: string) =>
    (await world.ask(`/api/statements?from=${from}&to=${to}`, { key: world.client })).json
  const [before, day, all] = [
    await between('2026-10-31', '2026-11-19'),
    await between('2026-11-20', '2026-11-20'),
    await between('2026-10-31', '2026-11-20'),
  ]
  expect(day).toMatchObject({ month: '2026-11-20/2026-11-20', from: '2026-11-20T00:00:00.000Z' })
  expect([day.to, day.totals.deposits, all.totals.deposits]).toEqual(['2026-11-21T00:00:00.000Z', 3, 4])
  const [base, start, whole] = [day, before, all].map(({ rows }) =>
    rows.find(({ chainId }: { chainId: number }) => chainId === 8453),
  )
  expect([start.opening, start.closing, whole.closing]).toEqual(['0', base.opening, base.closing])
  for (const field of ['received', 'protocolFee', 'gasFee', 'routed'])
    expect(BigInt(start[field]) + BigInt(base[field])).toBe(BigInt(whole[field]))
  // The page adds up the rows of one token in the same way.
  expect(totalsOf(all.rows)).toEqual(all.totals)
  const csv = await world.ask('/api/statements?from=2026-11-20&to=2026-11-20&format=csv', { key: world.client })
  expect(csv.headers.get('content-disposition')).toContain('statement-2026-11-20_2026-11-20.csv')
})

test('an organization sees its own statement, and the platform that of any organization it names', async () => {
  const world = await peopledWorld()
  for (const record of records) await world.store.executions.save(record)
  const depositsFor = async (key: string, query = '') => {
    const { json } = await world.ask(`/api/statements?month=2026-11${query}`, { key })
    return json.totals?.deposits ?? json.message
  }
  expect(await depositsFor(world.client)).toBe(3)
  expect(await depositsFor(world.operator)).toBe(3)
  expect(await depositsFor(world.stranger)).toBe(1)
  expect(await depositsFor(world.platform)).toBe(0)
  expect(await depositsFor(world.platform, '&organizationId=org_a')).toBe(3)
  expect(await depositsFor(world.platform, '&organizationId=none')).toBe('organizationId names no organization')
  expect(await depositsFor(world.stranger, '&organizationId=org_a')).toBe('Insufficient permissions')
})

test('CSV has the same rows, by format or by accept', async () => {
  const world = await peopledWorld()
  for (const record of records) await world.store.executions.save(record)
  const ask = (query: string, headers = {}) =>
    world.ask(`/api/statements?month=2026-11${query}`, { key: world.client, headers })
  const { json } = await ask('')
  const { text, headers } = await ask('&format=csv')
  expect(headers.get('content-type')).toStartWith('text/csv')
  expect((await ask('', { accept: 'text/csv' })).text).toBe(text)
  expect((await ask('&format=json', { accept: 'text/csv' })).json).toEqual(json)
  const [names, ...lines] = text.trimEnd().split('\r\n')
  const rows = lines.map((line) => Object.fromEntries(line.split(',').map((cell, n) => [names!.split(',')[n], cell])))
  const { month, isFinal, asOf } = json
  expect(rows).toEqual(
    (json.rows as object[]).map((row) =>
      Object.fromEntries(
        Object.entries({ month, isFinal, asOf, ...row }).map(([name, value]) => [name, String(value ?? '')]),
      ),
    ),
  )
  // The page saves the rows that it shows in the same form.
  expect(csvOfStatement(json)).toBe(text)
})

test('an unknown value is null, never 0', async () => {
  const world = await peopledWorld()
  await world.store.executions.save(of(2, { ...success, facts: deliveredFacts(2) }))
  const { json } = await world.ask('/api/statements?month=2026-11', { key: world.client })
  expect(json.totals).toEqual({
    ...{ deposits: 1, deliveries: 1, unpricedDeliveries: 1, deliveredUsd: null },
    ...{ refunds: 0, unpricedRefunds: 0, refundedUsd: '0.00' },
    ...{ departures: 1, unpricedDepartures: 1, volumeUsd: null },
    ...{ charges: 1, unpricedCharges: 1, protocolFeeUsd: null, gasFeeUsd: null },
  })
})

test('a month is final five minutes after its end, once none of its deposits waits for confirmation', async () => {
  const world = await peopledWorld()
  const finalAt = async (now: number) => {
    world.clock.now = now
    return (await world.ask('/api/statements?month=2026-11', { key: world.client })).json.isFinal
  }
  const end = Date.UTC(2026, 11, 1)
  expect([await finalAt(end - 1), await finalAt(end + 299_999), await finalAt(end + 300_000)]).toEqual([
    false,
    false,
    true,
  ])
  await world.store.sightings.save(sightingOf(7, { organizationId: 'org_a', detectedAt: end - 1 }))
  expect(await finalAt(end + 300_000)).toBe(false)
})

test('a month is closed once it is final and each of its deposits has ended', async () => {
  const world = await peopledWorld()
  for (const record of records) await world.store.executions.save(record)
  const closedAt = async (now: number) => {
    world.clock.now = now
    const { json } = await world.ask('/api/statements?month=2026-11', { key: world.client })
    return [json.isFinal, json.unfinishedDeposits, json.isClosed]
  }
  const end = Date.UTC(2026, 11, 1)
  expect(await closedAt(end - 1)).toEqual([false, 1, false])
  expect(await closedAt(end + 300_000)).toEqual([true, 1, false])
  const open = (await world.store.executions.load(records[3]!.id))!
  const ended = { status: 'DEAD_LETTER', state: 'DEAD_LETTER', completedAt: end + 1, dueAt: null } as const
  await world.store.executions.save({ ...open, ...ended })
  expect(await closedAt(end + 300_001)).toEqual([true, 0, true])
})

test('the statements of all keys add up to that of the organization, and a deposit without an intent can be of any', async () => {
  const world = await peopledWorld()
  const facts = deliveredFacts(6, '2483171100')
  const ofOther = of(6, { ...success, facts: { ...facts, intent: { ...facts.intent!, apiKeyId: 'key_2' } } })
  for (const record of [records[0]!, records[1]!, ofOther]) await world.store.executions.save(record)
  const statementBy = async (query: string) =>
    (await world.ask(`/api/statements?month=2026-11${query}`, { key: world.client })).json
  const [all, one, other] = [
    await statementBy(''),
    await statementBy('&apiKeyId=key_1'),
    await statementBy('&apiKeyId=key_2'),
  ]
  expect([all.apiKeyId, one.apiKeyId, one.totals.deposits, other.totals.deposits]).toEqual([null, 'key_1', 2, 1])
  for (const field of ['received', 'protocolFee', 'gasFee', 'routed', 'closing'])
    expect(BigInt(one.rows[0][field]) + BigInt(other.rows[0][field])).toBe(BigInt(all.rows[0][field]))
  expect((await statementBy('&apiKeyId=key_3')).rows).toEqual([])

  const end = Date.UTC(2026, 11, 1)
  world.clock.now = end + 300_000
  expect((await statementBy('&apiKeyId=key_1')).isClosed).toBe(true)
  await world.store.executions.save(of(7, { status: null, state: 'MATCHING_INTENT', createdAt: null }, end - 1))
  const states = [await statementBy('&apiKeyId=key_1'), await statementBy('')]
  expect(states.map(({ isFinal, unfinishedDeposits }) => [isFinal, unfinishedDeposits])).toEqual([
    [false, 0],
    [true, 1],
  ])
})

testAll([
  ['?from=2026-11-01', 'from and to are required together'],
  ['?month=2026-11&to=2026-11-30', 'month excludes from and to'],
  ['?from=2026-11-09&to=2026-11-03', 'from must be today or earlier, and to the same day or later'],
  ['?from=2026-12-01&to=2026-12-02', 'from must be today or earlier, and to the same day or later'],
  ['?from=2026-02-30&to=2026-03-01', 'from must be a day such as 2026-11-21'],
  ['?month=2026-13', 'month must be a month such as 2026-11'],
  ['?month=2026-12', 'month must be the present month or an earlier one'],
  ['?month=2026-11&format=pdf', 'format must be json or csv'],
  ['?month=2026-11&limit=5', 'limit is not a parameter of this endpoint'],
])('a statement of an impossible period or format is refused', async (query, message) => {
  const { ask, client } = await peopledWorld()
  const { status, json } = await ask(`/api/statements${query}`, { key: client })
  expect([status, json.message]).toEqual([400, message])
})

test('a statement without a period covers the current month', async () => {
  const world = await peopledWorld()
  for (const record of records) await world.store.executions.save(record)
  const [usual, named] = await Promise.all(
    ['', '?month=2026-11'].map((query) => world.ask(`/api/statements${query}`, { key: world.client })),
  )
  expect(usual!.json).toEqual(named!.json)
  expect(usual!.json.month).toBe('2026-11')
})

test('no number of executions is too many for a statement', async () => {
  const world = await peopledWorld()
  for (let n = 1; n <= 2_500; n++) await world.store.executions.save(of(n, { ...left, dueAt: null }))
  const { json } = await world.ask('/api/statements?month=2026-11', { key: world.client })
  expect(json.rows).toMatchObject([{ deposits: 2_500, received: String(2_500n * 25_000_000n) }])
})
