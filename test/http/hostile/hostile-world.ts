import type { Connection } from 'mongoose'
import { authSecret } from '../../../src/adapters/auth/auth-secret'
import { betterAuthIdentity } from '../../../src/adapters/auth/better-auth'
import { connectMongo } from '../../../src/adapters/mongo/engine/connection'
import { mongoStore } from '../../../src/adapters/mongo/mongo-store'
import { createApi } from '../../../src/app/api/api'
import type { DashboardPorts } from '../../../src/app/api/ports'
import { sealedChange } from '../../../src/domain/deposit/held-change'
import type { Execution } from '../../../src/domain/execution/execution'
import type { Role } from '../../../src/domain/tenant/api-key'
import type { AuditEntry } from '../../../src/domain/tenant/audit'
import { plans, type Rates } from '../../../src/domain/tenant/organization'
import { pauseScopes } from '../../../src/domain/tenant/pause-scope'
import { newApiKey } from '../../../src/http/dashboard/new-tenants'
import { authPaths } from '../../../src/http/dashboard/sign-in/auth'
import type { Person } from '../../../src/ports/people'
import type { Records } from '../../../src/ports/records'
import { executionOf, sightingOf } from '../../support/deposits'
import { nodesBillOf } from '../../support/nodes-bill'
import { noSso } from '../../support/open-id-provider'
import { operatorInMemory } from '../../support/operators'
import { mongoUrl } from '../../support/servers'
import { deliveryOfExample, endpointOf } from '../../support/webhooks'
import { apiWorld, target } from '../world'

export const origin = 'http://localhost'
export const password = 'a long enough sentence'
const roomy = Object.fromEntries(Object.keys(plans.free.rates).map((n) => [n, { perSecond: 1e6, burst: 1e6 }])) as Rates
export const seats = ['owner', 'admin', 'operator', 'member'] as const

export type Route = {
  method: string
  path: string
  hooks?: { body?: unknown; detail?: { operation?: { bodyExample?: object } } }
}

/** The API on a real database with the real sign-in: the organizations of the attacker, the victim and the platform. */
export async function hostileWorld() {
  const connection: Connection = await connectMongo(await mongoUrl())
  const store = mongoStore(connection, 'hostile', Date.now)
  await store.ensureIndexes()
  const audit: AuditEntry[] = []
  const auditLog = {
    ...store.auditLog,
    append: async (entry: AuditEntry) => {
      // A sign-in that names a foreign person is logged for that person's organizations. This does not count as a
      // change.
      if (entry.actor.kind === 'SYSTEM' && entry.actor.id === 'sign-in') return
      audit.push(entry)
      await store.auditLog.append(entry)
    },
  }
  const identity = betterAuthIdentity(connection, {
    now: Date.now,
    origin,
    secret: await authSecret(connection),
    send: null,
    onLink: () => {},
    onTrouble: () => {},
  })
  const bugs: unknown[] = []
  const now = () => Date.now()
  const dashboard: DashboardPorts = {
    ...store,
    auditLog,
    identity,
    send: null,
    origin,
    isOpen: true,
    mayReset: true,
    faucet: { send: async () => `0x${'f'.repeat(64)}` },
    relayers: async () => [],
    nodesBill: nodesBillOf(),
    ...noSso,
    openId: { ...noSso.openId, isProvider: async () => true },
    pages: async () => ({
      html: { signedIn: '<head></head>', signedOut: '<head></head>' },
      preloads: new Map(),
      files: new Map(),
    }),
  }
  const { ports } = apiWorld()
  const inMemory = operatorInMemory({ ...store, auditLog }, now)
  const api = createApi({
    ...ports,
    ...store,
    dashboard,
    now,
    blacklist: { isListed: () => false },
    operator: { ...inMemory, jobs: store.jobs, pauses: store.pauses, blacklistEntries: store.blacklist, auditLog },
    webhook: { pointers: { publish: async () => {} }, signedFor: () => [8453], readPointers: () => [] },
    noteBug: (error) => bugs.push(error),
  })

  const begin = async <R extends { id: string; version: number }>(records: Records<R>, record: R): Promise<R> => {
    const saved = await records.save(record)
    if (!saved) throw new Error(`${record.id} is there already`)
    return saved
  }
  const handle = async (path: string, { method = 'POST', headers = {}, content }: Sent) => {
    const length = content === undefined ? {} : { 'content-length': String(Buffer.byteLength(content)) }
    const json = content === undefined ? {} : { 'content-type': 'application/json', ...length }
    const request = new Request(`${origin}${path}`, { method, headers: { ...json, ...headers }, body: content ?? null })
    const response = await api.handle(request)
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream')
    const text = isStream ? '' : await response.text()
    if (isStream) await response.body?.cancel()
    return { status: response.status, headers: response.headers, text }
  }

  async function keyOf(organizationId: string, role: Role, label = 'key') {
    const { text, apiKey } = newApiKey({ organizationId, label, role }, now())
    return { text, record: await begin(store.apiKeys, apiKey) }
  }

  async function signIn(email: string): Promise<string> {
    const content = JSON.stringify({ email, password })
    const { headers } = await handle('/app/auth/sign-in/email', { headers: { origin }, content })
    return headers
      .getSetCookie()
      .map((each) => each.split(';')[0])
      .join('; ')
  }

  let endpoints = 0
  /** Creates one more webhook endpoint, with a delivery that can be resent. */
  async function endpointFor(organizationId: string): Promise<string> {
    const id = `whe_${organizationId}_${++endpoints}`
    await begin(store.webhookEndpoints, endpointOf(id, organizationId, 1))
    await begin(store.webhookDeliveries, deliveryOfExample(id, organizationId, 1))
    return id
  }

  /** Creates an organization with people of every role, keys of both roles, and a record of every kind. */
  async function settle(letter: 'a' | 'b' | 'p', n: number) {
    const id = `org_${letter}`
    const customPlan = { rates: roomy, monthlyExecutions: null }
    const terms = { plan: 'custom', customPlan, isPlatform: letter === 'p', createdAt: n } as const
    await begin(store.organizations, { id, version: 0, name: id, slug: id, salt: `0x${`${n}`.repeat(64)}`, ...terms })
    const people: Person[] = []
    for (const seat of [...seats, 'spare'] as const)
      people.push(await identity.create({ email: `${letter}-${seat}@x.test`, name: seat, password }))
    const members = seats.map((role, at) => ({ personId: people[at]!.id, role, joinedAt: n }))
    await begin(store.memberships, { id, version: 0, members })
    const client = await keyOf(id, 'CLIENT')
    const operator = await keyOf(id, 'OPERATOR')
    const intent = await handle('/api/deposit-intents', {
      headers: { 'x-api-key': client.text },
      content: JSON.stringify({ userId: `user-${letter}`, ...target }),
    })
    const { depositAddress } = JSON.parse(intent.text)
    const whose = { organizationId: id, userId: `user-${letter}` }
    const moved = { state: 'FAILED', status: 'FAILED', createdAt: n, dueAt: Date.now() + 3_600_000 } as const
    const execution = await begin(
      store.executions,
      executionOf(n, { ...whose, ...moved }, { account: depositAddress, detectedAt: n }),
    )
    await begin(store.sightings, sightingOf(n + 100, { ...whose, account: depositAddress, detectedAt: n }))
    const invitation = await begin(store.invitations, {
      id: `inv_${letter}`,
      version: 0,
      organizationId: id,
      email: `${letter}-invited@x.test`,
      role: 'member',
      tokenDigest: `${n}`.repeat(64),
      invitedBy: `${letter}-owner@x.test`,
      createdAt: n,
      expiresAt: now() + 1e9,
      acceptedAt: null,
      withdrawnAt: null,
    })
    const actor = { kind: 'API_KEY', id: operator.record.id, label: 'key' } as const
    const job = await begin(store.jobs, {
      id: `job_${letter}`,
      version: 0,
      organizationId: id,
      matched: 1,
      done: 0,
      failed: 0,
      found: 0,
      after: null,
      asked: { actor, organizationId: id, reason: 'because', requestId: null },
      work: { verb: 'retry', filter: { organizationId: id } },
      state: 'DONE',
      dueAt: null,
      createdAt: n,
      updatedAt: n,
    })
    const pause = await begin(store.pauses, {
      id: pauseScopes.organization(id),
      version: 0,
      reason: 'because',
      until: null,
      by: actor.id,
      createdAt: n,
      updatedAt: n,
      resumedAt: null,
    })
    const endpoint = await endpointFor(id)
    const cookies: Record<string, string> = {}
    for (const seat of [...seats, 'spare']) cookies[seat] = await signIn(`${letter}-${seat}@x.test`)
    return {
      id,
      people,
      members,
      client,
      operator,
      depositAddress,
      userId: whose.userId,
      cookies,
      ids: {
        execution: execution.id,
        invitation: invitation.id,
        job: job.id,
        pause: pause.id,
        key: client.record.id,
        endpoint,
      },
    }
  }
  let executions = 100
  /** Creates one more deposit. In `finding route`, it waits for a price. */
  async function executionFor({ id, userId, depositAddress }: Organization, state: 'FAILED' | 'finding route') {
    const n = ++executions
    const whose = { organizationId: id, userId, createdAt: n, dueAt: Date.now() + 3_600_000 }
    const isFailed = state === 'FAILED'
    const facts = isFailed ? {} : { waiting: { for: 'WORTH', since: n }, balance: { totalReceivedRaw: '5', block: 1 } }
    const change = { ...whose, state, status: isFailed ? 'FAILED' : null, facts } as Partial<Execution>
    const place = { account: depositAddress, detectedAt: n } as Parameters<typeof executionOf>[2]
    return (await begin(store.executions, executionOf(n, change, place))).id
  }
  type Organization = Awaited<ReturnType<typeof settle>>

  /** Creates a pending change of the user's refund address that needs approval. */
  async function heldFor({ id: organizationId, userId, depositAddress: id }: Organization): Promise<string> {
    const { targetChainId, targetTokenAddress, targetAddress, version: of } = (await store.intents.load(id))!
    const terms = { targetChainId, targetTokenAddress, targetAddress, refundAddress: targetAddress }
    const asked = { askedBy: { kind: 'SYSTEM', id: 'walk', label: 'walk' }, personId: null, askedAt: now() } as const
    const change = { id, organizationId, userId, target: terms, of, ...asked, from: null, seal: null }
    // It begins at version 1 each time, which the requests name.
    await connection.models['heldChanges']!.collection.deleteOne({ _id: id as never })
    await begin(store.heldChanges, sealedChange(ports.seals, { ...change, version: 0, state: 'WAITING' }))
    return id
  }

  const [attacker, victim, platform] = [await settle('a', 1), await settle('b', 2), await settle('p', 3)]
  await heldFor(victim)
  const routes = (api as unknown as { routes: Route[] }).routes.flatMap((route): Route[] => {
    const { method, path } = route
    if (path === '/app/auth/*')
      return authPaths[method as keyof typeof authPaths].map((name) => ({ method, path: `/app/auth/${name}` }))
    return /^\/(api|app\/api|webhooks)\//.test(path) ? [route] : []
  })
  // Routes that sign out or change a password come last.
  routes.sort((a, b) => Number(a.path.startsWith('/app/auth/')) - Number(b.path.startsWith('/app/auth/')))
  const close = async () => {
    await connection.dropDatabase()
    await connection.close()
  }
  return {
    connection,
    store,
    audit,
    bugs,
    handle,
    signIn,
    begin,
    keyOf,
    executionFor,
    endpointFor,
    heldFor,
    routes,
    attacker,
    victim,
    platform,
    close,
  }
}
export type HostileWorld = Awaited<ReturnType<typeof hostileWorld>>
export type Sent = { method?: string; headers?: Record<string, string>; content?: string | undefined }
