import type { Connection } from 'mongoose'
import { secondsOf } from '../../src/adapters/mongo/collections/execution-model'
import { zeroAddress } from '../../src/domain/chain/hex'
import { unsupportedOf } from '../../src/domain/deposit/unsupported'
import { markOf } from '../../src/domain/event-marks'
import type { Execution } from '../../src/domain/execution/execution'
import { laneId } from '../../src/domain/execution/lane'
import { isTerminal } from '../../src/domain/execution/status'
import { deliveryStatuses } from '../../src/domain/webhook/delivery'
import { addressOf, executionOf, hashOf, sender, sightingOf, token } from './deposits'

/** Number of documents in each collection. */
export const rows = 3_000
export const now = Date.UTC(2026, 10, 21)
export const organizationId = 'org_1'
export const userId = 'user-7'
export const accountOf = (n: number) => addressOf(0xac_0000 + n)
export const lane = laneId(accountOf(7), 8453, token)
const stored = { version: 1, writer: 'test' }
const ended = ['SUCCESS', 'SUCCESS', 'SUCCESS', 'DEAD_LETTER', 'SUCCESS', 'SUCCESS', 'SUCCESS', 'SUCCESS'] as const
const statuses = [...ended, ...ended, 'FAILED', 'RUNNING', null] as const

function execution(n: number) {
  const at = now - n * 60_000
  const status = statuses[n % statuses.length]!
  const isOpen = status === null || !isTerminal(status)
  const changed: Partial<Execution> = {
    organizationId: n % 2 ? organizationId : 'org_2',
    userId: `user-${n % 500}`,
    status,
    state: status ?? 'matching intent',
    dueAt: isOpen ? at : null,
    createdAt: status && at,
    completedAt: isOpen ? null : at + 30_000,
    facts: { routeId: hashOf(n + 1_000_000), quotaKey: `org_1:2026-${n % 300}` },
  }
  const { id, ...record } = executionOf(n, changed, { account: accountOf(n), detectedAt: at })
  return {
    _id: id,
    ...record,
    ...stored,
    derived: { overdueBy: isOpen ? at : null, overdueAs: isOpen ? 'LANE' : null, movedAt: at },
    keys: { hashes: [hashOf(n), hashOf(n + 500_000)], seconds: secondsOf(record.history) },
  }
}

function sighting(n: number) {
  const stage = n % 100 ? 'CONFIRMED' : 'CONFIRMING'
  const detectedAt = now - n * 60_000
  const changed = {
    stage,
    account: accountOf(n),
    userId: `user-${n % 500}`,
    detectedAt,
    block: n,
    updatedAt: n,
  } as const
  const { id, ...record } = sightingOf(n, changed)
  return { _id: id, ...record, ...stored }
}

const foundOn = (n: number) => (n % 100 ? null : n)

function unsupported(n: number) {
  const of = { organizationId: n % 2 ? organizationId : 'org_2', userId: `user-${n % 500}`, account: accountOf(n) }
  const begun = unsupportedOf({ ...of, chainId: 8453, token: addressOf(n) }, n % 500 === 0, now - n * 60_000)
  const newest = [{ txHash: hashOf(n), logIndex: 0, block: n, fromAddress: sender, amountRaw: '1' }]
  const { id, ...record } = {
    ...begun,
    newest,
    dueAt: foundOn(n),
    judgeAt: foundOn(n + 1),
    pointedFrom: foundOn(n + 2),
  }
  return { _id: id, ...record, ...stored }
}

const tables: Record<string, (n: number) => object> = {
  executions: execution,
  sightings: sighting,
  unsupported,
  accounts: (n) => ({ _id: accountOf(n), organizationId, userId: `user-${n}`, createdAt: n }),
  intents: (n) => ({
    _id: accountOf(n),
    organizationId,
    userId: `user-${n}`,
    keys: { targets: [addressOf(n % 2_000)] },
  }),
  apiKeys: (n) => ({
    _id: `key_${n}`,
    digest: hashOf(n),
    organizationId: `org_${n % 500}`,
    createdAt: n,
    expiresAt: n,
  }),
  auditLog: (n) => ({
    _id: `a${n}`,
    at: now - n,
    organizationId: `org_${n % 9}`,
    target: `t${n}`,
    verb: 'retry',
    reason: null,
    details: {},
    actor: { id: 'x', label: 'x' },
  }),
  blacklist: (n) => ({
    _id: `b${n}`,
    kind: 'TOKEN',
    chainId: 1,
    address: accountOf(n),
    createdAt: n,
    updatedAt: n,
    removedAt: null,
  }),
  budgets: (n) => ({ _id: `b${n}`, used: 1, forgetAt: new Date(Date.now() + 1e7) }),
  idempotentRequests: (n) => ({
    _id: `i${n}`,
    fingerprint: '',
    at: 0,
    turn: 'x',
    answer: null,
    forgetAt: new Date(Date.now() + 1e7),
  }),
  inboundWebhooks: (n) => ({
    _id: `8453:${hashOf(n)}:1`,
    organizationId,
    account: accountOf(n % 500),
    chainId: 8453,
    token: zeroAddress,
    block: n,
    at: n,
    text: '{}',
  }),
  invitations: (n) => ({ _id: `i${n}`, tokenDigest: hashOf(n), organizationId: `org_${n % 500}`, createdAt: n }),
  jobs: (n) => ({ _id: `j${n}`, dueAt: n % 100 ? null : n }),
  organizations: (n) => ({ _id: `org_${n}`, createdAt: n }),
  memberships: (n) => ({ _id: `org_${n}`, members: [{ personId: `p${n}` }] }),
  domainClaims: (n) => ({ _id: `d${n}.example`, version: 1 }),
  heldChanges: (n) => ({ _id: accountOf(n), organizationId, state: n % 100 ? 'DONE' : 'WAITING', from: n, askedAt: n }),
  askedChanges: (n) => ({ _id: `c${n}`, account: accountOf(n), organizationId: `org_${n % 500}`, askedAt: n }),
  pauses: (n) => ({ _id: `p${n}`, updatedAt: n }),
  pausePeriods: (n) => ({ _id: `p${n % 500}:${n}`, scope: `p${n % 500}`, from: n, to: n }),
  events: (n) => ({
    ...{ _id: String(n).padStart(16, '0'), id: `evt_${n}`, organizationId: `org_${n % 500}`, userId: `u${n}` },
    ...{ dataId: `d${n}`, seq: 1, type: 'deposit.detected', at: n, loggedAt: n, text: '{}' },
  }),
  quotaWarnings: (n) => ({
    _id: `w${n}`,
    organizationId: `org_${n % 500}`,
    at: n,
    keys: { unlogged: markOf(n, `w${n}`) },
  }),
  requestDays: (n) => ({ _id: `key_${n}:2026-11-21`, date: `${2000 + (n % 100)}-01-01`, by: {} }),
  requestLogs: (n) => ({ _id: `key_${n}`, requests: [] }),
  deliveries: (n) => ({ _id: `d${n}`, version: 1, executionId: 'x' }),
  webhookDeliveries: (n) => ({
    ...{
      _id: `w${n}`,
      version: 1,
      organizationId,
      endpointId: `e${n % 20}`,
      eventId: `evt_${n}`,
      type: 'deposit.done',
    },
    ...{ body: '{}', status: deliveryStatuses[n % deliveryStatuses.length], dueAt: n % 100 ? null : n },
    createdAt: now - n * 60_000,
  }),
  lanes: (n) => ({ _id: `l${n}`, version: 1 }),
  laneSums: (n) => ({ _id: `l${n}`, version: 1 }),
  senders: (n) => ({ _id: `s${n}`, version: 1 }),
  scanCursors: (n) => ({ _id: `c${n}`, version: 1 }),
  chainLeases: (n) => ({ _id: `c${n}`, version: 1 }),
  nodeRequests: (n) => ({ _id: `2026-01-01:c${n}`, date: `day${n}`, chain: 'base', methods: {} }),
}

/** Fills every collection with enough documents that the database prefers an index to a full scan. */
export async function insertRows(connection: Connection): Promise<void> {
  for (const [name, row] of Object.entries(tables)) {
    const made = Array.from({ length: rows }, (_, n) => row(n))
    for (let n = 0; n < rows; n += 1_000) await connection.collection(name).insertMany(made.slice(n, n + 1_000))
  }
}
