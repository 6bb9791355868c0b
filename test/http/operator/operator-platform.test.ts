import { expect, test } from 'bun:test'
import { cachedPauses } from '../../../src/adapters/caches/blacklist-cache'
import type { Execution } from '../../../src/domain/execution/execution'
import { pauseScopes } from '../../../src/domain/tenant/pause-scope'
import type { BlacklistList } from '../../../src/ports/operators'
import { runJobs } from '../../../src/routing/operations/run-jobs'
import { importList } from '../../../src/screening/import-list'
import { readList } from '../../../src/screening/read-list'
import { executionOf } from '../../support/deposits'
import { recordsInMemory } from '../../support/records'
import { testAll } from '../../support/test-all'
import { peopledWorld, target, usdc } from '../world'

const reason = 'The provider reports trouble'
const scopes = ['all', 'chain:8453', 'provider:lifi', `token:8453:${usdc.base}`] as const
const scam = { kind: 'TOKEN', chainId: 8453, address: usdc.base, listedAs: 'SCAM', reason } as const

async function opened() {
  const world = await peopledWorld()
  const { ask, operator, platform, store, operators, clock } = world
  const otherOperator = await world.key('org_b', 'OPERATOR')
  const pauses = cachedPauses(operators.pauses, () => clock.now)
  const isPaused = async (scope: string) => {
    await pauses.refresh()
    return pauses.find([scope]) !== null
  }
  const put = (scope: string, key = operator, body: object = { reason }) =>
    ask(`/api/operator/pauses/${encodeURIComponent(scope)}`, { method: 'PUT', body, key })
  const resume = (scope: string, key = operator, query = `?reason=${encodeURIComponent(reason)}`) =>
    ask(`/api/operator/pauses/${encodeURIComponent(scope)}${query}`, { method: 'DELETE', key })
  const verbs = async () => (await store.auditLog.list({ organizationId: null }, { limit: 50 })).map(({ verb }) => verb)
  /** Runs a worker's periodic work until nothing is left to do. */
  const work = async (
    readRange = async (_chain: number, _from: number, to: number) => ({ readTo: to, deposits: 0 }),
  ) => {
    const run = runJobs({ ...operators, executionQueries: store.executionQueries, readRange, now: () => clock.now })
    await run()
  }
  return { ...world, otherOperator, isPaused, put, resume, verbs, work, platform }
}

test('pauses: platform scopes belong to the platform, and an organization controls its own', async () => {
  const { put, platform, isPaused, ask, operator, otherOperator, verbs } = await opened()
  for (const scope of scopes) {
    expect((await put(scope)).status).toBe(403)
    expect(await put(scope, platform)).toMatchObject({ status: 200, json: { reason, until: null } })
  }
  for (const scope of [
    pauseScopes.all,
    pauseScopes.chain(8453),
    pauseScopes.provider('lifi'),
    pauseScopes.token(8453, usdc.base),
  ])
    expect(await isPaused(scope)).toBe(true)
  expect((await put('organization')).json).toMatchObject({ scope: 'organization' })
  expect(await isPaused(pauseScopes.organization('org_a'))).toBe(true)
  expect(await isPaused(pauseScopes.organization('org_b'))).toBe(false)

  const listed = async (key: string) =>
    (await ask('/api/operator/pauses', { key })).json.map(({ scope }: { scope: string }) => scope).toSorted()
  expect(await listed(operator)).toHaveLength(5)
  expect(await listed(otherOperator)).not.toContain('organization')
  const all = (await ask('/api/operator/pauses', { key: platform })).json
  expect(all.find(({ scope }: { scope: string }) => scope === 'organization')).toMatchObject({
    organizationId: 'org_a',
  })
  expect((await verbs()).filter((verb) => verb === 'pause.put')).toHaveLength(5)
})

test('an unknown scope is refused with the possible ones, and resuming an unpaused one says so', async () => {
  const { put, resume, platform } = await opened()
  const refusal = async (scope: string) => (await put(scope, platform)).json.message
  expect(await refusal('chain:10')).toStartWith('scope must name one of these chains: 8453 (base), ')
  expect(await refusal(`token:999999:${usdc.base}`)).toStartWith('scope must name one of these chains: ')
  expect(await refusal('provider:nobody')).toStartWith('scope must name one of these providers: lifi')
  for (const scope of ['everything', 'chain', 'token:8453:0x1', 'chain:8453:x'])
    expect([scope, await refusal(scope)]).toEqual([scope, expect.stringMatching(/^scope must be all, chain:/)])
  const never = { status: 404, json: { message: 'This scope was never paused' } }
  expect(await resume('chain:8453', platform)).toMatchObject(never)
})

test('the platform can pause one tenant, which sees the pause and cannot end it, and others do not see it', async () => {
  const { put, resume, platform, isPaused, ask, operator, otherOperator } = await opened()
  const scope = 'tenant:org_a'
  expect((await put(scope)).status).toBe(403)
  expect((await put(scope, platform)).json).toMatchObject({ scope, organizationId: 'org_a' })
  expect([await isPaused(pauseScopes.tenant('org_a')), await isPaused(pauseScopes.tenant('org_b'))]).toEqual([
    true,
    false,
  ])
  expect((await ask('/api/operator/pauses', { key: operator })).json).toMatchObject([{ scope, reason }])
  expect((await ask('/api/operator/pauses', { key: otherOperator })).json).toEqual([])

  // Its own pause is separate: ending it leaves the platform's pause in force.
  await put('organization')
  expect([(await resume('organization')).status, (await resume(scope)).status]).toEqual([204, 403])
  expect(await isPaused(pauseScopes.tenant('org_a'))).toBe(true)
  expect((await resume(scope, platform)).status).toBe(204)
  expect(await isPaused(pauseScopes.tenant('org_a'))).toBe(false)
})

test('a pause that its author did not see is not replaced, and one that has ended is not begun again unseen', async () => {
  const { put, resume, verbs, ask, operator } = await opened()
  const puts = async (version: string | null) => {
    const { status, headers, json } = await put('organization', operator, { reason, version })
    return status === 200 ? json.version : `${headers.get('x-error-code')}: ${json.message}`
  }
  const first = await puts(null)
  expect(await puts(null)).toBe('CHANGED_MEANWHILE: This is paused already')
  const second = await puts(first)
  expect(second).not.toBe(first)
  await resume('organization')
  expect(await puts(second)).toBe('CHANGED_MEANWHILE: The pause has ended')
  expect((await ask('/api/operator/pauses', { key: operator })).json).toEqual([])
  // A pause that was ended is none.
  expect(await puts(null)).toMatch(/^[0-9]+$/)
  expect((await verbs()).filter((verb) => verb === 'pause.put')).toHaveLength(3)
})

test('the version of one organization’s own pause neither ends nor replaces that of another', async () => {
  const { put, resume, platform, ask, operator, otherOperator } = await opened()
  const own = { a: operator, b: otherOperator, p: platform }
  for (const key of Object.values(own)) await put('organization', key)
  type Shown = { isOwn: boolean; organizationId: string; version: string }
  const pauses: Shown[] = (await ask('/api/operator/pauses', { key: platform })).json
  for (const { organizationId, version } of pauses) expect(version).toEndWith(`-${organizationId}`)
  expect(Object.fromEntries(pauses.map(({ organizationId, isOwn }) => [organizationId, isOwn]))).toEqual({
    org_a: false,
    org_b: false,
    org_p: true,
  })
  const because = `?reason=${encodeURIComponent(reason)}`
  const refused = async (answer: ReturnType<typeof put>) => (await answer).headers.get('x-error-code')
  for (const [owner, key] of Object.entries(own))
    for (const { organizationId, version } of pauses) {
      if (organizationId === `org_${owner}`) continue
      const replaced = put('organization', key, { reason, version })
      expect(await refused(replaced)).toBe('CHANGED_MEANWHILE')
      expect(await refused(resume('organization', key, `${because}&version=${version}`))).toBe('CHANGED_MEANWHILE')
    }
  expect((await ask('/api/operator/pauses', { key: platform })).json).toEqual(pauses)
  const [{ isOwn, version }] = (await ask('/api/operator/pauses', { key: operator })).json
  expect([isOwn, version]).toEqual([true, expect.stringMatching(/^[0-9]+$/)])
  expect((await resume('organization', operator, `${because}&version=${version}`)).status).toBe(204)
})

test('a pause ends by request or automatically, and ending it twice does no harm', async () => {
  const { put, resume, isPaused, clock, ask, operator } = await opened()
  const own = pauseScopes.organization('org_a')
  await put('organization')
  expect((await resume('organization', operator, '')).json.message).toBe('reason is required')
  for (let n = 0; n < 2; n++) expect(await resume('organization')).toMatchObject({ status: 204, text: '' })
  expect(await isPaused(own)).toBe(false)

  const until = new Date(clock.now + 60_000).toISOString()
  expect((await put('organization', operator, { reason, until })).json).toMatchObject({ until })
  expect(await isPaused(own)).toBe(true)
  clock.now += 60_000
  expect(await isPaused(own)).toBe(false)
  expect((await ask('/api/operator/pauses', { key: operator })).json).toEqual([])
})

testAll([
  ['everything', 400],
  ['chain:5', 400],
  ['provider:nobody', 400],
  ['token:8453:usdc', 400],
  ['organization:org_b', 400],
  ['tenant:', 400],
  ['tenant:org_of_nobody', 400],
])('a malformed scope is refused', async (scope, status) => {
  const { put, resume, platform } = await opened()
  expect((await put(scope, platform)).status).toBe(status)
  expect((await resume(scope, platform)).status).toBe(status)
})

test('a scope that was never paused cannot be resumed, and a pause cannot end in the past', async () => {
  const { put, resume, clock, operator } = await opened()
  expect((await resume('organization')).status).toBe(404)
  const until = new Date(clock.now).toISOString()
  const { json } = await put('organization', operator, { reason, until })
  expect(json.message).toBe('until must be a time in the future')
  expect((await put('organization', operator, { reason, until: 'soon' })).json.message).toBe(
    'until must be an ISO 8601 time or null',
  )
})

test('the security list: an entry is created once, changed, found, and removed', async () => {
  const { ask, operator, platform, operators, verbs } = await opened()
  const path = '/api/operator/blacklist'
  const isListed = async (chainId = 8453) => {
    await operators.blacklist.refresh()
    return operators.blacklist.isListed('TOKEN', chainId, usdc.base)
  }
  expect((await ask(path, { key: operator, body: scam })).status).toBe(403)
  const made = await ask(path, { key: platform, body: scam })
  expect(made).toMatchObject({ status: 201, json: { ...scam, source: 'OPERATOR', chainKey: 'base', expiresAt: null } })
  expect(await isListed()).toBe(true)
  expect(await isListed(1)).toBe(false)

  const allowed = { ...scam, listedAs: 'ALLOWED', version: made.json.version }
  const changed = await ask(path, { key: platform, body: allowed })
  expect(changed).toMatchObject({ status: 200, json: { id: made.json.id, listedAs: 'ALLOWED' } })
  expect(await isListed()).toBe(false)
  await ask(path, { key: platform, body: { ...scam, chainId: null } })
  expect(await isListed()).toBe(false)
  expect(await isListed(1)).toBe(true)

  expect((await ask(`${path}?chainId=8453&kind=TOKEN`, { key: operator })).json).toMatchObject([{ id: made.json.id }])
  expect((await ask(`${path}?address=${usdc.base}`, { key: operator })).json).toHaveLength(2)
  const oldestFirst = (await ask(`${path}?order=oldest`, { key: operator })).json
  expect(oldestFirst.toReversed()).toEqual((await ask(path, { key: operator })).json)
  const gone = `${path}/${encodeURIComponent(made.json.id)}?reason=${encodeURIComponent(reason)}`
  expect((await ask(gone, { key: operator, method: 'DELETE' })).status).toBe(403)
  expect((await ask(gone, { key: platform, method: 'DELETE' })).status).toBe(204)
  expect((await ask(`${path}?chainId=8453`, { key: operator })).json).toEqual([])
  expect(await isListed()).toBe(true)
  expect((await ask(`${path}/none?reason=why`, { key: platform, method: 'DELETE' })).status).toBe(404)
  expect((await verbs()).toReversed()).toEqual(['blacklist.put', 'blacklist.put', 'blacklist.put', 'blacklist.delete'])
})

const day = 86_400_000

/** A security list with an imported list, through the routes that officers use. */
async function listing() {
  const { ask, platform, operators, store, clock } = await opened()
  const path = '/api/operator/blacklist'
  const id = `token:8453:${usdc.base.toLowerCase()}`
  return {
    store,
    clock,
    put: (change: object) => ask(path, { key: platform, body: { ...scam, ...change } }),
    remove: (version: string) =>
      ask(`${path}/${encodeURIComponent(id)}?reason=why&version=${version}`, { key: platform, method: 'DELETE' }),
    shown: async () => (await ask(path, { key: platform })).json[0],
    isListed: async () => {
      await operators.blacklist.refresh()
      return operators.blacklist.isListed('TOKEN', 8453, usdc.base)
    },
    async take(addresses: string[], name = 'sdn') {
      const { listed, ignored, format } = readList(addresses.join('\n'), { kind: 'TOKEN', chainId: 8453 })
      const actor = { kind: 'SYSTEM', id: 'cli', label: 'test' } as const
      const list = { name, digest: 'd', format, listed, ignored, actor, organizationId: 'org_p', isForced: true }
      const ports = { ...store, blacklistLists: recordsInMemory<BlacklistList>(), time: async () => clock.now++ }
      await importList({ ...ports, newId: () => `aud_${clock.now}` }, list)
    },
    async load() {
      return (await store.blacklist.load(id))!
    },
  }
}
const tomorrow = (now: number) => new Date(now + day).toISOString()

test('an entry of the security list is replaced only by an officer who saw it', async () => {
  const { put, remove, isListed, clock, shown } = await listing()
  const { json: sanctioned } = await put({ listedAs: 'SANCTIONED' })
  const unseen = { listedAs: 'SCAM', expiresAt: tomorrow(clock.now) }
  for (const version of [undefined, null, '99']) {
    const { status, headers } = await put({ ...unseen, version })
    expect([version, status, headers.get('x-error-code')]).toEqual([version, 409, 'CHANGED_MEANWHILE'])
  }
  expect((await put(unseen)).json.message).toContain(
    `SANCTIONED. To replace it, name its version: ${sanctioned.version}`,
  )
  expect(await shown()).toEqual(sanctioned)
  clock.now += 2 * day
  expect(await isListed()).toBe(true)
  const { status, json: replaced } = await put({
    ...unseen,
    version: sanctioned.version,
    expiresAt: tomorrow(clock.now),
  })
  expect([status, replaced.listedAs, replaced.createdAt]).toEqual([200, 'SCAM', sanctioned.createdAt])
  clock.now += 2 * day
  // It has expired, so another officer can list the token again.
  expect((await put({ version: null })).status).toBe(201)
  expect((await remove((await shown()).version)).status).toBe(204)
  expect((await put({ version: replaced.version })).json.message).toBe('The entry was removed')
  expect((await put({ version: null })).status).toBe(201)
})

test('an imported list counts again once an operator’s decision has expired or was removed', async () => {
  const imported = {
    listedAs: 'SANCTIONED',
    source: 'IMPORT',
    reason: 'On an imported list of addresses',
    expiresAt: null,
  }
  const allow = async (isExpiring: boolean) => {
    const world = await listing()
    await world.take([usdc.base])
    const { version } = await world.shown()
    const expiresAt = isExpiring ? tomorrow(world.clock.now) : null
    const { status, json: decision } = await world.put({ listedAs: 'ALLOWED', version, expiresAt })
    expect([status, await world.isListed()]).toEqual([200, false])
    return { ...world, decision }
  }
  const expiring = await allow(true)
  await expiring.take([usdc.base])
  expect(await expiring.isListed()).toBe(false)
  expiring.clock.now += 2 * day
  expect([await expiring.isListed(), await expiring.shown()]).toEqual([true, expect.objectContaining(imported)])
  // An officer who wanted to end the permission does not remove the imported entry instead.
  expect((await expiring.remove(expiring.decision.version)).status).toBe(409)
  expect((await expiring.put({ listedAs: 'ALLOWED' })).status).toBe(409)
  expect((await expiring.remove((await expiring.shown()).version)).status).toBe(204)
  expect([await expiring.isListed(), await expiring.shown()]).toEqual([false, undefined])

  const removed = await allow(false)
  expect((await removed.remove(removed.decision.version)).status).toBe(204)
  expect([await removed.isListed(), await removed.shown()]).toEqual([true, expect.objectContaining(imported)])

  // Meanwhile, the list has lost the address.
  const gone = await allow(true)
  await gone.take([usdc.arbitrum])
  gone.clock.now += 2 * day
  expect(await gone.isListed()).toBe(false)
  // The list loses it after the end of the decision.
  const later = await allow(true)
  later.clock.now += 2 * day
  await later.take([usdc.arbitrum])
  expect(await later.isListed()).toBe(false)
})

test('a second decision keeps the imported list, and so does an import of another list after its end', async () => {
  const { take, put, shown, clock, isListed, load } = await listing()
  await take([usdc.base])
  await put({ listedAs: 'ALLOWED', version: (await shown()).version })
  await put({ version: (await shown()).version, expiresAt: tomorrow(clock.now) })
  clock.now += 2 * day
  await take([usdc.base], 'other')
  expect((await load()).lists).toEqual(['sdn', 'other'])
  await take([usdc.arbitrum], 'other')
  expect([await isListed(), (await shown()).listedAs]).toEqual([true, 'SANCTIONED'])
})

test('an entry of an earlier release counts as imported after a decision, and stays removed once it was removed', async () => {
  const { take, store, load, isListed, shown, clock } = await listing()
  await take([usdc.base])
  const before = await load()
  const decision = { ...before, source: 'OPERATOR', listedAs: 'ALLOWED', expiresAt: clock.now - 1 } as const
  const expired = (await store.blacklist.save({ ...decision, updatedAt: clock.now }))!
  expect([await isListed(), (await shown()).listedAs]).toEqual([true, 'SANCTIONED'])
  await store.blacklist.save({ ...expired, removedAt: clock.now, updatedAt: clock.now })
  expect(await isListed()).toBe(false)
})

const failed = (n: number, change: Partial<Execution> = {}): Execution =>
  executionOf(n, {
    organizationId: 'org_a',
    state: 'FAILED',
    status: 'FAILED',
    createdAt: n,
    dueAt: Date.UTC(2030, 1),
    cause: { code: 'PROVIDER_FAILED', category: 'PROVIDER_5XX', message: 'why', at: 1 },
    ...change,
  })

test('a job retries every match despite interruptions of the worker, and reports its progress', async () => {
  const { ask, operator, otherOperator, store, work, verbs, clock } = await opened()
  for (let n = 1; n <= 45; n++) await store.executions.save(failed(n))
  await store.executions.save(failed(50, { organizationId: 'org_b' }))
  await store.executions.save(failed(51, { state: 'RUNNING', status: 'RUNNING' }))
  const body = { verb: 'retry', filter: { causeCode: 'PROVIDER_FAILED' }, reason }
  const begun = await ask('/api/operator/jobs', { key: operator, body })
  expect(begun).toMatchObject({ status: 202, json: { matched: 45 } })
  const path = `/api/operator/jobs/${begun.json.id}`
  expect((await ask(path, { key: operator })).json).toMatchObject({ state: 'RUNNING', done: 0 })

  await work()
  expect((await ask(path, { key: operator })).json).toMatchObject({ state: 'DONE', matched: 45, done: 45, failed: 0 })
  expect(store.executions.all().filter(({ dueAt }) => dueAt === clock.now)).toHaveLength(45)
  expect((await ask(path, { key: otherOperator })).status).toBe(404)
  expect((await verbs()).filter((verb) => verb === 'execution.retry')).toHaveLength(45)
})

testAll<[string, object, string]>([
  [
    'an unknown filter',
    { verb: 'retry', filter: { causecode: 'NO_ROUTE' } },
    'causecode is not a parameter of this endpoint',
  ],
  ['no filter', { verb: 'retry', filter: {} }, 'filter must have at least one condition'],
  ['an unknown verb', { verb: 'refund', filter: { userId: 'u' } }, 'verb must be retry or redrive'],
  ['a re-drive without a recipient', { verb: 'redrive', filter: { userId: 'u' } }, 'intent is required'],
])('an invalid job is refused', async (_case, body, message) => {
  const { ask, operator } = await opened()
  const answer = await ask('/api/operator/jobs', { key: operator, body: { reason, ...body } })
  expect([answer.status, answer.json.message]).toEqual([400, message])
})

test('a scan reads its blocks again, and waits for future ones', async () => {
  const { ask, operator, platform, work, clock } = await opened()
  const body = { chainId: 8453, fromBlock: 10, toBlock: 5_009, reason }
  expect((await ask('/api/operator/scans', { key: operator, body })).status).toBe(403)
  const { json } = await ask('/api/operator/scans', { key: platform, body })
  const look = async () => (await ask(`/api/operator/scans/${json.id}`, { key: platform })).json
  expect(await look()).toMatchObject({ scannedBlock: null, state: 'RUNNING' })

  let head = 3_000
  const ranges: number[][] = []
  const readRange = async (_chain: number, from: number, to: number) => {
    ranges.push([from, to])
    return { readTo: Math.min(head, to), deposits: 1 }
  }
  await work(readRange)
  expect(await look()).toMatchObject({ scannedBlock: 3_000, found: 2, state: 'RUNNING' })
  head = 6_000
  clock.now += 5_000
  await work(readRange)
  expect(await look()).toMatchObject({ scannedBlock: 5_009, found: 4, state: 'DONE' })
  expect(ranges).toEqual([
    [10, 2_009],
    [2_010, 4_009],
    [3_001, 5_000],
    [5_001, 5_009],
  ])

  const wide = await ask('/api/operator/scans', { key: platform, body: { ...body, toBlock: 50_010 } })
  expect(wide.json.message).toBe('toBlock must be fromBlock or later, by less than 50000 blocks')
})

test('states are counted, including hidden ones, by each operator’s organization', async () => {
  const { ask, operator, platform, store } = await opened()
  const intake = { organizationId: 'org_a', state: 'finding route' }
  for (const record of [failed(1), failed(2), failed(3, { organizationId: 'org_b' }), executionOf(4, intake)])
    await store.executions.save(record)
  expect((await ask('/api/operator/states', { key: operator })).json).toEqual([
    { state: 'FAILED', status: 'FAILED', count: 2, superseded: 0, oldestAt: '1970-01-01T00:00:00.000Z' },
    { state: 'finding route', status: null, count: 1, superseded: 0, oldestAt: '1970-01-01T00:00:00.000Z' },
  ])
  expect((await ask('/api/operator/states', { key: platform })).json).toMatchObject([{ count: 3 }, { count: 1 }])
})

test('only the platform sees the providers, and the audit log is paged', async () => {
  const { ask, operator, platform, operators, put, resume } = await opened()
  operators.providers = async () => [
    {
      provider: 'lifi',
      healthy: true,
      isAway: false,
      failsBetween: [],
      failingSince: null,
      errorRate: 0.01,
      p50Ms: 1,
      p95Ms: 2,
      breaker: 'CLOSED',
      updatedAt: 0,
      credentialsRefusedAt: null,
      unreadable: null,
    },
  ]
  expect((await ask('/api/operator/providers', { key: operator })).status).toBe(403)
  const shown = async () => (await ask('/api/operator/providers', { key: platform })).json
  expect(await shown()).toMatchObject([{ provider: 'lifi', healthy: true }])
  const [lifi] = await operators.providers()
  const failsBetween = [{ fromChainId: 43114, toChainId: 8453, since: 0 }] as const
  operators.providers = async () => [{ ...lifi!, failsBetween: [...failsBetween] }]
  expect(await shown()).toMatchObject([{ provider: 'lifi', healthy: false, breaker: 'CLOSED' }])
  expect(JSON.stringify(await shown())).not.toContain('failsBetween')

  for (let n = 0; n < 3; n++) await put('organization')
  await resume('organization')
  await put('all', platform)
  const first = await ask('/api/operator/audit?limit=2', { key: operator })
  const next = /<([^>]+)>/.exec(first.headers.get('link')!)![1]!
  const second = await ask(next, { key: operator })
  expect([...first.json, ...second.json].map(({ verb }: { verb: string }) => verb)).toHaveLength(4)
  expect((await ask('/api/operator/audit?verb=pause.delete', { key: operator })).json).toHaveLength(1)
  expect((await ask('/api/operator/audit', { key: platform })).json[0]).toHaveProperty('organizationId')
  expect((await ask('/api/operator/audit?verbs=x', { key: operator })).status).toBe(400)
  const all = (await ask('/api/operator/audit', { key: operator })).json as { at: string }[]
  const newest = encodeURIComponent(all[0]!.at)
  const since = (await ask(`/api/operator/audit?createdFrom=${newest}`, { key: operator })).json
  const before = (await ask(`/api/operator/audit?createdTo=${newest}`, { key: operator })).json
  expect([since.length > 0, since.length + before.length]).toEqual([true, all.length])
  expect(since.every(({ at }: { at: string }) => at >= all[0]!.at)).toBe(true)
})

test('an intent to a listed recipient or token is refused immediately after listing', async () => {
  const { ask, client, platform, operators, ports } = await opened()
  void target
  const recipient = { kind: 'ADDRESS', chainId: null, address: target.targetAddress, listedAs: 'SANCTIONED', reason }
  await ask('/api/operator/blacklist', { key: platform, body: recipient })
  await operators.blacklist.refresh()
  Object.assign(ports.blacklist, operators.blacklist)
  const { status, json } = await ask('/api/deposit-intents', { key: client, body: { userId: 'user-1', ...target } })
  expect([status, json.code]).toEqual([400, 'TARGET_ADDRESS_BLACKLISTED'])
  const token = { ...recipient, kind: 'TOKEN', chainId: target.targetChainId, address: target.targetTokenAddress }
  await ask('/api/operator/blacklist', { key: platform, body: { ...token, listedAs: 'SCAM' } })
  await operators.blacklist.refresh()
  const other = { userId: 'user-1', ...target, targetAddress: `0x${'7e'.repeat(20)}` }
  const refused = await ask('/api/deposit-intents', { key: client, body: other })
  expect([refused.status, refused.json.code]).toEqual([400, 'TARGET_TOKEN_BLACKLISTED'])
})
