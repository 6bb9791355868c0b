import { hmacSeals } from '../../src/adapters/hmac-seals'
import type { ApiPorts } from '../../src/app/api/ports'
import type { Account } from '../../src/domain/chain/account'
import { perChain } from '../../src/domain/chain/chain'
import { retry } from '../../src/domain/execution/retry'
import { TokenList } from '../../src/domain/money/token'
import type { ApiKey } from '../../src/domain/tenant/api-key'
import { apiKeyDigest, apiKeyText } from '../../src/domain/tenant/api-key-format'
import { type Organization, plans, type Rates } from '../../src/domain/tenant/organization'

const roomy = Object.fromEntries(
  Object.keys(plans.free.rates).map((name) => [name, { perSecond: 1e9, burst: 1e9 }]),
) as Rates

export const benchKey = apiKeyText(new Uint8Array(32).fill(7))

const organization: Organization = {
  id: 'org_1',
  version: 1,
  name: 'bench',
  slug: 'bench',
  salt: `0x${'11'.repeat(32)}`,
  plan: 'custom',
  customPlan: { rates: roomy, monthlyExecutions: null },
  isPlatform: false,
  createdAt: 0,
}

const key: ApiKey = {
  id: 'key_1',
  version: 1,
  digest: apiKeyDigest(benchKey),
  prefix: 'sy_live_0000',
  organizationId: 'org_1',
  label: 'bench',
  role: 'CLIENT',
  protocolFeeBps: 50,
  sponsoredGas: false,
  createdAt: 0,
  createdBy: null,
  lastUsedAt: Date.now(),
  revokedAt: null,
}

/** A store made of a map with conditional writes, the cheapest possible. */
function records<R extends { id: string; version: number }>() {
  const rows = new Map<string, R>()
  return {
    load: async (id: string): Promise<R | null> => rows.get(id) ?? null,
    save: async (record: R): Promise<R | null> => {
      if ((rows.get(record.id)?.version ?? 0) !== record.version) return null
      const stored = { ...record, version: record.version + 1 }
      rows.set(record.id, stored)
      return stored
    },
  }
}

const healthy = {
  confirmationTypicalSeconds: null,
  acceptsDeposits: true,
  delivers: true,
  message: null,
  updatedAt: 0,
}

/** The service's ports on maps, which limits the measurement to the HTTP layer. */
export function portsInMemory(): ApiPorts {
  const accounts = records<Account>()
  const byUser = new Map<string, Account>()
  /** No measured request uses these. */
  const unasked = { operations: {}, providerNames: [] } as never
  return {
    assureAddresses: async () => {},
    seals: hmacSeals([`0x${'5ea1'.repeat(16)}`]),
    receipts: { key: null, former: [] },
    executions: { countQuota: async () => 0, waitingForIntent: async () => [] },
    semaphores: { acquire: async () => true, release: async () => {} },
    heldChanges: unasked,
    executionQueries: unasked,
    depositQueries: unasked,
    scanCursors: unasked,
    watch: unasked,
    webhookEndpoints: unasked,
    webhookFeeds: unasked,
    webhookDeliveries: unasked,
    postWebhook: unasked,
    vault: unasked,
    webhooksToLoopback: false,
    ledger: unasked,
    usage: unasked,
    requestLog: { note: () => {}, list: async () => [], counts: async () => [], settle: async () => {} },
    worth: async () => null,
    operator: { auditLog: { append: async () => {} }, newId: () => 'aud_1' } as never,
    organizations: {
      ...records<Organization>(),
      load: async () => organization,
      all: async () => [organization],
      list: async () => [organization],
    },
    apiKeys: {
      ...records<ApiKey>(),
      findByDigest: async (digest) => (digest === key.digest ? key : null),
      ofOrganization: async () => [key],
      markUsed: async () => {},
    },
    accounts: {
      ...accounts,
      save: async (account) => {
        const stored = await accounts.save(account)
        if (stored) byUser.set(`${stored.organizationId} ${stored.userId}`, stored)
        return stored
      },
      findByUser: async (organizationId, userId) => byUser.get(`${organizationId} ${userId}`) ?? null,
      beginningWith: async () => [],
      withPart: async () => [],
      paying: async () => [],
      createdSince: async () => [],
    },
    intents: records(),
    intentHistory: {
      replaced: async () => [],
      versionsOf: async () => [],
    },
    eventLog: unasked,
    events: unasked,
    blacklist: { isListed: () => false },
    wakes: { wakeNow: async () => {} },
    idempotency: { begin: async () => ({ kind: 'BEGUN', turn: '1' }), keep: async () => {}, release: async () => {} },
    tokens: new TokenList([]),
    payable: async () => null,
    unspendable: () => null,
    hasCode: async () => true,
    chains: perChain(() => ({ confirmations: 1, isDeployed: async () => false })),
    figures: async () => ({
      at: 0,
      gasFee: () => null,
      ofChain: () => healthy,
      ofToken: () => healthy,
      expectedSeconds: () => null,
      minimumAmountIn: () => null,
    }),
    preview: async (deposit) => deposit,
    retry,
    factory: {
      registry: '0x7b479953F20e87812Ca17b1A473Ac8948ec9C4e3',
      implementation: '0x79E462FDbA4034055F2569e729d81536751C2856',
    },
    noteBug: (error) => console.error(error),
    now: Date.now,
    useUpdates: null,
    webhook: { pointers: { publish: async () => {} }, signedFor: () => [], readPointers: () => [] },
    readiness: { checks: {}, isDraining: () => false },
    docs: { version: '0.1.0', serverUrl: null },
  }
}
