import { createHash } from 'node:crypto'
import { hostname } from 'node:os'
import { aggregators } from '../adapters/aggregators'
import { withCircleStanding } from '../adapters/aggregators/circle-standing'
import { type WatchedAggregator, withCircuitBreaker } from '../adapters/aggregators/circuit-breaker'
import { type HearHeaders, limitUpdateOf, type RequestKind } from '../adapters/aggregators/limit-headers'
import { measuredAggregator } from '../adapters/aggregators/measured-aggregator'
import { type RateLimiter, rateLimiter, withRateLimit } from '../adapters/aggregators/rate-limiter'
import { readableAggregator } from '../adapters/aggregators/readable-aggregator'
import { relay } from '../adapters/aggregators/relay'
import type { Address } from '../domain/chain/hex'
import { type ProviderKey, providerKeys, providerLimits } from '../domain/execution/provider'
import type { ProviderBudget } from '../domain/execution/provider-budget'
import type { ChainPair, ProviderCircuit } from '../domain/execution/provider-circuit'
import type { RequestsLeft } from '../ports/aggregator'
import type { Chains } from '../ports/chain-client'
import type { PriceSource } from '../ports/prices'
import type { Records } from '../ports/records'
import type { Telemetry } from '../ports/telemetry'
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
    requestsPerMinute: Record<ProviderKey, number | null>
  }
  secrets: { lifiApiKey: string | null; relayApiKey: string | null }
}

type Parts = {
  bridges: readonly string[]
  /** The calls that may be signed. */
  rules: readonly RouteRule[]
  store: { providerBudgets: Records<ProviderBudget>; providerCircuits: Records<ProviderCircuit> }
  onCircuitChange: (circuit: ProviderCircuit, isOwn: boolean, pair?: ChainPair) => void
  /** Used to read the state of Circle's contracts. */
  chains: Chains
  telemetry: Telemetry
  now: () => number
}

type Limiters = Record<RequestKind, RateLimiter> & { key: string; hear: HearHeaders }
const kinds: readonly RequestKind[] = ['quote', 'other']

/**
 * Builds the routing providers: each within its key's limits, read as the signer reads it, and behind its circuit
 * breaker. All processes share limits and circuits. Relay's price requests count with its other requests, even if it
 * does not route.
 */
export function routingProviders(
  { config, secrets }: Loaded,
  { bridges, rules, store, onCircuitChange, chains, telemetry, now }: Parts,
) {
  // Processes on one machine have different ports, and keep them across restarts.
  const self = `${hostname()}:${config.port}`
  const limitersOf = (provider: ProviderKey, apiKey: string | null): Limiters => {
    const allowed = providerLimits(provider, apiKey !== null, config.requestsPerMinute[provider])
    const key = keyName(apiKey)
    const limiter = (kind: RequestKind) =>
      rateLimiter(`${provider}:${key}:${kind}`, allowed[kind], { budgets: store.providerBudgets, now })
    const limiters = { quote: limiter('quote'), other: limiter('other') }
    const hear: HearHeaders = (kind) => (status, headers, tookMs) =>
      limiters[kind].hear(limitUpdateOf(status, headers, Math.ceil(now() - tookMs)))
    return { ...limiters, key, hear }
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
  const objectionTo = routeObjection(rules, { now })
  const relayConfig = { apiKey: apiKeys.relay, solver: config.relaySolver, hear: limiters.relay.hear }
  const providers = aggregators({
    lifi: config.lifiUrl ? { url: config.lifiUrl, apiKey: apiKeys.lifi, bridges, hear: limiters.lifi.hear } : null,
    relay: config.relayUrl ? { url: config.relayUrl, ...relayConfig } : null,
    cctp: config.cctpUrl ? { url: config.cctpUrl, hear: limiters.cctp.hear } : null,
  }).map((provider): WatchedAggregator => {
    const readable = readableAggregator(provider, objectionTo)
    const limited = withRateLimit(measuredAggregator(readable, telemetry), limiters[provider.name])
    const sharing = { circuits: store.providerCircuits, onChange: onCircuitChange, self }
    const watched = withCircuitBreaker(limited, now, sharing)
    return provider.name === 'cctp' ? withCircleStanding(watched, chains) : watched
  })
  const relayPrices: PriceSource = withRateLimit(relay({ url: config.relayPricesUrl, ...relayConfig }), limiters.relay)
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
