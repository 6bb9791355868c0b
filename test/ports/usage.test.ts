import { describe, expect, test } from 'bun:test'
import { mongoRequestLog } from '../../src/adapters/mongo/collections/request-log'
import { mongoUsageQueries } from '../../src/adapters/mongo/queries/usage-queries'
import type { IntentSnapshot } from '../../src/domain/deposit/deposit-intent'
import type { Execution, Facts } from '../../src/domain/execution/execution'
import { positionOfRequest } from '../../src/http/dashboard/keys'
import { usageDays } from '../../src/http/views/usage-days'
import type { PagePosition } from '../../src/ports/records'
import { executionOf } from '../support/deposits'
import { stores } from '../support/stores'
import { testConnection } from '../support/stores-in-mongo'
import { testAll } from '../support/test-all'
import { usageOn } from '../support/usage'

const noon = (day: number): number => Date.UTC(2026, 10, day, 12)
const fees = { protocolFeeEffective: '50', protocolFeeForgiven: '5', gasFeeRaw: '7' } as NonNullable<Facts['fees']>
const factsOf = (apiKeyId: string): Facts => ({
  intent: { targetChainId: 42161, apiKeyId } as IntentSnapshot,
  fees,
  sponsoredMicroUsd: '1500000',
})
const succeeded = { state: 'SUCCESS', status: 'SUCCESS', dueAt: null, completedAt: noon(20) + 30_000 } as const
const dead = { state: 'DEAD_LETTER', status: 'DEAD_LETTER', dueAt: null, completedAt: noon(20) } as const
const running = { state: 'RUNNING', status: 'RUNNING' } as const

const made = (n: number, day: number, change: Partial<Execution>, amountRaw = '1000'): Execution =>
  executionOf(
    n,
    { createdAt: noon(day), facts: factsOf('key_a'), ...change },
    { detectedAt: noon(day) - 60_000, amountRaw },
  )
const records = [
  made(1, 20, succeeded),
  made(2, 20, succeeded, '9007199254740993'),
  made(3, 20, dead),
  { ...made(4, 20, running), id: `${executionOf(3).id}:r1`, redriveOf: executionOf(3).id },
  made(5, 21, { ...running, facts: factsOf('key_b') }),
  made(6, 21, { ...dead, facts: {} }),
  made(7, 21, { createdAt: null, state: 'matching intent', status: null, facts: {} }),
  made(8, 19, succeeded),
  made(
    10,
    18,
    { ...succeeded, facts: { ...factsOf('key_a'), balance: { totalReceivedRaw: '24985000', block: 9 } } },
    '25000000',
  ),
  made(9, 20, { ...succeeded, organizationId: 'org_2', facts: factsOf('key_z') }),
]
/** A whole token of 6 decimals is worth a dollar. */
const dollars = (_: unknown, raw: bigint) => raw * 100n

describe.each(stores)('usage, %s', (_name, open) => {
  async function asked(organizationId: string | null, from: string, to: string, apiKeyId?: string) {
    const { store } = await open()
    for (const record of records) await store.executions.save(record)
    const queries =
      'all' in store.executions
        ? usageOn(store.executions as never)
        : mongoUsageQueries(await testConnection(), Date.now)
    const [rows, deposits] = await Promise.all([
      queries.rows(organizationId, from, to, apiKeyId),
      queries.deposits(organizationId, from, to, apiKeyId),
    ])
    return usageDays({ rows, deposits, requests: [] }, dollars)
  }
  const figures = { executions: 3, succeeded: 0, failed: 0, active: 0, requests: 0, requestErrors: 0 }
  const money = { volumeUsd: '0.00', protocolFeeUsd: '0.00', protocolFeeForgivenUsd: '0.00', gasFeeUsd: '0.00' }

  test('counts the amount that arrived if less arrived than was sent', async () => {
    expect(await asked('org_1', '2026-11-18', '2026-11-18')).toMatchObject([{ volumeUsd: '24.98' }])
  })

  test('shows each deposit once by day and key, with beginnings, ends and amounts', async () => {
    expect(await asked('org_1', '2026-11-20', '2026-11-21')).toEqual([
      {
        ...figures,
        date: '2026-11-20',
        apiKeyId: 'key_a',
        deposits: 3,
        executions: 4,
        succeeded: 2,
        failed: 1,
        active: 1,
        volumeUsd: '9007199254.74',
        protocolFeeUsd: '0.00',
        protocolFeeForgivenUsd: '0.00',
        gasFeeUsd: '0.00',
        sponsoredGasUsd: '6.00',
      },
      {
        ...figures,
        ...money,
        date: '2026-11-21',
        apiKeyId: null,
        deposits: 2,
        executions: 1,
        failed: 1,
        sponsoredGasUsd: '0.00',
      },
      {
        ...figures,
        ...money,
        date: '2026-11-21',
        apiKeyId: 'key_b',
        deposits: 1,
        executions: 1,
        active: 1,
        sponsoredGasUsd: '1.50',
      },
    ])
  })

  test('covers one organization, one key, or all organizations', async () => {
    const keysOf = async (...given: Parameters<typeof asked>) =>
      (await asked(...given)).map(({ date, apiKeyId }) => `${date} ${apiKeyId}`)
    expect(await keysOf('org_2', '2026-11-01', '2026-11-30')).toEqual(['2026-11-20 key_z'])
    expect(await keysOf('org_1', '2026-11-01', '2026-11-30', 'key_z')).toEqual([])
    expect(await keysOf(null, '2026-11-20', '2026-11-20')).toEqual(['2026-11-20 key_a', '2026-11-20 key_z'])
    expect(await keysOf(null, '2026-11-01', '2026-11-30', 'key_b')).toEqual(['2026-11-21 key_b'])
  })
})

const note = (day: number, status: number) =>
  ({ at: noon(day), requestId: '', method: 'GET', path: '/', status, errorCode: null, durationMs: 1 }) as const

describe.each(stores)('the stored requests of keys, %s', (_name, open) => {
  test('are listed page by page over all keys, newest first, and only those of the given keys', async () => {
    const { requestLog } = (await open()).store
    const listed = (keyIds: string[], after?: PagePosition, areRefused = false) =>
      requestLog.list({ keyIds, areRefused }, { limit: 100, after })
    const keyIds = Array.from({ length: 150 }, (_, n) => `key_${n}`)
    const at = (second: number) => ({ ...note(20, 200), at: noon(20) + 1_000 * second })
    for (const [n, keyId] of keyIds.entries()) requestLog.note(keyId, at(n))
    requestLog.note('key_7', { ...at(500), status: 403 })
    requestLog.note('another’s', at(501))
    await requestLog.settle()
    const newest = await listed([...keyIds, 'unused'])
    const expected = ['key_7', ...keyIds.slice(51).toReversed()]
    expect(newest.map(({ keyId }) => keyId)).toEqual(expected)
    expect(newest[0]!.status).toBe(403)
    const older = await listed(keyIds, positionOfRequest(newest.at(-1)!))
    expect(older.map(({ keyId }) => keyId)).toEqual(keyIds.slice(0, 51).toReversed())
    expect(await listed(keyIds, positionOfRequest(older.at(-1)!))).toEqual([])
    expect((await listed(keyIds, undefined, true)).map(({ keyId, status }) => [keyId, status])).toEqual([
      ['key_7', 403],
    ])
    expect((await listed(['key_7', 'key_8'])).map(({ keyId }) => keyId)).toEqual(['key_7', 'key_8', 'key_7'])
    expect(await listed([])).toEqual([])
  })

  test('of the same millisecond are listed once each, also if two keys sent the same request id', async () => {
    const { requestLog } = (await open()).store
    const keyIds = ['key_alone', 'key_beside']
    for (const keyId of keyIds)
      for (const requestId of ['b', 'a', 'c']) requestLog.note(keyId, { ...note(20, 200), requestId })
    await requestLog.settle()
    const pageAfter = (after?: PagePosition) => requestLog.list({ keyIds, areRefused: false }, { limit: 1, after })
    const rows: string[] = []
    for (let [row] = await pageAfter(); row; [row] = await pageAfter(positionOfRequest(row)))
      rows.push(`${row.keyId} ${row.requestId}`)
    expect(rows).toEqual(
      ['c', 'b', 'a'].map((id) => `key_beside ${id}`).concat(['c', 'b', 'a'].map((id) => `key_alone ${id}`)),
    )
  })
})

describe('requests by key and day', () => {
  const totals = [{ keyId: 'key_a', date: '2026-11-20', requests: 3, errors: 1 }]
  async function processes() {
    const connection = await testConnection()
    await connection.db!.collection('requestDays').deleteMany({})
    return { connection, one: mongoRequestLog(connection), other: mongoRequestLog(connection) }
  }

  test('are stored when settled, by whichever write is under way', async () => {
    const { one, other } = await processes()
    one.note('key_a', note(20, 200))
    const earlier = one.settle()
    await one.settle()
    expect(await other.counts(['key_a'], '2026-11-20', '2026-11-20')).toMatchObject([{ requests: 1 }])
    await earlier
  })

  test('add up across processes, however often each writes', async () => {
    const { one, other } = await processes()
    one.note('key_a', note(20, 200))
    await one.settle()
    one.note('key_a', note(20, 404))
    other.note('key_a', note(20, 200))
    other.note('key_b', note(21, 200))
    for (const each of [one, other, one]) await each.settle()
    expect(await one.counts(['key_a'], '2026-11-20', '2026-11-20')).toEqual(totals)
    expect(await other.counts(['key_a', 'key_b'], '2026-11-21', '2026-11-30')).toMatchObject([{ keyId: 'key_b' }])
    expect((await other.counts(null, '2026-11-01', '2026-11-30')).length).toBe(2)
    expect(await other.counts([], '2026-11-01', '2026-11-30')).toEqual([])
  })

  testAll([
    ['never arrived', false],
    ['arrived but its response was lost', true],
  ])('are neither lost nor counted twice if a write or its response was lost', async (_name, isWritten) => {
    const { connection, one } = await processes()
    const { collection } = connection.models['requestDays']!
    const real = collection.bulkWrite.bind(collection)
    collection.bulkWrite = async (...given: Parameters<typeof real>) => {
      if (isWritten) await real(...given)
      throw new Error('the database is away')
    }
    try {
      one.note('key_a', note(20, 200))
      await expect(one.settle()).rejects.toThrow('away')
      one.note('key_a', note(20, 500))
      await expect(one.settle()).rejects.toThrow('away')
    } finally {
      collection.bulkWrite = real
    }
    one.note('key_a', note(20, 200))
    await one.settle()
    expect(await one.counts(['key_a'], '2026-11-20', '2026-11-20')).toEqual(totals)
  })

  test('still include counts from before each process had its own totals', async () => {
    const { connection, one } = await processes()
    const days = connection.db!.collection<{ _id: string; requests: number; errors: number }>('requestDays')
    await days.insertOne({ _id: 'key_a:2026-11-20', requests: 2, errors: 1 })
    one.note('key_a', note(20, 200))
    await one.settle()
    expect(await one.counts(['key_a'], '2026-11-20', '2026-11-20')).toEqual(totals)
  })
})
