import { randomUUID } from 'node:crypto'
import { memoryKey } from '../../src/adapters/keys/open-key'
import { createApi } from '../../src/app/api/api'
import type { ApiPorts } from '../../src/app/api/ports'
import { chains, perChain } from '../../src/domain/chain/chain'
import { unspendable } from '../../src/domain/deposit/unspendable'
import { retry } from '../../src/domain/execution/retry'
import { TokenList } from '../../src/domain/money/token'
import type { ApiKey, Role } from '../../src/domain/tenant/api-key'
import { apiKeyDigest, apiKeyPrefix, apiKeyText } from '../../src/domain/tenant/api-key-format'
import { type Organization, plans, type Rates } from '../../src/domain/tenant/organization'
import { storedSemaphores } from '../../src/limits/stored-semaphores'
import type { Figures } from '../../src/ports/prices'
import { eventsOn, publishing } from '../support/events'
import { operatorInMemory } from '../support/operators'
import { seals } from '../support/seals'
import { storeInMemory } from '../support/stores'
import { vault } from '../support/webhooks'
import { conformance, isJson } from './openapi/conform'
import { memoryIdempotency } from './request/memory-idempotency'
import { priced } from './routes/priced'

const roomy: Rates = Object.fromEntries(
  Object.keys(plans.free.rates).map((name) => [name, { perSecond: 1e6, burst: 1e6 }]),
) as Rates

export const factory = {
  registry: '0x7b479953F20e87812Ca17b1A473Ac8948ec9C4e3',
  implementation: '0x79E462FDbA4034055F2569e729d81536751C2856',
} as const

export const usdc = {
  base: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  arbitrum: '0xaf88d065e77c8cC2239327C5EDb3A432268e5831',
} as const
const named = { symbol: 'USDC', name: 'USD Coin', decimals: 6 }

const healthy = {
  confirmationTypicalSeconds: null,
  acceptsDeposits: true,
  delivers: true,
  message: null,
  updatedAt: 0,
}
export const figures: Figures = {
  at: Date.UTC(2026, 10, 21, 10),
  ofChain: () => healthy,
  ofToken: () => healthy,
  expectedSeconds: () => null,
  minimumAmountIn: (_token, _to, sponsoredGas) => (sponsoredGas ? 0n : 73_728n),
}

/** The API's ports in memory, and a clock that only tests move. */
export function apiWorld(changes: Partial<ApiPorts> = {}) {
  const clock = { now: Date.UTC(2026, 10, 21, 10) }
  const bugs: unknown[] = []
  const woken: string[] = []
  const store = storeInMemory()
  const asked = { keys: 0 }
  let made = 0

  async function organization(id: string, change: Partial<Organization> = {}): Promise<string> {
    const salt = `0x${Bun.SHA256.hash(id, 'hex')}` as const
    const customPlan = { ...plans.scale, rates: roomy }
    const given: Organization = {
      id,
      version: 0,
      name: id,
      slug: id,
      salt,
      plan: 'custom',
      customPlan,
      isPlatform: false,
      createdAt: clock.now,
      ...change,
    }
    await store.organizations.save(given)
    return id
  }

  async function key(organizationId: string, role: Role = 'CLIENT', change: Partial<ApiKey> = {}): Promise<string> {
    const text = apiKeyText(Bun.SHA256.hash(`key ${++made}`) as Uint8Array)
    await store.apiKeys.save({
      id: `key_${made}`,
      version: 0,
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
      expiresAt: null,
      allowedAddresses: [],
      ...change,
    })
    return text
  }

  const wakes = {
    wakeNow: async ({ id }: { id: string }) => {
      woken.push(id)
    },
  }

  const operator = operatorInMemory(store, () => clock.now)
  const ports: ApiPorts = {
    ...store,
    seals,
    receipts: { key: memoryKey(`0x${'7'.repeat(64)}`), former: [] },
    assureAddresses: async () => {},
    apiKeys: {
      ...store.apiKeys,
      findByDigest: async (digest) => {
        asked.keys++
        return store.apiKeys.findByDigest(digest)
      },
    },
    wakes,
    blacklist: { isListed: () => false },
    semaphores: storedSemaphores({ books: store.semaphoreRecords, now: () => clock.now }),
    idempotency: memoryIdempotency(),
    tokens: new TokenList([
      { chainId: 8453, address: usdc.base, ...named },
      { chainId: 42161, address: usdc.arbitrum, ...named },
    ]),
    hasCode: async () => true,
    payable: async () => null,
    unspendable: unspendable(
      [{ name: 'a contract of this service', addresses: [factory.registry] }],
      new TokenList([]),
    ),
    chains: perChain((_id, name) => ({ confirmations: chains[name].confirmations, isDeployed: async () => false })),
    figures: async () => figures,
    preview: priced,
    worth: async () => null,
    events: eventsOn(store.eventLog),
    vault,
    postWebhook: async () => ({ statusCode: 200, durationMs: 1, error: null, retryAfterMs: null }),
    webhooksToLoopback: false,
    watch: {
      rescan: async () => ({ found: 'NOT_FOUND', depositIds: [] }),
      rescanUnsupported: async () => null,
      coverageOf: async () => null,
    },
    operator,
    retry,
    factory,
    noteBug: (error) => bugs.push(error),
    now: () => clock.now,
    useUpdates: null,
    webhook: { pointers: { publish: async () => {} }, signedFor: () => [], readPointers: () => [] },
    readiness: { checks: {}, isDraining: () => false },
    docs: { version: '0.1.0', serverUrl: null },
    ...changes,
  }
  const api = createApi(ports)
  /** Appends the events of everything that was stored. */
  const publish = publishing({ ...ports, ...store })

  /** Sends a request as a client does. */
  async function ask(path: string, { method, key: sent, body, raw, headers = {} }: Sent = {}) {
    if (path.startsWith('/api/events')) await publish()
    const content = raw ?? (body === undefined ? undefined : JSON.stringify(body))
    const length = content === undefined ? {} : { 'content-length': String(Buffer.byteLength(content)) }
    const request = new Request(`http://localhost${path}`, {
      method: method ?? (content === undefined ? 'GET' : 'POST'),
      headers: {
        ...(sent && { 'x-api-key': sent }),
        ...(content !== undefined && { 'content-type': 'application/json', ...length }),
        ...headers,
      },
      ...(content !== undefined && { body: content }),
    })
    const response = await api.handle(request)
    // A stream of events never ends, so its body is not read.
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream')
    const text = isStream ? '' : await response.text()
    if (isStream) await response.body?.cancel()
    // A request to `/api/..` is normalized to `/`.
    const arrivedAt = new URL(request.url).pathname
    const seen = {
      method: request.method,
      path: arrivedAt,
      status: response.status,
      headers: response.headers,
      text,
    }
    const objection = arrivedAt.startsWith('/api/') ? (await conforms(api))(seen) : null
    if (objection) throw new Error(`An answer is not as the document says: ${objection}\n${text.slice(0, 500)}`)
    const hasJson = isJson(response.headers.get('content-type') ?? '') && text !== ''
    return { status: response.status, headers: response.headers, text, json: hasJson ? JSON.parse(text) : null }
  }

  return { api, ports, store, publish, operators: operator, ask, clock, bugs, woken, asked, organization, key }
}
export type ApiWorld = ReturnType<typeof apiWorld>
export type Sent = {
  method?: string
  key?: string | null
  body?: unknown
  raw?: string
  headers?: Record<string, string>
}

let conformity: ReturnType<typeof conformance> | null = null

/** The document is read once, and every response of every test is checked against it. */
export async function conforms(api: { handle(request: Request): Promise<Response> }) {
  conformity ??= conformance(
    (await (await api.handle(new Request('http://localhost/docs/json'))).json()) as Record<string, unknown>,
  )
  return conformity
}

/** Two organizations and the platform, each with a key of both roles. */
export async function peopledWorld(changes: Partial<ApiPorts> = {}) {
  const world = apiWorld(changes)
  await world.organization('org_a')
  await world.organization('org_b')
  await world.organization('org_p', { isPlatform: true })
  const [client, operator] = [await world.key('org_a'), await world.key('org_a', 'OPERATOR')]
  const [stranger, platform] = [await world.key('org_b'), await world.key('org_p', 'OPERATOR')]
  return { ...world, client, operator, stranger, platform }
}

export const target = {
  targetChainId: 42161,
  targetTokenAddress: usdc.arbitrum,
  targetAddress: '0x1dE3D712f5D3103AD50e22dc1f4d3Ff1559D5115',
} as const

export const uniqueUser = (): string => `user-${randomUUID()}`
