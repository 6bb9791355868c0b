import { CircuitState, SamplingBreaker } from 'cockatiel'
import { BoundedMap } from '../../domain/bounded-map'
import { RoutingError } from '../../domain/error'
import { type ProviderCircuit, probeId } from '../../domain/execution/provider-circuit'
import { type Aggregator, type ProviderHealth, ProviderUnavailable, type RouteRequest } from '../../ports/aggregator'
import { processCircuit } from '../process-circuit'
import { recentFailures, type Subject } from './recent-failures'
import { type Sharing, sharedCircuit } from './shared-circuit'

type Call = { at: number; tookMs: number; isFailure: boolean }

const rememberedMs = 10 * 60_000
const callsMax = 2_000
/** The newest calls, which decide whether the provider is healthy now. */
const [newestMs, newestMax] = [10_000, 50]
const openMs = 10_000
/** This many successful calls in a row end an outage. */
const wellRow = 5
const aloneMax = 500
/**
 * How many distinct tokens on either side, and how many transactions, must fail before the fault is the provider's own.
 */
const [quotesLeast, outcomesLeast] = [3, 5]
/** The breaker opens when half of the calls within 30 seconds fail, given enough calls to tell. */
const breaking = { threshold: 0.5, duration: 30_000, minimumRps: 1 }

const breakers: Record<CircuitState, ProviderHealth['breaker']> = {
  [CircuitState.Closed]: 'CLOSED',
  [CircuitState.Open]: 'OPEN',
  [CircuitState.HalfOpen]: 'HALF_OPEN',
  [CircuitState.Isolated]: 'OPEN',
}

export type WatchedAggregator = Aggregator & {
  health(): Promise<ProviderHealth>
  /**
   * Asks on behalf of everybody whether the provider is back; while the circuit is open, no sooner than the next probe
   * may. Never throws.
   */
  look(request: RouteRequest, signal: AbortSignal): Promise<void>
}

/**
 * A provider behind a circuit breaker: when it fails repeatedly it gets no requests for a while, and whoever needs it
 * waits, which is not a retry. Only transient failures count, because a refusal is an answer. A failure of one pair of
 * tokens stops that pair alone, so that one tenant's odd token does not stop the others.
 *
 * @param sharing the state that all processes share; without it, this process relies on its own calls.
 */
export function withCircuitBreaker(
  aggregator: Aggregator,
  now: () => number,
  sharing?: Omit<Sharing, 'now'>,
): WatchedAggregator {
  const circuitOpen = (cause?: unknown) => new ProviderUnavailable(aggregator.name, openMs, { cause })
  const breaker = (isCounted: (error: unknown) => boolean) =>
    processCircuit({ breaker: new SamplingBreaker(breaking), openMs, isTrouble: isCounted, circuitOpen })
  const kind = (distinctLeast: number) => {
    const late = recentFailures(now, distinctLeast)
    return { late, everybody: breaker((error) => isTrouble(error) && late.isEverybody()) }
  }
  /** Quotes and outcomes are counted apart: a provider that does not know a transaction may quote well. */
  const [quotes, outcomes] = [kind(quotesLeast), kind(outcomesLeast)]
  /** The breakers of the pairs that failed and have not succeeded since. */
  const alone = new BoundedMap<string, ReturnType<typeof processCircuit>>(aloneMax)
  /** Whether the latest probe failed and no quote has succeeded since. */
  let isLookFailing = false
  let calls: Call[] = []
  const shared = sharing && sharedCircuit(aggregator.name, { ...sharing, now })

  type Kind = ReturnType<typeof kind>
  const call = <Answer>({ everybody, late }: Kind, subject: Subject, ask: () => Promise<Answer>): Promise<Answer> =>
    everybody.call(() => {
      const own = alone.get(subject.id)
      const timed = () => noted(now, ask, (call) => note(late, subject, call))
      return own ? own.call(timed) : timed()
    })

  function note(late: Kind['late'], subject: Subject, call: Call): void {
    late.note(subject, call.isFailure)
    if (late === quotes.late && (subject.id === probeId || !call.isFailure)) isLookFailing = call.isFailure
    if (!call.isFailure) alone.delete(subject.id)
    else if (!alone.has(subject.id)) alone.set(subject.id, breaker(isTrouble))
    calls.push(call)
    if (calls.length > callsMax) calls = calls.slice(-callsMax / 2)
  }

  const quoted = (subject: Subject, request: RouteRequest, signal: AbortSignal) =>
    call(quotes, subject, () => {
      const ask = () => aggregator.quote(request, signal)
      return shared ? shared.call(subject, isTrouble, ask) : ask()
    })

  return {
    name: aggregator.name,
    quote: (request, signal) => quoted(pairOf(request), request, signal),
    async look(request, signal) {
      await quoted({ ...pairOf(request), id: probeId }, request, signal).catch(() => {})
    },
    outcome: (sent, signal) =>
      call(outcomes, sameOf(sent.hash), () => {
        const ask = () => aggregator.outcome(sent, signal)
        return shared ? shared.callApart(sameOf(sent.hash), ask) : ask()
      }),
    priceUsd: (chainId, token, signal) => aggregator.priceUsd(chainId, token, signal),
    async health() {
      const circuit = (await shared?.read()) ?? null
      const own = breakers[quotes.everybody.state() || outcomes.everybody.state()]
      return healthOf(aggregator.name, { calls, own, circuit, isLookFailing, now: now() })
    },
  }
}

/** Makes a call, and records how long it took and whether it failed. */
async function noted<Answer>(
  now: () => number,
  ask: () => Promise<Answer>,
  note: (call: Call) => void,
): Promise<Answer> {
  const at = now()
  try {
    const answer = await ask()
    note({ at, tookMs: now() - at, isFailure: false })
    return answer
  } catch (error) {
    const wasOpen = error instanceof ProviderUnavailable
    // While the circuit is open, no request is made except for the probe.
    if (!wasOpen || error.cause !== undefined) note({ at, tookMs: now() - at, isFailure: wasOpen || isTrouble(error) })
    throw error
  }
}

type HealthFacts = {
  calls: readonly Call[]
  /** The breaker of this process. */
  own: ProviderHealth['breaker']
  circuit: ProviderCircuit | null
  isLookFailing: boolean
  now: number
}
function healthOf(provider: string, { calls, own, circuit, isLookFailing, now }: HealthFacts): ProviderHealth {
  const recent = calls.filter(({ at }) => at > now - rememberedMs)
  const took = recent.map(({ tookMs }) => tookMs).sort((a, b) => a - b)
  const part = (share: number): number | null => took[Math.floor((took.length - 1) * share)] ?? null
  const failures = recent.filter(isFailed).length
  const errorRate = recent.length === 0 ? 0 : failures / recent.length
  const breaker = circuit?.reason ? 'OPEN' : own
  const healthy = breaker === 'CLOSED' && isWellOf(recent, now)
  const known = [circuit?.reason ? circuit.since : null, failedFrom(recent)].filter((at) => at !== null)
  return {
    provider,
    credentialsRefusedAt: circuit?.reason === 'CREDENTIALS' ? circuit.since : null,
    healthy,
    isAway: !healthy && (breaker !== 'CLOSED' || isLookFailing),
    failingSince: healthy ? null : Math.min(...known, now),
    errorRate: Math.round(errorRate * 1_000) / 1_000,
    p50Ms: part(0.5),
    p95Ms: part(0.95),
    breaker,
    updatedAt: recent.at(-1)?.at ?? null,
  }
}

/** Judges by the newest calls alone, so that a recovery shows as soon as it is known. */
function isWellOf(calls: readonly Call[], now: number): boolean {
  const newest = calls.slice(-newestMax).filter(({ at }) => at > now - newestMs)
  const judged = newest.length > 0 ? newest : calls.slice(-1)
  return judged.filter(({ isFailure }) => isFailure).length / Math.max(judged.length, 1) < 0.2
}

/** The first failure after which too few calls succeeded to call the provider recovered. */
function failedFrom(calls: readonly Call[]): number | null {
  const lastWell = calls.findLastIndex(
    (_, n) => n >= wellRow - 1 && !calls.slice(n - wellRow + 1, n + 1).some(isFailed),
  )
  return calls.slice(lastWell + 1).find(isFailed)?.at ?? null
}
const isFailed = ({ isFailure }: Call): boolean => isFailure

const isTrouble = (error: unknown): boolean =>
  !(error instanceof ProviderUnavailable) && (!(error instanceof RoutingError) || error.retryable)

function pairOf({ fromChainId, fromToken, toChainId, toToken }: RouteRequest): Subject {
  const [from, to] = [`${fromChainId}:${fromToken}`, `${toChainId}:${toToken}`]
  return { id: `${from} ${to}`, from, to }
}
const sameOf = (id: string): Subject => ({ id, from: id, to: id })
