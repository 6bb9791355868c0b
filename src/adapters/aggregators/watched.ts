import { CircuitState, SamplingBreaker } from 'cockatiel'
import { RoutingError } from '../../domain/error'
import { type Aggregator, ProviderResting } from '../../ports/aggregator'
import type { ProviderHealth } from '../../ports/provider-health'
import { breakerOf } from '../breaker'

type Call = { at: number; tookMs: number; isFailure: boolean }

const rememberedMs = 10 * 60_000
const callsMax = 2_000
const restMs = 10_000
/** Half of the calls of half a minute, when there were enough to tell. */
const breaking = { threshold: 0.5, duration: 30_000, minimumRps: 1 }

const breakers: Record<CircuitState, ProviderHealth['breaker']> = {
  [CircuitState.Closed]: 'CLOSED',
  [CircuitState.Open]: 'OPEN',
  [CircuitState.HalfOpen]: 'HALF_OPEN',
  [CircuitState.Isolated]: 'OPEN',
}

export type WatchedAggregator = Aggregator & { health(): ProviderHealth }

/**
 * A provider with a circuit breaker: one that fails again and again is left alone for a while, and whoever needs it
 * waits, which is no retry. Only what may pass counts: a refusal is an answer.
 */
export function watched(aggregator: Aggregator, now: () => number): WatchedAggregator {
  const resting = (cause?: unknown) => new ProviderResting(aggregator.name, restMs, { cause })
  const { call, state } = breakerOf({ breaker: new SamplingBreaker(breaking), restMs, isTrouble, resting })
  let calls: Call[] = []

  async function noted<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
    const at = now()
    try {
      const answer = await ask()
      note({ at, tookMs: now() - at, isFailure: false })
      return answer
    } catch (error) {
      note({ at, tookMs: now() - at, isFailure: isTrouble(error) })
      throw error
    }
  }

  function note(call: Call): void {
    calls.push(call)
    if (calls.length > callsMax) calls = calls.slice(-callsMax / 2)
  }

  return {
    name: aggregator.name,
    quote: (request, signal) => call(() => noted(() => aggregator.quote(request, signal))),
    outcome: (sent, signal) => call(() => noted(() => aggregator.outcome(sent, signal))),
    priceUsd: (chainId, token, signal) => aggregator.priceUsd(chainId, token, signal),
    health() {
      const recent = calls.filter(({ at }) => at > now() - rememberedMs)
      const took = recent.map(({ tookMs }) => tookMs).sort((a, b) => a - b)
      const part = (share: number): number | null => took[Math.floor((took.length - 1) * share)] ?? null
      const failures = recent.filter(({ isFailure }) => isFailure).length
      const errorRate = recent.length === 0 ? 0 : failures / recent.length
      const breaker = breakers[state()]
      return {
        provider: aggregator.name,
        healthy: breaker === 'CLOSED' && errorRate < 0.2,
        errorRate: Math.round(errorRate * 1_000) / 1_000,
        p50Ms: part(0.5),
        p95Ms: part(0.95),
        breaker,
        updatedAt: recent.at(-1)?.at ?? null,
      }
    },
  }
}

const isTrouble = (error: unknown): boolean => !(error instanceof RoutingError) || error.retryable
