import { createHash } from 'node:crypto'
import { hostname } from 'node:os'
import { aggregators } from '../adapters/aggregators'
import { withCircleStatus } from '../adapters/aggregators/circle-status'
import { measuredAggregator } from '../adapters/aggregators/measured-aggregator'
import { relay } from '../adapters/aggregators/relay'
import type { Address } from '../domain/chain/hex'
import { type ProviderKey, providerKeys, providerLimits } from '../domain/execution/provider'
import type { ProviderBudget } from '../domain/limits/provider-budget'
import type { TokenList } from '../domain/money/token'
import type { Chains } from '../ports/chain-client'
import type { TokenPair } from '../ports/executions'
import type { Gate, RequestsLeft } from '../ports/gate'
import type { Telemetry } from '../ports/observing'
import type { Pauses } from '../ports/operators'
import type { PriceSource } from '../ports/prices'
import type { Records } from '../ports/records'
import type { Aggregator } from '../providers/aggregator'
import type { ProviderGate } from '../providers/breaker'
import { gate } from '../providers/gate'
import type { GateChange } from '../providers/gate-record'
import { limitUpdateOf, type NoteHeaders, type RequestKind } from '../providers/limit-headers'
import { type RateLimiter, rateLimiter, withRateLimit } from '../providers/shared-budget'
import type { RouteRule } from '../signer/function-rule'
import { routeObjection } from '../signer/route-rules'

type Loaded = {
  config: {
    port: number
    lifiUrl: string | null
    relayUrl: string | null
    relayPricesUrl: string
    cctpUrl: string | null
    relaySolver: Address
    quoteTimeoutMs: number
    requestsPerMinute: Record<ProviderKey, number | null>
  }
  secrets: { lifiApiKey: string | null; relayApiKey: string | null }
}

type Parts = {
  bridges: readonly string[]
  /** The calls that may be signed. */
  rules: readonly RouteRule[]
  store: { providerBudgets: Records<ProviderBudget>; providerGates: Records<ProviderGate> }
  /** Absent in processes that request no quotes. */
  pauses?: Pauses
  tokens: TokenList
  onGateChange: (change: GateChange) => void
  /** Called when a provider answers again for a pair of tokens that deposits wait for. */
  onAnswer?: (route: TokenPair) => void
  /** The chains whose Circle contracts are read. */
  chains: Chains
  telemetry: Telemetry
  now: () => number
}

type Limiters = Record<RequestKind, RateLimiter> & { key: string; noteHeaders: NoteHeaders }
const kinds: readonly RequestKind[] = ['quote', 'other']

/**
 * The gates of the routing providers, each within the limits of its key, and read as the signer reads it. All processes
 * share limits and gates. Relay's prices are counted with its other requests, whether or not it routes.
 */
export function routingProviders(
  { config, secrets }: Loaded,
  { bridges, rules, store, pauses, tokens, onGateChange, onAnswer, chains, telemetry, now }: Parts,
) {
  // Processes on one machine have different ports, and keep them across restarts.
  const self = `${hostname()}:${config.port}`
  const limitersOf = (provider: ProviderKey, apiKey: string | null): Limiters => {
    const allowed = providerLimits(provider, apiKey !== null, config.requestsPerMinute[provider])
    const key = keyName(apiKey)
    const limiter = (kind: RequestKind) =>
      rateLimiter(`${provider}:${key}:${kind}`, allowed[kind], { budgets: store.providerBudgets, now })
    const limiters = { quote: limiter('quote'), other: limiter('other') }
    const noteHeaders: NoteHeaders = (kind) => (status, headers, tookMs) =>
      limiters[kind].note(limitUpdateOf(status, headers, Math.ceil(now() - tookMs)))
    return { ...limiters, key, noteHeaders }
  }
  const apiKeys: Record<ProviderKey, string | null> = {
    lifi: secrets.lifiApiKey,
    relay: secrets.relayApiKey,
    cctp: null,
  }
  const limiters = Object.fromEntries(providerKeys.map((key) => [key, limitersOf(key, apiKeys[key])])) as Record<
    ProviderKey,
    Limiters
  >
  const read = routeObjection(rules, { now })
  const relayConfig = { apiKey: apiKeys.relay, solver: config.relaySolver, noteHeaders: limiters.relay.noteHeaders }
  const gateTo = (provider: Aggregator, within: (one: Aggregator) => Aggregator): Gate => {
    const { quoteTimeoutMs } = config
    const shared = { records: store.providerGates, tokens, quoteTimeoutMs, self, now, onChange: onGateChange }
    return gate(provider, { ...shared, read, within, ...(pauses && { pauses }), ...(onAnswer && { onAnswer }) })
  }
  const providers = aggregators({
    lifi: config.lifiUrl
      ? { url: config.lifiUrl, apiKey: apiKeys.lifi, bridges, noteHeaders: limiters.lifi.noteHeaders }
      : null,
    relay: config.relayUrl ? { url: config.relayUrl, ...relayConfig } : null,
    cctp: config.cctpUrl ? { url: config.cctpUrl, noteHeaders: limiters.cctp.noteHeaders } : null,
  }).map((provider): Gate => {
    const within = (one: Aggregator): Aggregator => {
      const limited = withRateLimit(measuredAggregator(one, telemetry), limiters[provider.name])
      return provider.name === 'cctp' ? withCircleStatus(limited, chains) : limited
    }
    return gateTo(provider, within)
  })
  const relayPrices: PriceSource = gateTo(relay({ url: config.relayPricesUrl, ...relayConfig }), (one) =>
    withRateLimit(one, limiters.relay),
  )
  const requestsLeft = (): Promise<RequestsLeft[]> =>
    Promise.all(
      providerKeys.flatMap((provider) => {
        const { key, ...limiter } = limiters[provider]
        return kinds.map(async (kind) => ({ provider, key, kind, ...(await limiter[kind].read()) }))
      }),
    )
  return { providers, relayPrices, requestsLeft }
}

/** Identifies a key in the store without revealing it. */
const keyName = (apiKey: string | null): string =>
  apiKey === null ? 'keyless' : createHash('sha256').update(apiKey).digest('hex').slice(0, 12)
