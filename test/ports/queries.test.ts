import { describe, expect, test } from 'bun:test'
import type { Address } from '../../src/domain/chain/hex'
import type { IntentSnapshot } from '../../src/domain/deposit/deposit-intent'
import type { Execution } from '../../src/domain/execution/execution'
import type { ExecutionFilter } from '../../src/ports/queries'
import type { PagePosition } from '../../src/ports/records'
import { addressOf, executionOf, hashOf } from '../support/deposits'
import { detailed, idOf, intent, intentOf, openedWith, shown, whose } from '../support/query-records'
import { stores } from '../support/stores'
import { testAll } from '../support/test-all'

describe.each(stores)('queries %s', (_name, open) => {
  const opened = (...records: Execution[]) => openedWith(open, records)

  test('filters shared by ended and running executions match both, in order', async () => {
    const shared = (n: number, changed: Partial<Execution>, by: IntentSnapshot = intent) =>
      shown(n, { facts: { intent: by, routeId: hashOf(n) }, ...changed })
    const ended = { state: 'SUCCESS', status: 'SUCCESS', completedAt: 9, dueAt: null } as const
    const records = [shared(1, ended), shared(3, {}), shared(4, ended), shared(8, ended, { ...intent, apiKeyId: 'x' })]
    const { store, ids } = await opened(...records)
    const { apiKeyId } = intent
    expect(await ids({ apiKeyId })).toEqual([idOf(4), idOf(3), idOf(1)])
    expect(await ids({ apiKeyId }, { limit: 2 })).toEqual([idOf(4), idOf(3)])
    expect(await ids({ apiKeyId }, { limit: 2, offset: 1 })).toEqual([idOf(3), idOf(1)])
    expect(await ids({ apiKeyId }, { after: { createdAt: 4, id: idOf(4) } })).toEqual([idOf(3), idOf(1)])
    expect(await ids({ apiKeyId, status: ['SUCCESS'] })).toEqual([idOf(4), idOf(1)])
    expect(await ids({ apiKeyId, status: ['RUNNING', 'SUCCESS'] })).toEqual([idOf(4), idOf(3), idOf(1)])
    expect(await ids({ apiKeyId, status: ['RUNNING'] })).toEqual([idOf(3)])
    expect(await store.executionQueries.count({ ...whose, apiKeyId }, 9)).toBe(3)
    expect(await store.executionQueries.count({ ...whose, apiKeyId }, 2)).toBe(2)
  })

  test('overdue executions are listed longest overdue first, by organization', async () => {
    const waits = (n: number, changed: Partial<Execution> = {}) =>
      shown(n, { facts: { waiting: { for: 'GAS', since: n } }, state: 'finding route', status: null, ...changed })
    const ended = { state: 'SUCCESS', status: 'SUCCESS', completedAt: 9, dueAt: null } as const
    const foreign = waits(3, { organizationId: 'org_2' })
    const { store } = await opened(waits(2), waits(1), foreign, waits(4, ended), waits(50))
    const at = 120_010
    const of = async (organizationId: string | null, limit = 9, now = at) =>
      (await store.executionQueries.overdue({ organizationId }, now, limit)).map(({ id }) => id)
    expect(await of('org_1')).toEqual([idOf(1), idOf(2)])
    expect(await of(null)).toEqual([idOf(1), idOf(2), idOf(3)])
    expect(await of(null, 1)).toEqual([idOf(1)])
    expect(await of(null, 9, 120_001)).toEqual([])
    expect(await store.executionQueries.countOverdue(at, 99)).toEqual([{ kind: 'GAS', chainId: 8453, count: 3 }])
    expect(await store.executionQueries.countOverdue(at, 2)).toEqual([{ kind: 'GAS', chainId: 8453, count: 2 }])
    const before = await store.executions.load(idOf(1))
    await store.executions.save({ ...before!, ...ended, state: 'DEAD_LETTER', status: 'DEAD_LETTER' })
    expect(await of('org_1')).toEqual([idOf(2)])
  })

  test('the newest observation of any process counts, and trouble ends when the component was well later', async () => {
    const { store } = await open()
    const component = { kind: 'HEAD', chainId: 8453, provider: null, subject: null } as const
    const observation = { id: 'HEAD:8453', ...component }
    await store.observations.note(component, 5, null)
    expect(await store.observations.all()).toEqual([{ ...observation, okAt: 5, at: 5 }])
    await store.observations.note(component, 7, 6)
    await store.observations.note(component, 9, null)
    await store.observations.note(component, 4, 3) // a process with a late response
    expect(await store.observations.all()).toEqual([{ ...observation, okAt: 6, at: 9 }])
  })

  test('shown executions are listed newest first, for one organization or all', async () => {
    const foreign = shown(3, { organizationId: 'org_2' })
    const { ids } = await opened(shown(1), detailed, foreign, executionOf(4))
    expect(await ids({})).toEqual([idOf(2), idOf(1)])
    expect(await ids({ organizationId: null })).toEqual([idOf(3), idOf(2), idOf(1)])
    expect(await ids({ organizationId: 'org_3' })).toEqual([])
  })

  testAll<[string, Partial<ExecutionFilter>, boolean]>([
    ['deposit hash', { txHash: hashOf(2) }, true],
    ['source hash', { txHash: hashOf(0xa1) }, true],
    ['destination hash', { txHash: hashOf(0xa3) }, true],
    ['unknown hash', { txHash: hashOf(0xa4) }, false],
    ['route', { routeId: hashOf(0xeeee) }, true],
    ['deposit', { depositId: idOf(2) }, true],
    ['user', { userId: 'user-1' }, true],
    ['another user', { userId: 'user-2' }, false],
    ['address', { depositAddress: addressOf(0xac) }, true],
    ['status', { status: ['SUCCESS', 'DEAD_LETTER'] }, true],
    ['another status', { status: ['SUCCESS'] }, false],
    ['chains', { fromChainId: 8453, toChainId: 42161 }, true],
    ['another chain', { fromChainId: 137 }, false],
    ['token', { fromTokenAddress: addressOf(0x70) }, true],
    ['provider', { provider: 'lifi' }, true],
    ['another provider', { provider: 'relay' }, false],
    ['cause', { causeCode: 'NO_ROUTE' }, true],
    ['key', { apiKeyId: 'key_1' }, true],
    ['time', { createdFrom: 2, createdTo: 3 }, true],
    ['time that is over', { createdFrom: 1, createdTo: 2 }, false],
    ['what is not said', { userId: undefined, status: undefined, createdTo: undefined }, true],
  ])('executions are found by every known attribute', async (_what, filter, isFound) => {
    const { ids } = await opened(detailed)
    expect(await ids(filter)).toEqual(isFound ? [detailed.id] : [])
    expect(await ids({ ...filter, organizationId: 'org_2' })).toEqual([])
  })

  test('executions that failed or ended after a time are left out', async () => {
    const failed = (n: number, at: number, completedAt: number | null = null) => {
      const cause = { code: 'NO_ROUTE', category: null, message: '', at } as const
      const end = completedAt === null ? {} : ({ state: 'DEAD_LETTER', status: 'DEAD_LETTER', dueAt: null } as const)
      return shown(n, { cause, completedAt, ...end })
    }
    const { ids } = await opened(shown(1), failed(2, 5), failed(3, 6), failed(4, 4, 5), failed(5, 4, 6))
    expect(await ids({ settledTo: 5 })).toEqual([idOf(4), idOf(2), idOf(1)])
    expect(await ids({ settledTo: 6 })).toHaveLength(5)
    expect(await ids({ settledTo: 5, status: ['RUNNING'] })).toEqual([idOf(2), idOf(1)])
    expect(await ids({ settledTo: 5, completedFrom: 5 })).toEqual([idOf(4)])
    expect(await ids({ settledTo: 5, completedFrom: 6 })).toEqual([])
  })

  test('an execution is found by its recipient, even after the intent changed, and only by its own organization', async () => {
    const [ada, bob] = [addressOf(0xada), addressOf(0xb0b)]
    const to = (n: number, targetAddress: Address, account: number, changed: Partial<Execution> = {}) => {
      const snapshot = { ...intent, targetAddress }
      const whoseRecord = { userId: `user-${account}`, createdAt: n, status: 'RUNNING' } as const
      const record = executionOf(n, { ...whoseRecord, ...changed }, { account: addressOf(account) })
      return { ...record, facts: { intent: snapshot } }
    }
    const { store, ids } = await opened(to(1, ada, 0xa1), to(2, bob, 0xa1), to(3, bob, 0xa2), shown(4))
    const named = await store.intents.save(intentOf(0xa1, ada))
    await store.intents.save({ ...named!, targetAddress: bob })
    await store.intents.save(intentOf(0xa2, bob))
    expect(await ids({ targetAddress: ada })).toEqual([idOf(1)])
    expect(await ids({ targetAddress: bob })).toEqual([idOf(3), idOf(2)])
    expect(await ids({ targetAddress: bob, depositAddress: addressOf(0xa1) })).toEqual([idOf(2)])
    expect(await ids({ targetAddress: addressOf(0xe) })).toEqual([])
    expect(await ids({ targetAddress: ada, organizationId: 'org_2' })).toEqual([])
    expect(await ids({ targetAddress: ada, organizationId: null })).toEqual([idOf(1)])
    expect(await store.executionQueries.count({ ...whose, targetAddress: bob }, 10)).toBe(2)
  })

  test('an execution with a refund is found by the refund address', async () => {
    const eve = addressOf(0xe7e)
    const whoseRecord = { userId: `user-${0xa1}`, createdAt: 1, status: 'RUNNING' } as const
    const record = executionOf(1, whoseRecord, { account: addressOf(0xa1) })
    const { store, ids } = await opened({ ...record, facts: { intent: { ...intent, targetAddress: eve } } })
    await store.intents.save({ ...intentOf(0xa1, addressOf(0xada)), refundAddress: eve })
    expect(await ids({ targetAddress: eve })).toEqual([idOf(1)])
  })

  test('the recipient of very many accounts is found as well', async () => {
    const treasury = addressOf(0x7ea)
    const { store, ids } = await opened(
      executionOf(
        1,
        {
          createdAt: 1,
          status: 'RUNNING',
          facts: { intent: { ...intent, targetAddress: treasury } },
        },
        { account: addressOf(5_001) },
      ),
    )
    await Promise.all(Array.from({ length: 101 }, (_, n) => store.intents.save(intentOf(5_000 + n, treasury))))
    expect(await ids({ targetAddress: treasury })).toEqual([idOf(1)])
  })

  test('a deposit finds only its own re-drives, even among ids with the same prefix', async () => {
    const { ids } = await opened(shown(1), { ...shown(2), id: `${idOf(1)}:r1` }, { ...shown(3), id: `${idOf(1)}0` })
    expect(await ids({ depositId: idOf(1) })).toEqual([`${idOf(1)}:r1`, idOf(1)])
  })

  test('paging by position lists every row once while rows arrive', async () => {
    const rows = Array.from({ length: 9 }, (_, n) => shown(n + 1, { createdAt: Math.floor(n / 3) }))
    const { store } = await opened(...rows)
    const met: string[] = []
    let after: PagePosition | undefined
    for (let page = await next(); page.length > 0; page = await next()) {
      met.push(...page.map(({ id }) => id))
      const last = page.at(-1)!
      after = { createdAt: last.createdAt!, id: last.id }
      await store.executions.save(shown(100 + met.length))
    }
    async function next() {
      return store.executionQueries.list(whose, { limit: 2, after })
    }
    expect(met).toEqual(rows.map(({ id }) => id).toReversed())
  })

  test('paging from the oldest lists every row once, in the opposite order', async () => {
    const rows = Array.from({ length: 9 }, (_, n) => shown(n + 1, { createdAt: Math.floor(n / 3) }))
    const { store, ids } = await opened(...rows)
    const met: string[] = []
    let after: PagePosition | undefined
    const next = () => store.executionQueries.list(whose, { limit: 2, after, isOldestFirst: true })
    for (let page = await next(); page.length > 0; page = await next()) {
      met.push(...page.map(({ id }) => id))
      after = { createdAt: page.at(-1)!.createdAt!, id: page.at(-1)!.id }
    }
    expect(met).toEqual((await ids({})).toReversed())
    const apiKeyId = rows[0]!.facts.intent?.apiKeyId
    expect(await ids({ apiKeyId }, { isOldestFirst: true })).toEqual((await ids({ apiKeyId })).toReversed())
  })

  test('the client’s list counts rows', async () => {
    const { ids } = await opened(shown(1), shown(2), shown(3))
    expect(await ids({}, { limit: 2, offset: 1 })).toEqual([idOf(2), idOf(1)])
    expect(await ids({}, { limit: 2, offset: 3 })).toEqual([])
  })

  test('superseded executions are left out or requested, and counted separately', async () => {
    const dead = { state: 'DEAD_LETTER', status: 'DEAD_LETTER', completedAt: 9, dueAt: null } as const
    const redriven = shown(2, { ...dead, redrivenBy: `${idOf(2)}:r1` })
    const { store, ids } = await opened(
      shown(1, dead),
      redriven,
      { ...shown(3, { ...dead, redriveOf: idOf(2) }), id: `${idOf(2)}:r1` },
      shown(4, { ...dead, continuedBy: idOf(5) }),
      shown(5, { refundOf: idOf(4) }),
      shown(6, { ...dead, takenBy: idOf(5) }),
      shown(7, { continuedBy: idOf(8) }),
    )
    const own = [idOf(5), `${idOf(2)}:r1`, idOf(1)]
    const others = [idOf(7), idOf(6), idOf(4), idOf(2)]
    expect(await ids({ superseded: false })).toEqual(own)
    expect(await ids({ superseded: true })).toEqual(others)
    expect(await ids({ superseded: true }, { limit: 2, offset: 1 })).toEqual(others.slice(1, 3))
    expect(await ids({ superseded: false, status: ['DEAD_LETTER'] })).toEqual(own.slice(1))
    expect(await ids({ superseded: true, status: ['DEAD_LETTER'] })).toEqual(others.slice(1))
    expect(await ids({ superseded: true, organizationId: 'org_2' })).toEqual([])
    const most = (superseded: boolean) => store.executionQueries.count({ ...whose, superseded }, 99)
    expect([await most(true), await most(false)]).toEqual([4, 3])
    for (const organizationId of ['org_1', null]) {
      const counts = await store.executionQueries.countByState({ organizationId }, 9)
      expect(Object.fromEntries(counts.map(({ state, count, superseded }) => [state, [count, superseded]]))).toEqual({
        DEAD_LETTER: [5, 3],
        RUNNING: [2, 1],
      })
    }
  })

  test('unfinished executions in a state are listed oldest first, shown or not, by organization', async () => {
    const routing = { state: 'finding route', completedAt: null } as const
    const hidden = { createdAt: null, status: null } as const
    const { store } = await opened(
      shown(1, { ...routing, ...hidden }),
      shown(2, { ...routing, status: 'FAILED' }),
      shown(3, { state: 'RUNNING', status: 'RUNNING' }),
      shown(4, { ...routing, ...hidden, organizationId: 'org_2' }),
    )
    const ids = async (organizationId: string | null, limit = 9) =>
      (await store.executionQueries.inState({ organizationId }, 'finding route', limit)).map(({ id }) => id).toSorted()
    expect(await ids('org_1')).toEqual([idOf(1), idOf(2)].toSorted())
    expect(await ids('org_2')).toEqual([idOf(4)])
    expect(await ids(null)).toHaveLength(3)
    expect(await ids(null, 1)).toEqual([idOf(1)])
  })

  test('a deposit lists only its own newest execution', async () => {
    const dead = { state: 'DEAD_LETTER', status: 'DEAD_LETTER', completedAt: 9, dueAt: null } as const
    const [first, second, third] = [idOf(1), `${idOf(1)}:r1`, `${idOf(1)}:r2`]
    const { store } = await opened(
      shown(1, { ...dead, redrivenBy: second }),
      { ...shown(2, { ...dead, redriveOf: first, redrivenBy: third }), id: second },
      { ...shown(3, { redriveOf: second, createdAt: null, status: null, state: 'finding route' }), id: third },
      shown(4),
    )
    const list = await store.depositQueries.list(whose, { limit: 9 })
    expect(list.map(({ id, execution, newest }) => [id, execution?.id, newest?.id])).toEqual([
      [idOf(4), idOf(4), idOf(4)],
      [first, first, third],
    ])
    expect((await store.depositQueries.find(whose, first))?.newest?.id).toBe(third)
  })

  test('a single execution is found by its own organization, shown or not', async () => {
    const { store } = await opened(executionOf(1))
    const { executionQueries } = store
    expect((await executionQueries.find(whose, idOf(1)))?.id).toBe(idOf(1))
    expect((await executionQueries.find({ organizationId: null }, idOf(1)))?.id).toBe(idOf(1))
    expect(await executionQueries.find({ organizationId: 'org_2' }, idOf(1))).toBeNull()
  })

  test('shown executions are counted by status', async () => {
    const { store } = await opened(shown(1), detailed, shown(3), executionOf(4))
    expect(await store.executionQueries.countByStatus(whose)).toEqual({ RUNNING: 2, DEAD_LETTER: 1 })
  })

  test('matching executions are counted up to a limit', async () => {
    const { store } = await opened(shown(1), detailed, shown(3), executionOf(4))
    const count = (filter: Partial<ExecutionFilter>, most: number) =>
      store.executionQueries.count({ ...whose, ...filter }, most)
    expect(await count({}, 10)).toBe(3)
    expect(await count({}, 2)).toBe(2)
    expect(await count({ status: ['RUNNING'], createdFrom: 2 }, 10)).toBe(1)
    expect(await count({ organizationId: 'org_2' }, 10)).toBe(0)
  })

  test('all executions are counted by state, with the oldest of each', async () => {
    const { store } = await opened(shown(1), shown(3), executionOf(4, {}, { detectedAt: 4 }))
    const calm = { enteredAt: expect.any(Number), overdue: expect.any(Number), endedLastDay: 0 }
    const counts = await store.executionQueries.countByState(whose, 9)
    expect<unknown>(counts.toSorted((a, b) => b.count - a.count)).toEqual([
      {
        state: 'RUNNING',
        status: 'RUNNING',
        count: 2,
        superseded: 0,
        unlisted: 0,
        forProvider: 0,
        oldestAt: 1,
        ...calm,
      },
      {
        state: 'matching intent',
        status: null,
        count: 1,
        superseded: 0,
        unlisted: 0,
        forProvider: 0,
        oldestAt: 4,
        ...calm,
      },
    ])
    expect(await store.executionQueries.countByState({ organizationId: 'org_2' }, 9)).toEqual([])
  })

  test('a state counts the executions past their deadline, and when the first of them entered it', async () => {
    const [minuteMs, now] = [60_000, 1_000 * 60_000]
    const routing = (n: number, at: number) => executionOf(n, { state: 'finding route', dueAt: at }, { detectedAt: at })
    const { store } = await opened(routing(1, now - 9 * minuteMs), routing(2, now - minuteMs), shown(3))
    const counts = await store.executionQueries.countByState(whose, now)
    const [found] = counts.filter(({ state }) => state === 'finding route')
    expect(found).toMatchObject({ count: 2, overdue: 1, enteredAt: now - 9 * minuteMs })
  })

  test('a final state counts those that ended in the last 24 hours, by organization', async () => {
    const [dayMs, now] = [86_400_000, 3 * 86_400_000]
    const ended = (n: number, completedAt: number, organizationId = 'org_1') =>
      shown(n, { state: 'SUCCESS', status: 'SUCCESS', dueAt: null, completedAt, organizationId })
    const { store } = await opened(
      ended(1, now - dayMs - 1),
      ended(2, now - dayMs),
      ended(3, now - 1),
      ended(4, now - 1, 'org_2'),
    )
    for (const [organizationId, of] of [
      ['org_1', 2],
      ['org_2', 1],
      [null, 3],
    ] as const)
      expect(await store.executionQueries.countByState({ organizationId }, now)).toMatchObject([
        { state: 'SUCCESS', endedLastDay: of, enteredAt: null, overdue: 0 },
      ])
  })

  test('re-drives and refunded deposits that are not shown yet are counted apart from open deposits', async () => {
    const { store } = await opened(
      executionOf(1, {}, { detectedAt: 1 }),
      executionOf(2, { refundOf: idOf(9) }, { detectedAt: 2 }),
      { ...executionOf(3, { redriveOf: idOf(8) }, { detectedAt: 3 }), id: `${idOf(8)}:r1` },
      shown(4, { refundOf: idOf(7) }),
    )
    const [before] = (await store.executionQueries.countByState(whose, 9)).filter(({ status }) => status === null)
    expect(before).toMatchObject({ count: 3, unlisted: 2 })
    const stage = ['WAITING_FOR_INTENT', 'QUEUED', 'PAUSED', 'ROUTING'] as const
    expect(await store.depositQueries.list({ ...whose, stage }, { limit: 9 })).toHaveLength(1)
  })
})
