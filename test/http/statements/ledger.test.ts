import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { monthOf } from '../../../src/domain/calendar'
import type { Execution } from '../../../src/domain/execution/execution'
import { executionOf } from '../../support/deposits'
import { history } from '../../support/ledger-histories'
import { stores } from '../../support/stores'
import { testAll } from '../../support/test-all'
import { peopledWorld, usdc } from '../world'

const november = Date.UTC(2026, 10, 1)
const [first, second] = [november, monthOf(november, 1)]

type Posting = { account: string; amount: string }
type Entry = {
  kind: string
  executionId: string
  at: string
  chainId: number
  tokenAddress: string
  postings: Posting[]
  valueUsd: string | null
  protocolFeeUsd: string | null
  gasFeeUsd: string | null
}
type Row = { depositId: string; userId: string; createdAt: string; entries: Entry[]; organizationId?: string }
type World = Awaited<ReturnType<typeof peopledWorld>>

/** Reads the whole ledger page by page, with an envelope. */
async function ledgerOf({ ask, client }: Pick<World, 'ask' | 'client'>, limit: number, query = ''): Promise<Row[]> {
  const rows: Row[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { json, status } = await ask(
      `/api/ledger?limit=${limit}&envelope=true${query}${cursor && `&cursor=${cursor}`}`,
      { key: client },
    )
    expect(status).toBe(200)
    rows.push(...json.data)
    cursor = json.next
  }
  return rows
}

const add = (sums: Map<string, bigint>, name: string, amount: bigint) => sums.set(name, (sums.get(name) ?? 0n) + amount)
/** An amount in USD, in millionths. */
const microUsd = (text: string | null): bigint =>
  BigInt(`${text ?? '0.000000'}`.replace('.', '')) * (text?.split('.')[1]?.length === 2 ? 10_000n : 1n)

/** What a statement says about a period, added up from the ledger's entries alone. */
function addedUp(rows: readonly Row[], from: number, to: number) {
  const sums = new Map<string, bigint>()
  for (const { kind, at, chainId, tokenAddress, postings, ...usd } of rows.flatMap(({ entries }) => entries)) {
    const time = Date.parse(at)
    if (time >= to) continue
    const of = (account: string) =>
      postings.reduce((sum, posting) => (posting.account === account ? sum + BigInt(posting.amount) : sum), 0n)
    const put = (field: string, amount: bigint) => add(sums, `${chainId} ${tokenAddress} ${field}`, amount)
    put('closing', of('DEPOSIT_ACCOUNT'))
    put('opening', time < from ? of('DEPOSIT_ACCOUNT') : 0n)
    if (time < from) continue
    if (kind === 'SPENT') {
      put('protocolFee', of('PROTOCOL_FEE'))
      put('gasFee', of('GAS_FEE'))
      put('routed', of('PROVIDER'))
      put('protocolFeeUsd', microUsd(usd.protocolFeeUsd))
      put('gasFeeUsd', microUsd(usd.gasFeeUsd))
      put('volumeUsd', microUsd(usd.valueUsd))
    } else if (kind === 'DELIVERED' || kind === 'REFUNDED') {
      put(kind.toLowerCase(), -of('PROVIDER'))
      put(`${kind.toLowerCase()}Usd`, microUsd(usd.valueUsd))
    } else put(kind.toLowerCase(), of('DEPOSIT_ACCOUNT'))
  }
  return sums
}

const amounts = ['opening', 'received', 'returned', 'corrected', 'protocolFee', 'gasFee', 'routed', 'closing'] as const
const arrived = ['delivered', 'refunded'] as const
const values = ['deliveredUsd', 'refundedUsd', 'volumeUsd', 'protocolFeeUsd', 'gasFeeUsd'] as const

test('the ledger’s entries balance by chain and token, and add up to every statement to the atomic unit and the cent', () =>
  fc.assert(
    fc.asyncProperty(history(november), fc.integer({ min: 1, max: 5 }), async (records, limit) => {
      const world = await peopledWorld()
      world.clock.now = monthOf(november, 9)
      for (const record of records) await world.store.executions.save({ ...record, organizationId: 'org_a' })
      const rows = await ledgerOf(world, limit)
      expect(rows.map(({ depositId }) => depositId).toSorted()).toEqual(
        records.flatMap(({ id, redriveOf }) => (redriveOf === null ? [id] : [])).toSorted(),
      )
      const balances = new Map<string, bigint>()
      for (const { chainId, tokenAddress, postings } of rows.flatMap(({ entries }) => entries)) {
        add(balances, `${chainId} ${tokenAddress}`, 0n)
        for (const { amount } of postings) add(balances, `${chainId} ${tokenAddress}`, BigInt(amount))
      }
      expect([...balances].filter(([, balance]) => balance !== 0n)).toEqual([])
      for (const month of [-2, -1, 0, 1, 2, 3, 4]) {
        const [from, to] = [monthOf(november, month), monthOf(november, month + 1)]
        const { json } = await world.ask(`/api/statements?month=${new Date(from).toISOString().slice(0, 7)}`, {
          key: world.client,
        })
        const sums = addedUp(rows, from, to)
        const stated = new Map<string, bigint>()
        for (const row of json.rows) {
          const put = (field: string, amount: bigint) =>
            add(stated, `${row.chainId} ${row.tokenAddress} ${field}`, amount)
          for (const field of [...amounts, ...arrived]) put(field, BigInt(row[field]))
          for (const field of values) put(field, microUsd(row[field]))
        }
        const apart = [...new Set([...sums.keys(), ...stated.keys()])].flatMap((name) =>
          (sums.get(name) ?? 0n) === (stated.get(name) ?? 0n) ? [] : [[month, name, sums.get(name), stated.get(name)]],
        )
        expect(apart).toEqual([])
      }
    }),
    { numRuns: 60 },
  ))

const ended = { status: 'DEAD_LETTER', state: 'DEAD_LETTER', dueAt: null } as const
const of = (n: number, change: Partial<Execution> = {}, detectedAt = first + n) =>
  executionOf(
    n,
    { organizationId: 'org_a', createdAt: detectedAt, ...change },
    { amountRaw: '1000', account: usdc.arbitrum, chainId: 8453, token: usdc.base, detectedAt },
  )
const redriven = of(3, { ...ended, completedAt: first + 10 })
const records = [
  of(1),
  of(2, { ...ended, completedAt: first + 9, userId: 'bob' }),
  redriven,
  // No first execution names it yet, and it is not shown yet.
  of(3, { id: `${redriven.id}:r1`, redriveOf: redriven.id, createdAt: null }),
  of(4, { ...ended, completedAt: first + 11, organizationId: 'org_b' }),
]

testAll(stores)(
  'the ledger lists the deposits of an organization in pages, with the entries of re-drives',
  async (_, open) => {
    const { store } = await open()
    for (const record of records) await store.executions.save(record)
    const spent = { hash: '0x2', block: 1, amountRaw: '1000', at: second } as const
    const redrive = (await store.executions.load(records[3]!.id))!
    await store.executions.save({ ...redrive, facts: { ...redrive.facts, spent } as Execution['facts'] })
    const world = await peopledWorld({ ledger: store.ledger })
    const idsOf = (rows: readonly Row[]) => rows.map(({ depositId }) => depositId)
    const newest = [3, 2, 1].map((n) => of(n).id)
    for (const limit of [1, 2, 3]) expect(idsOf(await ledgerOf(world, limit))).toEqual(newest)
    expect(idsOf(await ledgerOf(world, 1, '&order=oldest'))).toEqual(newest.toReversed())
    const [line] = await ledgerOf(world, 9)
    expect(line).toEqual({
      depositId: redriven.id,
      userId: redriven.userId,
      createdAt: new Date(first + 3).toISOString(),
      entries: expect.anything(),
    } as never)
    expect(
      line!.entries.map(({ kind, executionId, at, postings }) => [kind, executionId, Date.parse(at), postings]),
    ).toEqual([
      [
        'RECEIVED',
        redriven.id,
        first + 3,
        [
          { account: 'SENDER', amount: '-1000' },
          { account: 'DEPOSIT_ACCOUNT', amount: '1000' },
        ],
      ],
      [
        'SPENT',
        `${redriven.id}:r1`,
        second,
        [
          { account: 'DEPOSIT_ACCOUNT', amount: '-1000' },
          { account: 'PROTOCOL_FEE', amount: '0' },
          { account: 'GAS_FEE', amount: '0' },
          { account: 'PROVIDER', amount: '1000' },
        ],
      ],
    ])
  },
)

testAll(stores)('the filters of the ledger combine', async (_, open) => {
  const { store } = await open()
  for (const record of records) await store.executions.save(record)
  const world = await peopledWorld({ ledger: store.ledger })
  const numbersFor = async (query: string) =>
    (await ledgerOf(world, 9, query)).map(({ depositId }) => [1, 2, 3].find((n) => of(n).id === depositId))
  const { account, token } = of(1).deposit
  const time = (at: number) => new Date(at).toISOString()
  expect(await numbersFor('&userId=bob')).toEqual([2])
  expect(await numbersFor(`&createdFrom=${time(first + 2)}`)).toEqual([3, 2])
  expect(await numbersFor(`&createdTo=${time(first + 2)}`)).toEqual([1])
  expect(await numbersFor(`&depositAddress=${account}&fromChainId=8453&fromTokenAddress=${token}`)).toEqual([3, 2, 1])
  expect(await numbersFor(`&fromChainId=10`).catch(() => 'refused')).toBe('refused')
  expect(await numbersFor('&fromChainId=42161')).toEqual([])
  expect(await numbersFor(`&userId=bob&createdFrom=${time(first + 3)}`)).toEqual([])
})

test('an organization sees its own ledger only, and the platform every one with its name', async () => {
  const world = await peopledWorld()
  for (const record of records) await world.store.executions.save(record)
  const seenBy = async (key: string) =>
    (await world.ask('/api/ledger', { key })).json.map(({ depositId, organizationId }: Row) => [
      depositId,
      organizationId,
    ])
  expect(await seenBy(world.client)).toEqual([3, 2, 1].map((n) => [of(n).id, undefined]))
  expect(await seenBy(world.operator)).toEqual(await seenBy(world.client))
  expect(await seenBy(world.stranger)).toEqual([[of(4).id, undefined]])
  expect(await seenBy(world.platform)).toEqual([[of(4).id, 'org_b'], ...[3, 2, 1].map((n) => [of(n).id, 'org_a'])])
})

testAll([
  ['?offset=1', 'UNKNOWN_PARAMETER'],
  ['?month=2026-11', 'UNKNOWN_PARAMETER'],
  ['?limit=101', 'VALIDATION_FAILED'],
  ['?createdFrom=yesterday', 'VALIDATION_FAILED'],
  ['?cursor=eyJjIjoxNzk1MjU1MjI0NjQwfQ', 'INVALID_CURSOR'],
])('the ledger refuses what it does not know', async (query, code) => {
  const { ask, client } = await peopledWorld()
  const { status, headers } = await ask(`/api/ledger${query}`, { key: client })
  expect([status, headers.get('x-error-code')]).toEqual([400, code])
})
