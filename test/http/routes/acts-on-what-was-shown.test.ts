import { expect, test } from 'bun:test'
import { snapshotOf } from '../../../src/domain/deposit/deposit-intent'
import { runJobs } from '../../../src/routing/operations/run-jobs'
import { executionOf, hashOf } from '../../support/deposits'
import { usdc } from '../world'
import { elsewhere, holding, third } from './holding'

type World = Awaited<ReturnType<typeof holding>>
type Answer = { status: number; headers: Headers; json: { message?: string } & Record<string, unknown> }
type Act = {
  /** Creates the object, and returns the version that is shown. */
  show: (world: World) => Promise<string | number>
  /** Puts another object in its place, under the same name. */
  swap: (world: World) => Promise<unknown>
  act: (world: World, shown: string | number) => Promise<Answer>
  /** The state that the action would change. */
  state: (world: World) => Promise<unknown>
}

const reason = 'It was shown to me'
const email = 'new@example.test'
const because = `reason=${encodeURIComponent(reason)}`
const scam = { kind: 'TOKEN', chainId: 8453, address: usdc.base, listedAs: 'SCAM', reason }
const scamId = encodeURIComponent(`token:8453:${usdc.base}`.toLowerCase())
const ended = executionOf(1).id
const ownPause = '/operator/pauses/organization'

const heldChange = {
  show: async ({ put, shown }) => {
    await put(elsewhere)
    return shown()
  },
  swap: ({ put }) => put(third),
  state: async ({ goesTo, store, id }) => [await goesTo(), (await store.heldChanges.load(id))!.state],
} satisfies Omit<Act, 'act'>

const invitation = {
  show: async ({ as }) => (await as('owner', '/invitations', { body: { email, role: 'member' } })).json.version,
  swap: ({ as }) => as('owner', '/invitations', { body: { email, role: 'admin' } }),
  state: async ({ invitations }) => invitations.all().map(({ withdrawnAt, tokenDigest }) => [withdrawnAt, tokenDigest]),
} satisfies Omit<Act, 'act'>
const invited = ({ invitations }: World) => invitations.all()[0]!.id

const paused = {
  show: async ({ as }) => (await as('owner', ownPause, { method: 'PUT', body: { reason } })).json.version,
  swap: ({ as }) => as('admin', ownPause, { method: 'PUT', body: { reason: 'A thief has our key' } }),
  state: async ({ as }) => (await as('owner', '/operator/pauses')).json,
} satisfies Omit<Act, 'act'>

const listed = {
  show: async ({ as }) => (await as('platform-owner', '/operator/blacklist', { body: scam })).json.version,
  swap: async ({ as }) => {
    const [{ version }] = (await as('platform-admin', '/operator/blacklist')).json
    await as('platform-admin', '/operator/blacklist', { body: { ...scam, listedAs: 'SANCTIONED', version } })
  },
  state: async ({ as }) => (await as('platform-owner', '/operator/blacklist')).json,
} satisfies Omit<Act, 'act'>

/** An ended execution, whose user's intent determines the recipient of a re-drive and a refund. */
const redriven = {
  show: async ({ store, clock, id }) => {
    const intent = (await store.intents.load(id))!
    await store.intents.save({ ...intent, refundAddress: third.targetAddress as never })
    await store.executions.save(
      executionOf(
        1,
        {
          organizationId: 'org_a',
          userId: 'ann',
          createdAt: clock.now,
          state: 'DEAD_LETTER',
          status: 'DEAD_LETTER',
          completedAt: 5,
          dueAt: null,
          facts: { intent: snapshotOf(intent), routeId: hashOf(0x70) },
        },
        { account: id as never, token: usdc.base, detectedAt: clock.now },
      ),
    )
    return (await store.intents.load(id))!.version
  },
  swap: async ({ store, id, clock }) => {
    clock.now += 1_000
    const intent = (await store.intents.load(id))!
    const changed = {
      targetAddress: elsewhere.targetAddress,
      refundAddress: elsewhere.targetAddress,
    } as never as object
    await store.intents.save({ ...intent, ...changed, updatedAt: clock.now })
  },
  state: async ({ store }) => store.executions.all().map(({ id }) => id),
} satisfies Omit<Act, 'act'>

/** An execution whose value is unknown. A retry included a leftover after its page was shown. */
const unvalued = {
  show: async ({ store, clock, as }) => {
    const balance = { totalReceivedRaw: '25', block: 1 }
    const waiting = { for: 'WORTH', since: clock.now } as const
    const facts = { ...(await store.executions.load(ended))?.facts, balance, waiting }
    await store.executions.save(executionOf(1, { organizationId: 'org_a', userId: 'ann', facts }))
    return (await as('owner', `/deposits/${encodeURIComponent(ended)}`)).json.seq
  },
  swap: async ({ store }) => {
    const record = (await store.executions.load(ended))!
    const balance = { totalReceivedRaw: '2500', block: 2 }
    const entry = { ...record.history.at(-1)!, seq: record.seq + 1, event: 'balance verified' }
    const verified = { seq: record.seq + 1, history: [...record.history, entry] }
    await store.executions.save({ ...record, ...verified, facts: { ...record.facts, balance } })
  },
  state: async ({ store }) => (await store.executions.load(ended))!.facts.worthApproval,
} satisfies Omit<Act, 'act'>

/** A deposit that waited for an intent. It was created after the page was shown, and the deposit is being quoted. */
const waiting = {
  show: async ({ store, clock, as }) => {
    const facts = { waiting: { for: 'INTENT', since: clock.now } as const }
    const state = { state: 'matching intent', status: null, facts }
    await store.executions.save(executionOf(1, { organizationId: 'org_a', userId: 'ann', ...state }))
    return (await as('owner', `/deposits/${encodeURIComponent(ended)}`)).json.seq
  },
  swap: async ({ store }) => {
    const record = (await store.executions.load(ended))!
    const entry = { ...record.history.at(-1)!, seq: record.seq + 1, event: 'intent matched', to: 'finding route' }
    const matched = { seq: record.seq + 1, history: [...record.history, entry], state: 'finding route' }
    await store.executions.save({ ...record, ...matched, facts: {} })
  },
  state: async ({ store }) => (await store.executions.load(ended))!.state,
} satisfies Omit<Act, 'act'>

/** Every action that ends or replaces what another person may have changed, by its route under `/app/api`. */
const acts: Record<string, Act> = {
  'POST /recipient-changes/:id/approve': {
    ...heldChange,
    act: ({ approve }, version) => approve('owner', String(version)),
  },
  'DELETE /recipient-changes/:id': {
    ...heldChange,
    act: ({ withdraw }, version) => withdraw('owner', String(version)),
  },
  'POST /invitations/:id/resend': {
    ...invitation,
    act: (world, version) => world.as('owner', `/invitations/${invited(world)}/resend`, { body: { version } }),
  },
  'DELETE /invitations/:id': {
    ...invitation,
    act: (world, version) =>
      world.as('owner', `/invitations/${invited(world)}?version=${version}`, { method: 'DELETE' }),
  },
  'PUT /operator/pauses/:scope': {
    ...paused,
    act: ({ as }, version) => as('owner', ownPause, { method: 'PUT', body: { reason, version: String(version) } }),
  },
  'DELETE /operator/pauses/:scope': {
    ...paused,
    act: ({ as }, version) => as('owner', `${ownPause}?${because}&version=${version}`, { method: 'DELETE' }),
  },
  'POST /operator/blacklist': {
    ...listed,
    act: ({ as }, version) =>
      as('platform-owner', '/operator/blacklist', { body: { ...scam, reason, version: String(version) } }),
  },
  'DELETE /operator/blacklist/:id': {
    ...listed,
    act: ({ as }, version) =>
      as('platform-owner', `/operator/blacklist/${scamId}?${because}&version=${version}`, { method: 'DELETE' }),
  },
  'POST /operator/executions/:id/approve': {
    ...unvalued,
    act: ({ as }, seq) =>
      as('owner', `/operator/executions/${ended}/approve`, { body: { reason, amountOutMin: '24', seq } }),
  },
  'POST /operator/executions/:id/dead-letter': {
    ...waiting,
    act: ({ as }, seq) => as('owner', `/operator/executions/${ended}/dead-letter`, { body: { reason, seq } }),
  },
  'POST /operator/executions/:id/redrive': {
    ...redriven,
    act: ({ as }, intentVersion) =>
      as('owner', `/operator/executions/${ended}/redrive`, { body: { reason, intent: 'CURRENT', intentVersion } }),
  },
  'POST /operator/executions/:id/refund': {
    ...redriven,
    act: ({ as }, intentVersion) =>
      as('owner', `/operator/executions/${ended}/refund`, { body: { reason, intentVersion } }),
  },
}

const person = 'a person is no other by the same id, and the request says the role'
const ownId = 'no other key or endpoint ever has this id'
const execution = 'no other execution ever has this id, and the store judges its present state'
const addition = 'it replaces nothing'
const question = 'it changes nothing'
const ownChoice = 'no other person decides about it'
const whole = 'the request states all that it stores'
/** The other actions, and why another object cannot replace theirs unnoticed. */
const others: Record<string, string> = {
  'POST /accounts': addition,
  'POST /deposit-page/links': addition,
  'POST /deposits/rescan': addition,
  'POST /keys': addition,
  'POST /operator/scans': addition,
  'POST /organizations': addition,
  'POST /pretend-deposits': addition,
  'POST /sso/domains': addition,
  'POST /webhook-endpoints': addition,
  'POST /jobs/count': question,
  'POST /routing/simulate-deposit': question,
  'POST /account/delete': ownChoice,
  'POST /invitation': ownChoice,
  'POST /members/leave': ownChoice,
  'PUT /notifications': ownChoice,
  'PUT /views': ownChoice,
  'DELETE /views': 'the request states the filters of another member’s view',
  'POST /invitations': whole,
  'POST /organization/delete': 'the request states the name, and how many deposits were shown',
  'PUT /recipient-hold': 'the request states the whole rule, and a weaker one waits as long as the current rule says',
  'PUT /sso': whole,
  'PUT /sso/admission': 'the request states what it stores, and another connection refuses it',
  'PUT /sso/demand': whole,
  'DELETE /sso': 'its owner wants no connection, whichever there is',
  'PATCH /organization': whole,
  'PUT /organization/second-step': whole,
  'PUT /deposit-page': whole,
  'POST /deposit-intents': whole,
  'POST /operator/jobs': 'it names `seenAt`, as the tests of bulk jobs show',
  'DELETE /members/:personId': person,
  'PATCH /members/:personId': person,
  'DELETE /sso/domains/:name': 'the name is all that there is',
  'POST /sso/domains/:name/prove': 'the name is all that there is',
  'PATCH /keys/:id': ownId,
  'POST /keys/:id/revoke': ownId,
  'POST /keys/:id/roll': ownId,
  'DELETE /webhook-endpoints/:id': ownId,
  'PATCH /webhook-endpoints/:id': ownId,
  'POST /webhook-endpoints/:id/resend': ownId,
  'POST /webhook-endpoints/:id/rotate-secret': ownId,
  'POST /webhook-endpoints/:id/test': ownId,
  'POST /operator/executions/:id/retry': execution,
}

test('an action is refused if its object was replaced between reading and acting', async () => {
  for (const [route, { show, swap, act, state }] of Object.entries(acts)) {
    const world = await holding({ kind: 'APPROVAL' })
    const shown = await show(world)
    expect([route, String(shown)]).toEqual([route, expect.stringMatching(/^\d+(-org_a)?$/)])
    await swap(world)
    const before = await state(world)
    const { status, headers } = await act(world, shown)
    expect([route, status, headers.get('x-error-code')]).toEqual([route, 409, 'CHANGED_MEANWHILE'])
    expect([route, await state(world)]).toEqual([route, before])
    // The same action succeeds on the current object.
    const fresh = await holding({ kind: 'APPROVAL' })
    const done = await act(fresh, await show(fresh))
    expect([route, [200, 202, 204].includes(done.status)]).toEqual([route, true])
  }
})

test('a bulk re-drive pays no recipient that was stored after the request', async () => {
  const world = await holding({ kind: 'APPROVAL' })
  await redriven.show(world)
  const body = { verb: 'redrive', filter: { userId: 'ann' }, intent: 'CURRENT', reason }
  const { json } = await world.as('owner', '/operator/jobs', { body })
  await redriven.swap(world)
  const { operators, store, clock } = world
  const readRange = async (_chain: number, _from: number, to: number) => ({ readTo: to, deposits: 0 })
  await runJobs({ ...operators, executionQueries: store.executionQueries, readRange, now: () => clock.now })()
  expect((await world.as('owner', `/operator/jobs/${json.id}`)).json).toMatchObject({
    state: 'DONE',
    done: 0,
    failed: 1,
  })
  expect(await redriven.state(world)).toEqual([ended])
})

test('a bulk job acts on no execution or recipient that is newer than the count that its author saw', async () => {
  const job = async (seenAt?: string) => {
    const world = await holding({ kind: 'APPROVAL' })
    await redriven.show(world)
    const { operators, store, clock, as } = world
    const bulk = { verb: 'redrive', filter: { userId: 'ann' } }
    const { at, matched } = (await as('owner', '/jobs/count', { body: bulk })).json
    await redriven.swap(world)
    const later = { ...(await store.executions.load(ended))!, version: 0, id: executionOf(2).id, createdAt: clock.now }
    await store.executions.save({ ...later, facts: {} })
    const body = { ...bulk, intent: 'CURRENT', reason, seenAt: seenAt ?? at }
    const { json } = await as('owner', '/operator/jobs', { body })
    const readRange = async (_chain: number, _from: number, to: number) => ({ readTo: to, deposits: 0 })
    const ports = { ...operators, executionQueries: store.executionQueries, readRange, now: () => clock.now }
    const tried: string[] = []
    const redrive = async (id: string, ...asked: unknown[]) =>
      tried.push(id) && (ports.operations.redrive as (...all: unknown[]) => Promise<never>)(id, ...asked)
    await runJobs({ ...ports, operations: { ...ports.operations, redrive } as never })()
    const audit = (await as('owner', '/operator/audit')).json as { verb: string; details: { seenAt?: string } }[]
    expect(audit.find(({ verb }) => verb === 'job.create')!.details.seenAt).toBe(
      seenAt ? new Date(clock.now).toISOString() : at,
    )
    const { done, failed } = (await as('owner', `/operator/jobs/${json.id}`)).json
    return { matched, tried, done, failed }
  }
  expect(await job()).toEqual({ matched: 1, tried: [ended], done: 0, failed: 1 })
  // A time in the future is the present.
  const now = await job('2999-01-01T00:00:00Z')
  expect(now.tried.toSorted()).toEqual([ended, executionOf(2).id].toSorted())
})

test('a bulk job leaves out older executions that ended or failed after its author counted', async () => {
  for (const verb of ['redrive', 'retry'] as const) {
    const world = await holding({ kind: 'APPROVAL' })
    const { operators, store, clock, as } = world
    const status = verb === 'redrive' ? 'DEAD_LETTER' : 'FAILED'
    const failed = async (n: number) => {
      const completedAt = verb === 'redrive' ? clock.now : null
      const cause = { code: 'PROVIDER_FAILED', category: null, message: '', at: clock.now } as const
      const record = executionOf(n, {
        organizationId: 'org_a',
        state: status,
        status,
        completedAt,
        cause,
        createdAt: 5,
      })
      await store.executions.save({ ...record, dueAt: completedAt === null ? clock.now + 60_000 : null })
    }
    const filter = { causeCode: 'PROVIDER_FAILED' }
    await failed(1)
    const { at, matched } = (await as('owner', '/jobs/count', { body: { verb, filter } })).json
    clock.now += 1_000
    await failed(2)
    const body = { verb, filter, intent: 'CURRENT', reason, seenAt: at }
    const begun = (await as('owner', '/operator/jobs', { body })).json
    clock.now += 1_000
    await failed(3)
    const readRange = async (_chain: number, _from: number, to: number) => ({ readTo: to, deposits: 0 })
    const tried: string[] = []
    const operations = { [verb === 'retry' ? 'retryNow' : 'redrive']: async (id: string) => void tried.push(id) }
    const ports = { jobs: operators.jobs, executionQueries: store.executionQueries, readRange, now: () => clock.now }
    await runJobs({ ...ports, operations: operations as never })()
    expect([verb, matched, begun.matched, tried]).toEqual([verb, 1, 1, [executionOf(1).id]])
    await as('owner', '/operator/jobs', { body: { ...body, seenAt: undefined } })
    await runJobs({ ...ports, operations: operations as never })()
    expect(tried.slice(1).toSorted()).toEqual([1, 2, 3].map((n) => executionOf(n).id))
  }
})

test('every route that acts is in one of the two lists', async () => {
  const { api } = await holding({ kind: 'APPROVAL' })
  const found = (api.routes as { method: string; path: string }[])
    .filter(({ method, path }) => method !== 'GET' && path.startsWith('/app/api/'))
    .map(({ method, path }) => `${method} ${path.slice('/app/api'.length)}`)
  expect(found.toSorted()).toEqual([...Object.keys(acts), ...Object.keys(others)].toSorted())
})
