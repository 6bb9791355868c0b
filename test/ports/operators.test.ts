import { describe, expect, test } from 'bun:test'
import { mongoStore } from '../../src/adapters/mongo/mongo-store'
import { type BlacklistEntry, blacklistId } from '../../src/domain/blacklist-entry'
import type { Job } from '../../src/ports/operators'
import { addressOf, executionOf } from '../support/deposits'
import { newDatabase } from '../support/new-database'
import { jobsInMemory } from '../support/operators'
import { stores } from '../support/stores'

const entryOf = (n: number, change: Partial<BlacklistEntry> = {}): BlacklistEntry => ({
  id: blacklistId('TOKEN', 8453, addressOf(n)),
  version: 0,
  kind: 'TOKEN',
  chainId: 8453,
  address: addressOf(n),
  listedAs: 'SCAM',
  source: 'OPERATOR',
  reason: 'why',
  expiresAt: null,
  createdAt: n,
  updatedAt: n,
  removedAt: null,
  ...change,
})

describe.each(stores)('what operators read %s', (_name, open) => {
  test('the security list shows current entries by pages, newest first', async () => {
    const { store } = await open()
    for (let n = 1; n <= 5; n++) await store.blacklist.save(entryOf(n, n === 3 ? { removedAt: 9 } : {}))
    const ids = async (filter = {}, page = {}) =>
      (await store.blacklist.list(filter, { limit: 9, ...page })).map(({ createdAt }) => createdAt)
    expect(await ids()).toEqual([5, 4, 2, 1])
    expect(await ids({ address: addressOf(2).toUpperCase().replace('0X', '0x') })).toEqual([2])
    expect(await ids({ chainId: 1 })).toEqual([])
    expect(await ids({}, { limit: 2, after: { createdAt: 4, id: entryOf(4).id } })).toEqual([2, 1])
  })

  test('executions are counted as listed, up to a limit, and states are counted whether shown or not', async () => {
    const { store } = await open()
    const failed = { state: 'FAILED', status: 'FAILED', createdAt: 1 } as const
    for (let n = 1; n <= 4; n++) await store.executions.save(executionOf(n, failed, { detectedAt: n }))
    await store.executions.save(executionOf(5, { state: 'finding route' }, { detectedAt: 5 }))
    const keptBy = (reason: 'PROVIDER' | 'WORTH') => ({ facts: { waiting: { for: reason, since: 1 } } })
    await store.executions.save(executionOf(7, { state: 'quoting', ...keptBy('PROVIDER') }, { detectedAt: 7 }))
    await store.executions.save(executionOf(8, { state: 'quoting', ...keptBy('WORTH') }, { detectedAt: 8 }))
    const cause = (code: 'PROVIDER_FAILED' | 'RPC_TIMEOUT') => ({ code, category: null, message: '', at: 1 }) as never
    for (const [n, change] of [
      { cause: cause('PROVIDER_FAILED') },
      { cause: cause('RPC_TIMEOUT') },
      { cause: cause('PROVIDER_FAILED'), ...keptBy('WORTH') },
    ].entries())
      await store.executions.save(
        executionOf(20 + n, { ...failed, state: 'retrying', organizationId: 'org_3', ...change }, { detectedAt: 20 }),
      )
    await store.executions.save(executionOf(6, { ...failed, organizationId: 'org_2' }))
    const filter = { organizationId: 'org_1', status: ['FAILED'] } as const
    expect(await store.executionQueries.count(filter, 100)).toBe(4)
    expect(await store.executionQueries.count(filter, 3)).toBe(3)
    expect(await store.executionQueries.count({ ...filter, createdTo: 1 }, 100)).toBe(0)
    const calm = { enteredAt: expect.any(Number), overdue: expect.any(Number), endedLastDay: 0 }
    const counted = await store.executionQueries.countByState({ organizationId: 'org_1' }, 9)
    expect<unknown>(counted.toSorted((a, b) => b.count - a.count)).toEqual([
      { state: 'FAILED', status: 'FAILED', count: 4, superseded: 0, unlisted: 0, forProvider: 0, oldestAt: 1, ...calm },
      { state: 'quoting', status: null, count: 2, superseded: 0, unlisted: 0, forProvider: 1, oldestAt: 7, ...calm },
      {
        state: 'finding route',
        status: null,
        count: 1,
        superseded: 0,
        unlisted: 0,
        forProvider: 0,
        oldestAt: 5,
        ...calm,
      },
    ])
    const theirs = await store.executionQueries.countByState({ organizationId: 'org_3' }, 9)
    expect(theirs).toMatchObject([{ state: 'retrying', count: 3, forProvider: 1 }])
  })
})

const jobOf = (n: number, dueAt: number | null): Job => ({
  id: `job_${n}`,
  version: 0,
  organizationId: 'org_1',
  asked: {
    actor: { kind: 'API_KEY', id: 'key_1', label: 'ops' },
    organizationId: null,
    reason: 'why',
    requestId: null,
  },
  work: { verb: 'retry', filter: { organizationId: null, status: ['FAILED'] } },
  matched: 1,
  done: 0,
  failed: 0,
  found: 0,
  after: null,
  state: dueAt === null ? 'DONE' : 'RUNNING',
  dueAt,
  createdAt: n,
  updatedAt: n,
})

const connection = await newDatabase()
describe.each(['in memory', 'in MongoDB'])('jobs %s', (where) => {
  test('due jobs are found, and only one of two processes takes a job', async () => {
    const jobs = where === 'in MongoDB' ? mongoStore(connection, 'worker-1', Date.now).jobs : jobsInMemory()
    for (const job of [jobOf(1, 10), jobOf(2, 20), jobOf(3, null)]) await jobs.save(job)
    expect((await jobs.due(15)).map(({ id }) => id)).toEqual(['job_1'])
    const [one] = await jobs.due(10)
    const taken = await Promise.all([jobs.save({ ...one!, dueAt: 99 }), jobs.save({ ...one!, dueAt: 98 })])
    expect(taken.filter((job) => job !== null)).toHaveLength(1)
    expect((await jobs.load('job_1'))!.work).toEqual(one!.work)
  })
})
