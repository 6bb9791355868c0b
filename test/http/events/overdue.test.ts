import { expect, test } from 'bun:test'
import { unminedMaxOf, unusedRelayer } from '../../../src/domain/chain/relayer'
import type { Execution, Facts } from '../../../src/domain/execution/execution'
import { boundMsOf, type OverdueKind, overdueNames, overdueRow } from '../../../src/domain/execution/overdue'
import type { WaitReason } from '../../../src/domain/execution/retry'
import { depositOf, executionOf, hashOf, sightingOf } from '../../support/deposits'
import { inState, overdueWorld } from '../../support/overdue-world'
import { testAll } from '../../support/test-all'
import { intent, order, sent, spent } from '../../support/world'

type World = Awaited<ReturnType<typeof overdueWorld>>
/** How the condition begins and ends, by its real cause. `boundMs`: time from its beginning to the report. */
type Case = {
  boundMs: number
  begin: (world: World) => Promise<unknown>
  heal: (world: World) => Promise<unknown>
}

const base = 8453
const minuteMs = 60_000
const id = executionOf(1).id

const ended: Partial<Execution> = { state: 'SUCCESS', status: 'SUCCESS', completedAt: 1, dueAt: null }
const end = async ({ store }: World) => void store.executions.change(id, ended)
const execution = (boundMs: number, record: (now: number) => Execution): Case => ({
  boundMs,
  begin: ({ store, clock }) => store.executions.save(record(clock.now)),
  heal: end,
})
const waiting = (boundMs: number, reason: WaitReason) =>
  execution(boundMs, (now) => inState(now, 'finding route', { facts: { waiting: { for: reason, since: now } } }))

const cctp = { provider: 'cctp', kind: 'BRIDGE', expectedSeconds: 26 } as never
/** An execution whose money has left the account and has not arrived. */
const onItsWay = (now: number, more: Facts): Execution => {
  const facts = { intent, order, transactions: [{ ...sent, at: now }], spent: { ...spent, at: now }, ...more }
  return inState(now, 'RUNNING', { status: 'RUNNING', facts })
}

const told = (n: number, now: number, detectedBy: Execution['deposit']['detectedBy']) =>
  executionOf(n, { ...ended, createdAt: now }, { ...depositOf(n), detectedAt: now, detectedBy })
const reportDetected = async ({ store, clock }: World, from: number, by: Execution['deposit']['detectedBy']) => {
  for (let n = from; n < from + 6; n++) await store.executions.save(told(n, clock.now + n, by))
}

const unexplained = { kind: 'UNEXPLAINED', chainId: base, provider: null, subject: 'account 0x1' } as const
const audited = { kind: 'AUDIT', chainId: base, provider: null, subject: null } as const
const budget = { kind: 'NODE_BUDGET', chainId: base, provider: null, subject: null } as const

/** A new kind in the table does not compile until it has a case here. */
const cases: Record<OverdueKind, Case> = {
  BUG: execution(0, (now) => {
    const cause = { code: 'UNEXPECTED', category: null, message: 'why', at: now } as const
    const record = inState(now, 'pricing fees', { cause })
    return { ...record, history: record.history.map((entry) => ({ ...entry, event: 'step failed' })) }
  }),
  RETRY: execution(2 * minuteMs, (now) => inState(now, 'FAILED', { status: 'FAILED', dueAt: now })),
  ROUTING: execution(2 * minuteMs, (now) => inState(now, 'finding route')),
  LANE: waiting(30 * minuteMs, 'LANE'),
  PAUSE: waiting(4 * 60 * minuteMs, 'PAUSE'),
  BLOCK: waiting(10 * minuteMs, 'BLOCK'),
  NODE: waiting(10 * minuteMs, 'NODE'),
  GAS: waiting(2 * minuteMs, 'GAS'),
  PROVIDER: waiting(30 * minuteMs, 'PROVIDER'),
  QUOTA: waiting(2 * minuteMs, 'QUOTA'),
  BUDGET: waiting(25 * 60 * minuteMs, 'BUDGET'),
  WORTH: waiting(2 * minuteMs, 'WORTH'),
  SIGNER: waiting(2 * minuteMs, 'SIGNER'),
  TOKEN: waiting(4 * 60 * minuteMs, 'TOKEN'),
  PENDING: execution(2 * minuteMs, (now) => inState(now, 'PENDING', { status: 'PENDING', facts: { intent, order } })),
  SUBMITTED: execution(10 * minuteMs, (now) => {
    const facts = { intent, order, transactions: [{ ...sent, at: now }] }
    return inState(now, 'RUNNING', { status: 'RUNNING', facts })
  }),
  DELIVERY: execution(40 * minuteMs, (now) => onItsWay(now, {})),
  // A standard transfer from Base takes up to 34 minutes plus the confirmations. It is not late before that.
  ATTESTATION: execution(2_046_000 + 10 * minuteMs, (now) =>
    onItsWay(now, { route: cctp, delay: { reason: 'FEE_TOO_LOW', expectedSeconds: 2_046 } }),
  ),
  MINT: execution(40 * minuteMs, (now) =>
    onItsWay(now, { route: cctp, mint: { nonce: hashOf(1), id: hashOf(2), attestedAt: now, transactions: [] } }),
  ),
  CONFIRMING: {
    boundMs: 10 * minuteMs + 20_000,
    begin: ({ store, clock }) =>
      store.sightings.save(sightingOf(1, { organizationId: 'org_a', detectedAt: clock.now })),
    heal: ({ store, clock }) => store.executions.save(inState(clock.now, 'finding route')),
  },
  WAKES: {
    boundMs: 2 * minuteMs,
    begin: ({ store, clock }) => store.executions.save(inState(clock.now, 'finding route', { dueAt: clock.now })),
    heal: end,
  },
  SCANNER: { boundMs: 2 * minuteMs, begin: async () => {}, heal: async ({ allIsWell }) => allIsWell() },
  HEAD: {
    boundMs: 2 * minuteMs,
    begin: async ({ heads, clock }) => heads.set(base, clock.now),
    heal: async ({ heads }) => heads.clear(),
  },
  SWEEP: { boundMs: 10 * minuteMs, begin: async () => {}, heal: async ({ allIsWell }) => allIsWell() },
  RELAYER_GAS: {
    boundMs: 0,
    begin: async ({ wei }) => Object.assign(wei, { balance: 1n }),
    heal: async ({ wei }) => Object.assign(wei, { balance: 10n ** 18n }),
  },
  RELAYER_DELEGATED: {
    boundMs: 0,
    begin: async ({ wei }) => Object.assign(wei, { isDelegated: true }),
    heal: async ({ wei }) => Object.assign(wei, { isDelegated: false }),
  },
  PROVIDER_REFUSES: {
    boundMs: 0,
    begin: async ({ health, clock }) => Object.assign(health, { breaker: 'OPEN', credentialsRefusedAt: clock.now }),
    heal: async ({ health }) => Object.assign(health, { breaker: 'CLOSED', credentialsRefusedAt: null }),
  },
  PROVIDER_UNREADABLE: {
    boundMs: 0,
    begin: async ({ health }) => Object.assign(health, { breaker: 'OPEN', unreadable: 'It has a new call.' }),
    heal: async ({ health }) => Object.assign(health, { breaker: 'CLOSED', unreadable: null }),
  },
  PROVIDER_RESTS: {
    boundMs: 30 * minuteMs,
    begin: async ({ health }) => Object.assign(health, { breaker: 'OPEN' }),
    heal: async ({ health }) => Object.assign(health, { breaker: 'CLOSED' }),
  },
  WEBHOOK: {
    boundMs: 0,
    begin: async (world) => {
      await reportDetected(world, 10, ['WEBHOOK', 'SCANNER'])
      await world.pass(6 * minuteMs)
      await reportDetected(world, 20, ['SCANNER'])
    },
    heal: (world) => reportDetected(world, 30, ['SCANNER', 'WEBHOOK']),
  },
  NODE_BUDGET: {
    boundMs: 0,
    begin: async ({ store, clock }) => {
      await store.observations.note(budget, clock.now, clock.now)
      await store.observations.note(budget, clock.now + 1, null)
    },
    heal: ({ store, clock }) => store.observations.note(budget, clock.now, clock.now),
  },
  UNEXPLAINED: {
    boundMs: 0,
    begin: ({ store, clock }) => store.observations.note(unexplained, clock.now, clock.now - 1),
    heal: ({ store, clock }) => store.observations.note(unexplained, clock.now, clock.now),
  },
  AUDIT: {
    boundMs: 49 * 60 * minuteMs,
    begin: ({ store, clock }) => store.observations.note(audited, clock.now, clock.now),
    heal: ({ store, clock }) => store.observations.note(audited, clock.now, clock.now),
  },
  POISON: {
    boundMs: 0,
    begin: async ({ told }) => told.noteSettled({ verdict: 'term', wake: { redeliveries: 0 }, error: null } as never),
    heal: (world) => world.pass(61 * minuteMs),
  },
}

/** Signs that stop while the rest of the service continues. They must not be reported healthy in this time. */
const still = (kind: OverdueKind): OverdueKind[] => (kind === 'SCANNER' || kind === 'SWEEP' ? [kind] : [])
/** Time until the next check of rarely checked things. */
const pollMs = 6 * minuteMs

testAll(overdueNames)(
  'an overdue condition is reported once by the metric, the log, the page and next, until it heals',
  async (kind) => {
    const { boundMs, begin, heal } = cases[kind]
    const row = overdueRow(kind)
    const isOwn = row.source === 'EXECUTION' || row.source === 'DEPOSIT'
    const world = await overdueWorld()
    await world.pass(minuteMs)
    const calm = await world.seen(kind)
    expect(calm).toEqual({ metric: 0, isMeasured: true, page: [], own: [], warned: 0, over: 0 })

    await begin(world)
    if (boundMs > 0) {
      await world.pass(boundMs - 1_000, still(kind))
      expect(await world.seen(kind)).toEqual(calm)
      if (isOwn) expect(await world.nextOf(id)).not.toMatchObject({ action: 'INVESTIGATE' })
    }
    await world.pass(boundMs > 0 ? 2 * minuteMs : pollMs, still(kind))
    const seen = await world.seen(kind)
    expect(seen.metric).toBeGreaterThan(0)
    expect(seen.page.length).toBe(seen.metric)
    expect(seen.own.length).toBe(isOwn ? 1 : 0)
    expect(seen.warned).toBe(seen.metric)
    expect(seen.over).toBe(0)
    if (isOwn) {
      expect(seen.page).toMatchObject([{ organizationId: 'org_a', depositId: id, advice: row.advice }])
      expect(seen.own[0]).not.toHaveProperty('organizationId')
      const { actor, action, message } = await world.nextOf(id)
      expect({ actor, action }).toEqual({ actor: 'OPERATOR', action: row.action })
      expect(message).toEndWith(row.message)
    } else if (row.shownAs !== null) expect(overdueRow(row.shownAs as OverdueKind).source).toMatch(/EXECUTION|DEPOSIT/)

    await heal(world)
    await world.pass(2 * minuteMs)
    const after = await world.seen(kind)
    expect({ ...after, warned: 0, over: 0 }).toEqual(calm)
    expect([after.warned, after.over]).toEqual([seen.warned, seen.metric])
    if (isOwn) expect((await world.nextOf(id)).action).not.toBe('INVESTIGATE')
    expect(world.troubles).toEqual([])
  },
)

test('a delegated relayer key gets one transaction at a time within six minutes, and again sixteen once it is healed', async () => {
  const world = await overdueWorld()
  await world.pass(minuteMs)
  const key = `${base}:0`
  const most = async () => unminedMaxOf((await world.relayerRecords.load(key)) ?? unusedRelayer(key))
  expect(await most()).toBe(16)
  await cases.RELAYER_DELEGATED.begin(world)
  await world.pass(pollMs)
  expect([await most(), (await world.seen('RELAYER_DELEGATED')).metric]).toEqual([1, 5])
  await cases.RELAYER_DELEGATED.heal(world)
  await world.pass(2 * minuteMs)
  expect([await most(), (await world.seen('RELAYER_DELEGATED')).metric]).toEqual([16, 0])
})

test('time passing between two readings of the clock makes nothing overdue', async () => {
  const world = await overdueWorld()
  let ticking = world.clock.now
  const set = (at: number) => {
    ticking = at
  }
  Object.defineProperty(world.clock, 'now', { get: () => ticking++, set })
  await world.pass(20 * minuteMs)
  for (const kind of overdueNames) expect((await world.seen(kind)).metric, kind).toBe(0)
  expect(world.lines.warn).toEqual([])
})

test('records of a chain that a release has removed are listed, and hide no others', async () => {
  const world = await overdueWorld()
  const now = world.clock.now
  const removed = { chainId: 56 as never }
  await world.store.sightings.save(sightingOf(2, { ...removed, id: `56:${hashOf(2)}:0`, detectedAt: now }))
  await world.store.observations.note({ ...unexplained, ...removed, kind: 'HEAD' }, now + 20 * minuteMs, now)
  await world.store.observations.note({ ...unexplained, ...removed, kind: 'SWEEP' }, now, now)
  await cases.GAS.begin(world)
  await world.pass(20 * minuteMs, ['SCANNER'])
  const page = (await world.ask('/api/operator/overdue', { key: world.platform })).json as { kind: string }[]
  expect(page.map(({ kind }) => kind).toSorted()).toEqual(expect.arrayContaining(['CONFIRMING', 'GAS', 'HEAD']))
  expect(page.find(({ kind }) => kind === 'HEAD')).toMatchObject({ message: expect.stringContaining('chain 56') })
  // The metric pages, and a chain that no process watches any longer needs no heartbeat.
  for (const [kind, count] of Object.entries({ CONFIRMING: 1, HEAD: 1, GAS: 1, SWEEP: 0 }))
    expect((await world.seen(kind as OverdueKind)).metric, kind).toBe(count)
})

test('another organization gets no report', async () => {
  const world = await overdueWorld()
  const other = await world.key('org_b', 'OPERATOR')
  await cases.GAS.begin(world)
  await world.pass(10 * minuteMs, ['SCANNER'])
  expect((await world.ask('/api/operator/overdue', { key: other })).json).toEqual([])
  expect((await world.ask('/api/operator/overdue', { key: world.client })).status).toBe(403)
  const kinds = ((await world.ask('/api/operator/overdue', { key: world.operator })).json as { kind: string }[]).map(
    ({ kind }) => kind,
  )
  expect(kinds).toEqual(['GAS'])
})

test('a lasting condition is reported again each hour, and a thousand are reported as a few and a number', async () => {
  const world = await overdueWorld()
  for (let n = 1; n <= 30; n++) {
    const record = inState(world.clock.now, 'finding route')
    await world.store.executions.save({ ...record, id: `${base}:${hashOf(n)}:0` })
  }
  await world.pass(4 * minuteMs)
  expect((await world.seen('ROUTING')).metric).toBe(30)
  expect(world.lines.warn.filter(({ overdue }) => overdue === 'ROUTING').length).toBe(30)
  expect(world.lines.warn).toContainEqual({ count: 10 } as never)
  await world.pass(50 * minuteMs)
  expect((await world.seen('ROUTING')).warned).toBe(30)
  await world.pass(20 * minuteMs)
  expect((await world.seen('ROUTING')).warned).toBe(60)
})

test('a deposit behind one that waits for a shut provider is not overdue before that one', async () => {
  const world = await overdueWorld()
  const now = world.clock.now
  const dueAt = now + 5 * minuteMs
  const waits = (reason: WaitReason) => ({ dueAt, facts: { waiting: { for: reason, since: now } } })
  await world.store.executions.save(inState(now, 'finding route', waits('PROVIDER')))
  await world.store.executions.save({ ...inState(now, 'taking lane', waits('LANE')), id: `${base}:${hashOf(2)}:0` })
  await world.pass(29 * minuteMs)
  expect([(await world.seen('PROVIDER')).metric, (await world.seen('LANE')).metric]).toEqual([0, 0])
  expect(await world.nextOf(id)).toMatchObject({
    actor: 'SERVICE',
    action: 'ROUTE',
    expectedAt: new Date(dueAt).toISOString(),
    by: new Date(now + 30 * minuteMs).toISOString(),
  })
})

test('a missing delivery is due from its submission, however often polling it fails', async () => {
  const world = await overdueWorld()
  const now = world.clock.now
  const facts = { intent, order, transactions: [{ ...sent, at: now }] }
  const record = inState(now, 'RUNNING', { status: 'RUNNING', facts })
  const failing = (n: number) => ({
    seq: n,
    at: now + n * minuteMs,
    event: 'step failed',
    from: 'RUNNING',
    to: 'RUNNING',
    status: 'RUNNING' as const,
    note: null,
  })
  const history = [...record.history, ...Array.from({ length: 15 }, (_, n) => failing(n + 3))]
  await world.store.executions.save({ ...record, seq: 18, history })
  await world.pass(11 * minuteMs)
  expect((await world.seen('SUBMITTED')).own.length).toBe(1)
  expect(boundMsOf('SUBMITTED', null)).toBe(10 * minuteMs)
})

test('refused credentials are reported with their beginning, even if no request was made for a day', async () => {
  const world = await overdueWorld()
  await cases.PROVIDER_REFUSES.begin(world)
  await world.pass(2 * minuteMs)
  await cases.PROVIDER_REFUSES.heal(world)
  await world.pass(24 * 60 * minuteMs)
  await cases.PROVIDER_REFUSES.begin(world)
  const began = new Date(world.clock.now).toISOString()
  await world.pass(2 * minuteMs)
  const { page } = await world.seen('PROVIDER_REFUSES')
  expect(page).toMatchObject([{ provider: 'lifi', since: began }])
})

test('an order sent while one of two nodes is unreachable is reported overdue as NODE instead of SUBMITTED, in the same time', async () => {
  const world = await overdueWorld()
  const now = world.clock.now
  const waiting = { for: 'NODE', since: now } as const
  const facts = { intent, order, transactions: [{ ...sent, at: now }], waiting }
  const record = inState(now, 'RUNNING', { status: 'RUNNING', facts })
  await world.store.executions.save(record)
  const early = await world.nextOf(record.id)
  expect(early.message).toMatch(/sent. The chain cannot be read reliably/)
  expect(early.by).toBe(new Date(now + boundMsOf('SUBMITTED', null)).toISOString())
  await world.pass(boundMsOf('SUBMITTED', null) + minuteMs)
  expect((await world.seen('NODE')).own.length).toBe(1)
  expect((await world.seen('SUBMITTED')).own.length).toBe(0)
  expect((await world.nextOf(record.id)).message).toMatch(/cannot be read reliably/)
})
