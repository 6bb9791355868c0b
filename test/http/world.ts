import type { ApiKey, Role } from '../../src/domain/api-key'
import { apiKeyDigest, apiKeyPrefix, apiKeyText } from '../../src/domain/api-key-format'
import type { DepositIntent } from '../../src/domain/deposit-intent'
import type { Account } from '../../src/domain/modular-account'
import type { Organization, plans } from '../../src/domain/organization'
import { TokenList } from '../../src/domain/token'
import { type ApiPorts, createApi } from '../../src/http/app'
import { memoryIdempotency } from './memory-idempotency'
import { memoryExecutions, memoryRecords } from './memory-store'

const roomy = { R: 1e6, W: 1e6, S: 1e6, X: 1e6 }
const roomyRates = Object.fromEntries(
  Object.entries(roomy).map(([name, burst]) => [name, { perSecond: burst, burst }]),
) as (typeof plans)['free']['rates']

export const factory = {
  registry: '0x7b479953F20e87812Ca17b1A473Ac8948ec9C4e3',
  implementation: '0x79E462FDbA4034055F2569e729d81536751C2856',
} as const

/** Everything that the API needs, in memory, and a clock that only moves when it is told to. */
export function apiWorld(changes: Partial<ApiPorts> = {}) {
  const clock = { now: Date.UTC(2026, 10, 21, 10) }
  const bugs: unknown[] = []
  const woken: string[] = []
  const organizations = memoryRecords<Organization>()
  const apiKeys = memoryRecords<ApiKey>()
  const accounts = memoryRecords<Account>()
  const intents = memoryRecords<DepositIntent>()
  const executions = memoryExecutions()
  const asked = { keys: 0 }
  let made = 0

  function organization(id: string, change: Partial<Organization> = {}): Organization {
    const salt = `0x${Bun.SHA256.hash(id, 'hex')}` as const
    const custom = { rates: roomyRates, monthlyExecutions: null }
    const given: Organization = {
      id,
      version: 1,
      name: id,
      slug: id,
      salt,
      plan: 'custom',
      customPlan: custom,
      isPlatform: false,
      createdAt: clock.now,
      ...change,
    }
    organizations.rows.set(id, given)
    return given
  }

  function key(organizationId: string, role: Role = 'CLIENT', change: Partial<ApiKey> = {}): string {
    const text = apiKeyText(Bun.SHA256.hash(`key ${++made}`) as Uint8Array)
    const given: ApiKey = {
      id: `key_${made}`,
      version: 1,
      digest: apiKeyDigest(text),
      prefix: apiKeyPrefix(text),
      organizationId,
      label: 'test',
      role,
      protocolFeeBps: 50,
      sponsoredGas: false,
      createdAt: clock.now,
      createdBy: null,
      lastUsedAt: null,
      revokedAt: null,
      ...change,
    }
    apiKeys.rows.set(given.id, given)
    return text
  }

  organization('org_a')
  organization('org_b')
  organization('platform', { isPlatform: true })

  const ports: ApiPorts = {
    organizations: { ...organizations, all: async () => [...organizations.rows.values()] },
    apiKeys: {
      ...apiKeys,
      findByDigest: async (digest) => {
        asked.keys++
        return [...apiKeys.rows.values()].find((one) => one.digest === digest) ?? null
      },
      ofOrganization: async (id) => [...apiKeys.rows.values()].filter((one) => one.organizationId === id),
      markUsed: async (id, at) => {
        apiKeys.rows.set(id, { ...apiKeys.rows.get(id)!, lastUsedAt: at })
      },
    },
    accounts: {
      ...accounts,
      findByUser: async (organizationId, userId) =>
        [...accounts.rows.values()].find((one) => one.organizationId === organizationId && one.userId === userId) ??
        null,
      createdSince: async (time) => [...accounts.rows.values()].filter((one) => one.createdAt >= time),
    },
    intents,
    executions,
    executionQueries: executions,
    wakes: {
      wakeNow: async ({ id }) => {
        woken.push(id)
      },
    },
    blacklist: { isListed: () => false },
    idempotency: memoryIdempotency(),
    tokens: new TokenList([
      {
        chainId: 8453,
        address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
        symbol: 'USDC',
        name: 'USD Coin',
        decimals: 6,
      },
      {
        chainId: 42161,
        address: '0xaf88d065e77c8cC2239327C5EDb3A432268e5831',
        symbol: 'USDC',
        name: 'USD Coin',
        decimals: 6,
      },
    ]),
    factory,
    noteBug: (error) => bugs.push(error),
    now: () => clock.now,
    useNews: null,
    webhook: { pointers: { publish: async () => {} }, verifySignature: () => false, readPointers: () => [] },
    readiness: { checks: {}, isDraining: () => false },
    docs: { version: '0.1.0', serverUrl: null },
    ...changes,
  }
  const api = createApi(ports)

  type Sent = { method?: string; key?: string | null; body?: unknown; raw?: string; headers?: Record<string, string> }

  async function ask(path: string, { method, key: sent, body, raw, headers = {} }: Sent = {}) {
    const content = raw ?? (body === undefined ? undefined : JSON.stringify(body))
    const request = new Request(`http://localhost${path}`, {
      method: method ?? (content === undefined ? 'GET' : 'POST'),
      headers: {
        ...(sent && { 'x-api-key': sent }),
        ...(content !== undefined && {
          'content-type': 'application/json',
          'content-length': String(Buffer.byteLength(content)),
        }),
        ...headers,
      },
      ...(content !== undefined && { body: content }),
    })
    const response = await api.handle(request)
    const text = await response.text()
    const json = response.headers.get('content-type')?.startsWith('application/json') ? JSON.parse(text) : null
    return { status: response.status, headers: response.headers, text, json }
  }

  return {
    api,
    ports,
    ask,
    clock,
    bugs,
    woken,
    asked,
    organization,
    key,
    rows: { organizations, apiKeys, accounts, intents, executions },
  }
}
export type ApiWorld = ReturnType<typeof apiWorld>

export const target = {
  targetChainId: 42161,
  targetTokenAddress: '0xaf88d065e77c8cC2239327C5EDb3A432268e5831',
  targetAddress: '0x1dE3D712f5D3103AD50e22dc1f4d3Ff1559D5115',
}
