import { expect, spyOn, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { authCollections, ensureAuthIndexes } from '../../../src/adapters/auth/auth-indexes'
import { mongoStore } from '../../../src/adapters/mongo/mongo-store'
import { verifyAudit } from '../../../src/cli/audit/verify'
import { namingTypes } from '../../../src/domain/event-types'
import { chainFault, emptyChain } from '../../../src/domain/tenant/audit-chain'
import type { WebhookEndpoint } from '../../../src/domain/webhook/endpoint'
import { exportOf } from '../../../src/http/operator/audit-export'
import { sampleEvent, sampleTypes } from '../../../src/http/webhooks/sample'
import { newDatabase } from '../../support/new-database'
import { temporaryFolder } from '../../support/temporary-folder'
import { testAll } from '../../support/test-all'

const now = Date.UTC(2026, 10, 21)
const connection = await newDatabase()
const store = mongoStore(connection, 'eraser', () => now)

/**
 * Every field of every collection that can hold text, and what happens to a name or an address in it. A new field must
 * be added here. REMOVED: `src/adapters/mongo/queries/erasing.ts` removes it. WRITTEN: free text by a person, kept
 * because it explains what was done with money. Fields in no list hold only ids, hashes, chain addresses, numbers and
 * our own texts.
 */
const removed: Record<string, string> = {
  accounts: 'label',
  apiKeys: 'label allowedAddresses',
  auditNames: 'name folded',
  erasures: 'email',
  events: 'text',
  heldChanges: 'askedBy',
  intentVersions: 'changedBy',
  intents: 'changedBy',
  invitations: 'email invitedBy',
  jobs: 'asked',
  memberships: 'members removed',
  noticeBooks: 'known people',
  organizations: 'name slug depositPage sso',
  webhookEndpoints: 'url description disablings secret previousSecret',
}
const written: Record<string, string> = {
  // E-mail addresses and names in entries are in `auditNames`. An entry has a salted hash in their place.
  auditLog: 'actor target reason details',
  blacklist: 'reason imported',
  executions: 'history',
  jobs: 'work',
  pauses: 'reason',
  // Kept for a day, for repeated requests.
  idempotentRequests: 'answer',
  // Webhooks by a chain's provider, and our own posts. Texts that may name an organization are removed, and a test
  // lists them.
  inboundWebhooks: 'text',
  webhookDeliveries: 'body lastAttempt earlierAttempts',
}
const nameless: Record<string, string> = {
  accounts: 'organizationId userId accountSalt',
  apiKeys: 'digest prefix organizationId role createdBy',
  askedChanges: 'organizationId userId target account',
  auditLog: 'id organizationId verb requestId previousHash hash',
  auditNames: 'organizationId stand salt',
  blacklist: 'kind address listedAs source lists',
  blacklistLists: 'digest format',
  budgets: 'forgetAt',
  chainLeases: 'holder',
  deliveries: 'executionId',
  // Its id is a domain of the organization, and it is removed with the organization.
  domainClaims: 'organizationId',
  erasures: 'kind subject',
  executions:
    'organizationId userId state machineVersion status deposit facts cause redriveOf redrivenBy refundOf continuedBy takenBy keys derived',
  gasBooks: 'prices kinds',
  heldChanges: 'organizationId userId personId target state seal',
  idempotentRequests: 'fingerprint turn forgetAt',
  inboundWebhooks: 'organizationId account token',
  intentVersions: 'organizationId userId apiKeyId targetTokenAddress targetAddress refundAddress seal account',
  intents: 'organizationId userId apiKeyId targetTokenAddress targetAddress refundAddress seal keys',
  invitations: 'organizationId role tokenDigest invitedById',
  jobs: 'organizationId after state',
  laneSums: 'broughtRaw spentRaw adding',
  lanes: 'holder',
  events: 'id dataId type organizationId userId',
  nodeRequests: 'date chain methods',
  orderArchive: 'organizationId order call',
  organizations: 'salt plan customPlan policy policySeal recipientHold',
  pausePeriods: 'scope',
  pauses: 'by',
  placeBooks: 'held',
  priceBooks: 'said failed spoken believed',
  providerBudgets: 'taken tickets told stated learned',
  providerGates: 'shut controls waiting unread',
  quotaBooks: 'held',
  quotaWarnings: 'organizationId quotaKey keys',
  requestDays: 'date by',
  scanCursors: 'scannedBlockHash',
  senders: 'slots line',
  sightings: 'organizationId userId account token amountRaw fromAddress txHash blockHash detectedBy stage orphanedAt',
  signerLogs: 'last other',
  signs: 'kind provider subject balanceRaw',
  tellings: 'said',
  unsupported: 'organizationId userId account token others newest older detectedBy',
  webhookDeliveries: 'organizationId endpointId eventId type status',
  webhookEndpoints: 'organizationId types disabledReason',
  webhookFeeds: 'organizationId holder',
}
/** Collections without a model: those of sign-in, which hold people and are emptied, and some without any name. */
const modelless = [
  ...Object.values(authCollections),
  'migrations',
  'orderArchiveProgress',
  'probes',
  'requestLogs',
  'settings',
]

test('a decision exists for every text field: whether it may hold a name, and how that is removed', () => {
  const plain = ['Number', 'Boolean']
  const fields = Object.entries(connection.models).flatMap(([name, { schema }]) =>
    Object.entries(schema.paths)
      .filter(([field, { instance }]) => !plain.includes(instance) && !['_id', 'writer'].includes(field))
      .map(([field]) => `${name}.${field}`),
  )
  const decided = [removed, written, nameless].flatMap((table) =>
    Object.entries(table).flatMap(([name, texts]) => texts.split(' ').map((field) => `${name}.${field}`)),
  )
  expect(decided.toSorted()).toEqual(fields.toSorted())
})

const [mine, theirs] = ['org_1', 'org_2']
/** Fields of events with texts that no organization chose, except the user ids of an integrator. */
const ofEvents =
  'id type timestamp message userId depositAddress stage fromChainKey fromTokenSymbol fromTokenAddress amountIn ' +
  'fromAddress depositTxHash detectedBy holder address chainKey tokenAddress tokenSymbol amount actor action ' +
  'expectedAt by createdAt updatedAt traceId event from to confirmedAt routeId status toChainKey toTokenSymbol ' +
  'toTokenAddress amountOutExpected apiKeyId depositId txHash completedAt destinationTxHash amountOut lastErrorCode ' +
  'lastErrorMessage lastErrorCategory code category at executionId targetChainKey targetTokenAddress targetAddress ' +
  'volumeUsd deliveredUsd protocolFee gasFee protocolFeeUsd gasFeeUsd hold takesEffectAt name nativeTokenSymbol explorerUrl month resetsAt'

const textsIn = (value: unknown, field: string): string[] => {
  if (typeof value === 'string') return [field]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, each]) => textsIn(each, Array.isArray(value) ? field : name))
}

testAll(sampleTypes.filter((type) => !namingTypes.includes(type)))(
  'an event of any other type has no text chosen by an organization, so its delivery may stay',
  (type) => {
    const endpoint = { id: 'whe_1', organizationId: mine } as WebhookEndpoint
    const { body } = sampleEvent(type, { of: 'x', endpoint, at: now })
    const undecided = textsIn(JSON.parse(body), '').filter((field) => !ofEvents.split(' ').includes(field))
    expect(undecided).toEqual([])
  },
)

const email = 'Ann@Example.test'
const lower = email.toLowerCase()
/** An address among characters that could belong to one, and a different address that ends with it. */
const signs = [`“${email}” asked`, `from=${email}`, `*${email}*…`, `${email}’s wish`, `'${email}'`, `see ${email}|x`]
const neighbours = [`jo.${email}`, `jo${email}`, `${email}.example`]
const person = { kind: 'MEMBER', id: 'person-1', label: lower } as const
const other = { kind: 'MEMBER', id: 'person-2', label: 'bob@example.test' } as const
const approval = { hold: { kind: 'APPROVAL' }, next: null }
const rowsOf = (name: string) => connection.collection<{ _id: string } & Record<string, unknown>>(name)
const insert = (name: string, rows: object[]) => rowsOf(name).insertMany(rows as never)

/** Two organizations, a person in both and one in the first, with their names in every possible field. */
async function peopled(): Promise<void> {
  await store.ensureIndexes()
  await ensureAuthIndexes(connection)
  for (const id of [mine, theirs]) {
    const versioned = { version: 1, writer: 'test', organizationId: id }
    await insert('organizations', [
      {
        ...versioned,
        _id: id,
        name: `Acme ${id}`,
        slug: `acme-${id}`,
        depositPage: { name: `Acme ${id}` },
        sso: { id: `sso_${id}`, issuer: `https://acme-${id}.example`, domains: [{ name: `acme-${id}.example` }] },
        plan: 'free',
        recipientHold: approval,
      },
    ])
    const members = [person, other].map((one) => ({ personId: one.id, role: 'owner', joinedAt: 0 }))
    await insert('domainClaims', [{ ...versioned, _id: `acme-${id}.example`, provedAt: 1 }])
    const link = { providerId: `oidc:sso_${id}`, accountId: `somebody of acme-${id}`, userId: `person-of-${id}` }
    await insert(authCollections.account, [{ _id: `link-${id}`, ...link }])
    await insert('memberships', [{ ...versioned, _id: id, members }])
    await insert('apiKeys', [
      {
        ...versioned,
        _id: `key_${id}`,
        digest: id,
        label: `Acme ${id} production`,
        revokedAt: null,
        createdBy: person.id,
      },
      {
        ...versioned,
        _id: `later_${id}`,
        digest: `later ${id}`,
        label: 'Acme',
        revokedAt: now + 9,
        allowedAddresses: ['10.0.0.1'],
      },
    ])
    await insert('invitations', [
      { ...versioned, _id: `by_${id}`, email: 'new@example.test', invitedBy: lower, invitedById: person.id },
      { ...versioned, _id: `to_${id}`, email: lower, invitedBy: other.label, invitedById: other.id },
      { ...versioned, _id: `not_${id}`, email: 'cy@example.test', invitedBy: other.label, invitedById: other.id },
    ])
    const endpoint = { url: `https://acme-${id}.test/hooks`, description: `Acme ${id}`, secret: `sealed ${id}` }
    await insert('webhookEndpoints', [
      {
        ...versioned,
        _id: `whe_${id}`,
        ...endpoint,
        disablings: [endpoint],
        enabled: true,
        deletedAt: null,
        updatedAt: 0,
      },
      { ...versioned, _id: `gone_${id}`, ...endpoint, enabled: true, deletedAt: 5, updatedAt: 0 },
    ])
    const posted = { id: `whe_${id}`, ...endpoint, organizationId: id, types: [], createdAt: 0, updatedAt: 0 }
    const told = sampleTypes.map((type, n) => {
      const { body } = sampleEvent(type, { of: 'x', endpoint: posted as never, at: now })
      const named = body.replace(/"label":"[^"]*"/, `"label":"Acme ${id} production"`)
      return { ...versioned, type, body: named, _id: `whd_${n}_${id}` }
    })
    await insert('webhookDeliveries', told)
    await insert('accounts', [{ ...versioned, _id: `account_${id}`, userId: 'user-1', label: `A user of Acme ${id}` }])
    const byKey = { kind: 'API_KEY', id: `key_${id}`, label: `Acme ${id} production` }
    for (const [name, changedBy] of [
      ['intents', person],
      ['intentVersions', byKey],
    ] as const)
      await insert(name, [{ ...versioned, _id: `${name}_${id}`, changedBy, seal: 'seal' }])
    const change = { organizationId: id, userId: 'user-1', target: {} }
    const waits = { state: 'WAITING', askedBy: person }
    await insert('heldChanges', [{ ...versioned, _id: `held_${id}`, ...change, ...waits }])
    const waiting = { gathered: [{ kind: 'KEY_EXPIRES', count: 1, texts: [`The API key Acme ${id} production`] }] }
    await insert('askedChanges', [{ _id: `asked_${id}`, account: 'a', ...change }])
    await insert('noticeBooks', [{ ...versioned, _id: id, known: [], people: [{ personId: person.id, ...waiting }] }])
    await insert('jobs', [{ ...versioned, _id: `job_${id}`, asked: { actor: person } }])
    const entry = { at: now, organizationId: id, requestId: null }
    const asked = { ...entry, actor: person, reason: `because ${email} asked` }
    await store.auditLog.append({
      ...asked,
      id: `1_${id}`,
      verb: 'member.invite',
      target: lower,
      details: { email: [lower] },
    })
    for (const [n, reason] of [...signs, ...neighbours].entries())
      await store.auditLog.append({
        ...asked,
        actor: other,
        id: `4_${n}_${id}`,
        verb: 'execution.retry',
        target: 'x',
        reason,
        details: {},
      })
    const label = { label: `Laptop of ${email}, at home` }
    await store.auditLog.append({
      ...asked,
      actor: other,
      id: `5_${id}`,
      verb: 'key.create',
      target: 'key_1',
      reason: null,
      details: label,
    })
    const names = [`Acme ${id}`, 'Old name']
    const details = { from: names[1], to: names[0] }
    const from = { email, address: '203.0.113.9' }
    await store.auditLog.append({
      ...{ ...asked, reason: null },
      id: `3_${id}`,
      verb: 'person.sign_in',
      target: person.id,
      details: from,
    })
    await store.auditLog.append({
      ...asked,
      id: `2_${id}`,
      actor: other,
      verb: 'organization.rename',
      target: id,
      details,
    })
  }
  await insert(authCollections.user, [
    { _id: person.id, email: lower, name: 'Ann Lee' },
    { _id: other.id, email: other.label, name: 'Bob' },
  ])
  for (const name of ['session', 'account', 'twoFactor'] as const)
    await insert(
      authCollections[name],
      [person, other].map(({ id }) => ({
        _id: `${name}_${id}`,
        userId: id,
        token: id,
        providerId: 'x',
        accountId: id,
      })),
    )
  await insert(authCollections.verification, [
    { _id: 'v', identifier: `trust-device-x`, value: person.id },
    { _id: 'w', identifier: lower, value: 'x' },
  ])
}

/** Everything that is stored, as text. */
async function everything(): Promise<string> {
  const found = await connection.db!.listCollections().toArray()
  const texts = found.map(async ({ name }) => `${name}: ${JSON.stringify(await rowsOf(name).find().toArray())}`)
  return (await Promise.all(texts)).join('\n')
}

async function erase(kind: 'PERSON' | 'ORGANIZATION', subject: string, address: string | null): Promise<void> {
  const erasure = {
    id: `${kind}:${subject}`,
    version: 0,
    kind,
    subject,
    email: address,
    askedAt: now - 1,
    doneAt: null,
  }
  const stored = await store.erasures.save(erasure)
  await store.erasures.carryOut(stored!)
  await store.erasures.carryOut(stored!)
}

async function assureWhole(organizationId: string): Promise<void> {
  let head = emptyChain(organizationId)
  const entries = await store.auditLog.chain(organizationId, 0, 100)
  expect(entries.length).toBeGreaterThan(1)
  for (const entry of entries) {
    expect(chainFault(entry, head)).toBeNull()
    head = { seq: entry.seq, hash: entry.hash }
  }
}

/** Exports the audit log. The file in JSON lines is verified with the public tool. */
async function exported(format: 'jsonl' | 'csv'): Promise<string> {
  const text = await (await exportOf(store.auditLog, { tenant: mine }, format)).text()
  if (format === 'csv') return text
  const file = join(temporaryFolder('audit'), 'audit.jsonl')
  writeFileSync(file, text)
  const log = spyOn(console, 'log').mockImplementation(() => {})
  await verifyAudit(file, []).finally(() => log.mockRestore())
  return text
}

test('a person who returns under the address during the removal keeps the invitation and the name', async () => {
  await store.ensureIndexes()
  await ensureAuthIndexes(connection)
  const back = { email: 'back@example.test', invitedBy: other.label, invitedById: other.id, organizationId: mine }
  const asked = {
    id: 'PERSON:gone',
    version: 0,
    kind: 'PERSON',
    subject: 'gone',
    email: back.email,
    doneAt: null,
  } as const
  const stored = await store.erasures.save({ ...asked, askedAt: now - 1 })
  const invitation = { version: 1, writer: 'test', ...back, createdAt: now - 2 }
  await insert('invitations', [{ ...invitation, _id: 'before' }])
  await store.erasures.carryOut(stored!)
  await insert('invitations', [{ ...invitation, _id: 'since', createdAt: now }])
  await insert(authCollections.user, [{ _id: 'came-back', email: back.email, name: 'Back' }])
  const actor = { kind: 'MEMBER', id: 'came-back', label: back.email } as const
  const act = { id: 'aud_back', at: now, verb: 'member.join', target: actor.id, reason: null, requestId: null } as const
  await store.auditLog.append({ ...act, actor, organizationId: 'org_back', details: {} })
  expect(await store.erasures.finish(now)).toBe(1)
  expect((await rowsOf('invitations').find().toArray()).map(({ _id }) => _id)).toEqual(['since'])
  expect(await store.auditLog.list({ organizationId: 'org_back' }, { limit: 1 })).toMatchObject([{ actor }])
  expect(await rowsOf(authCollections.user).countDocuments({ email: back.email })).toBe(1)
  for (const name of ['invitations', authCollections.user]) await rowsOf(name).deleteMany({})
})

test('a person and then an organization are removed with every name, repeatably, and every audit log still verifies', async () => {
  await peopled()
  const collections = (await connection.db!.listCollections().toArray()).map(({ name }) => name)
  const known = [...Object.keys(connection.models), ...modelless]
  expect(collections.filter((name) => !known.includes(name) && !name.startsWith('system.'))).toEqual([])

  const [shown] = await store.auditLog.list({ organizationId: mine, verb: 'member.invite' }, { limit: 1 })
  expect(shown).toMatchObject({
    actor: person,
    target: lower,
    details: { email: [lower] },
    reason: `because ${email} asked`,
  })
  expect(JSON.stringify(await store.auditLog.chain(mine, 0, 9)).toLowerCase()).not.toContain('@')

  expect(await exported('jsonl')).toContain(`"name":"${other.label}"`)
  expect((await exported('csv')).split('\r\n').find((line) => line.includes(other.label))).toMatch(
    /^org_1,,,,name_sha256_[0-9a-f]{64},bob@example\.test,log\.name,[0-9a-f]{64},{6}$/,
  )

  await erase('PERSON', person.id, lower)
  expect(await store.erasures.finish(now)).toBe(1)
  expect(await store.erasures.finish(now)).toBe(0)
  expect((await store.memberships.load(mine))!.members.map(({ personId }) => personId)).toEqual([other.id])
  const after = await everything()
  for (const each of neighbours) expect(after).toContain(each)
  const others = neighbours.reduce((text, each) => text.replaceAll(each.toLowerCase(), ''), after.toLowerCase())
  expect(others).not.toContain(lower)
  expect(after).not.toContain('203.0.113.9')
  expect(after).not.toContain('Ann Lee')
  expect(after).toContain(other.label)
  for (const name of ['session', 'account', 'twoFactor'] as const)
    expect(
      (
        await rowsOf(authCollections[name])
          .find({ _id: { $not: /^link-/ } })
          .toArray()
      ).map(({ _id }) => _id),
    ).toEqual([`${name}_${other.id}`])
  const listed = await store.auditLog.list({ organizationId: mine }, { limit: 9 })
  expect(listed.map(({ actor }) => [actor.id, actor.label])).toContainEqual([person.id, 'a removed name'])
  expect(listed.map(({ actor }) => [actor.id, actor.label])).toContainEqual([other.id, other.label])
  expect((await rowsOf('apiKeys').findOne({ _id: `key_${mine}` }))?.['revokedAt']).toBeNull()
  for (const id of [mine, theirs]) await assureWhole(id)
  expect((await exported('jsonl')).split('\n').filter((line) => line.toLowerCase().includes(lower))).toHaveLength(
    neighbours.length,
  )

  await erase('ORGANIZATION', mine, null)
  // A process may still use one of its keys.
  expect((await store.organizations.load(mine))?.recipientHold).toMatchObject(approval)
  expect(await store.erasures.finish(now)).toBe(1)
  const left = await everything()
  for (const text of [`acme ${mine}`, `acme-${mine}`, `sealed ${mine}`, 'Old name'])
    expect([text, left.toLowerCase().includes(`${text}`)]).toEqual([text, false])
  expect(left).toContain(`Acme ${theirs}`)
  expect((await rowsOf('heldChanges').find().toArray()).map(({ _id }) => _id)).toEqual([`held_${theirs}`])
  expect((await rowsOf('askedChanges').find().toArray()).map(({ _id }) => _id)).toEqual([`asked_${theirs}`])
  expect(await rowsOf('webhookDeliveries').countDocuments({ organizationId: mine })).toBe(
    sampleTypes.length - namingTypes.length,
  )
  expect(await rowsOf('webhookDeliveries').countDocuments({ organizationId: theirs })).toBe(sampleTypes.length)
  for (const id of [mine, theirs]) await assureWhole(id)
  expect(await store.organizations.load(mine)).toMatchObject({ name: 'Removed', recipientHold: null })
  expect(await store.organizations.load(theirs)).toMatchObject({ recipientHold: approval })
  expect((await store.memberships.load(mine))?.members).toEqual([])
  expect(await store.invitations.ofOrganization(mine)).toEqual([])
  expect((await store.apiKeys.ofOrganization(mine)).map(({ revokedAt }) => revokedAt)).toEqual([now, now])
  expect(await store.webhookEndpoints.ofOrganization(mine)).toEqual([])
  expect((await store.apiKeys.ofOrganization(theirs)).map(({ revokedAt }) => revokedAt).toSorted()).toEqual(
    [null, now + 9].toSorted(),
  )
  expect(await rowsOf('intents').findOne({ _id: `intents_${mine}` })).toMatchObject({ seal: 'seal', version: 1 })
})
