import { BoundedMap } from '../../domain/bounded-map'
import { RoutingError } from '../../domain/error'
import {
  isDoubtful,
  isProbe,
  manyOutcomes,
  onePair,
  type ProviderCircuit,
  type ProviderRequest,
  probeIdOf,
  unreadableIn,
} from '../../domain/execution/provider-circuit'
import { ProviderRateLimited, ProviderUnavailable } from '../../domain/unavailable'
import type { Aggregator, ProviderHealth, RouteRequest } from '../../ports/aggregator'
import { chainCircuits, type FailingPair } from './chain-circuits'
import { type NamedSharing, providerCircuit, type Sharing, sharedCircuit } from './shared-circuit'

type Call = { at: number; tookMs: number; isFailure: boolean }

const rememberedMs = 10 * 60_000
const callsMax = 2_000
/**
 * The newest calls decide whether the provider is healthy now: at most this old in milliseconds, and at most this many.
 */
const [newestMs, newestMax] = [10_000, 50]
/** This many successful calls in a row end an outage. */
const wellRow = 5
const aloneMax = 500
/**
 * How long after its next probe the circuit of outcomes still counts the provider as away, in milliseconds. No health
 * probe tests this circuit, so after an outage it stays open until a caller requests an outcome.
 */
const outcomesMs = 60_000

export type WatchedAggregator = Aggregator & {
  health(): Promise<ProviderHealth>
  /**
   * Probes for all processes whether the provider is back. An open circuit still limits probes to its next probe time.
   * Never throws.
   */
  look(request: RouteRequest, signal: AbortSignal): Promise<Look>
  /** Pairs of chains with a failure and no success since, in any process. */
  failingPairs(): Promise<FailingPair[]>
  /** Whether nothing has failed since the last request that succeeded, in any process. */
  isAnswering(): Promise<boolean>
}

/**
 * Result of a health probe. FAILS: the request failed, or a circuit refused it after other failures. UNKNOWN: the
 * provider's rate limit refused the request, which proves nothing. WELL: the provider answered, if only with a refusal.
 */
export type Look = 'WELL' | 'FAILS' | 'UNKNOWN'

/**
 * Puts a provider behind a circuit breaker. After repeated failures the provider gets no requests for a while. Its
 * callers wait, which does not count as a retry. Only transient failures count, because a refusal is an answer. A
 * failure of one pair of tokens stops that pair alone, so one tenant's unusual token does not stop the others.
 *
 * @param sharing State shared by all processes, and the name of this one. Ten processes then judge as one would.
 */
export function withCircuitBreaker(
  aggregator: Aggregator,
  now: () => number,
  { self, ...sharing }: Omit<NamedSharing, 'now'>,
): WatchedAggregator {
  const provider = aggregator.name
  const shared = providerCircuit({ provider }, { ...sharing, now, self })
  const pairs = pairCircuits(provider, { ...sharing, now })
  const between = chainCircuits(provider, { ...sharing, now, self })
  // Failed outcome requests stop no new deposit. This circuit therefore reports only unreadable responses, which last
  // until the service is updated.
  const onOutcomes: Sharing['onChange'] = (circuit, isOwn) => {
    if (unreadableIn(circuit) !== null) sharing.onChange({ ...circuit, id: provider }, isOwn)
  }
  const outcomes = providerCircuit(
    { provider, id: `${provider} outcomes`, rule: manyOutcomes },
    { ...sharing, now, self, onChange: onOutcomes },
  )
  /** Whether the latest probe failed and no quote has succeeded since. */
  let isLookFailing = false
  let calls: Call[] = []

  function note(call: Call): void {
    calls.push(call)
    if (calls.length > callsMax) calls = calls.slice(-callsMax / 2)
  }
  const quoted = (subject: ProviderRequest, request: RouteRequest, signal: AbortSignal) =>
    pairs.call(subject, () =>
      noted(
        now,
        () => asked(subject, request, () => aggregator.quote(request, signal)),
        (call) => {
          if (isProbe(subject) || !call.isFailure) isLookFailing = call.isFailure
          note(call)
        },
      ),
    )

  /** While the whole provider's circuit is open, its one probe serves all pairs of chains. */
  const asked = <Answer>(subject: ProviderRequest, request: RouteRequest, ask: () => Promise<Answer>) =>
    shared.call(subject, isTrouble, async (isProbe) => {
      if (!isProbe) return between.call(request, subject, isTrouble, ask)
      const answer = await ask()
      await between.noteAnswer(request)
      return answer
    })

  return {
    name: provider,
    failingPairs: between.failing,
    isAnswering: async () => (await shared.read()).failed.length === 0,
    quote: (request, signal) => quoted(pairOf(request), request, signal),
    async look(request, signal) {
      const subject = pairOf(request)
      return quoted({ ...subject, id: probeIdOf(subject.id) }, request, signal).then(() => 'WELL', lookOf)
    },
    outcome: (sent, signal) =>
      noted(
        now,
        () =>
          outcomes.call(sameOf(sent.hash), isTrouble, () =>
            shared.callApart(sameOf(sent.hash), () => aggregator.outcome(sent, signal)),
          ),
        note,
      ),
    priceUsd: (chainId, token, signal) => aggregator.priceUsd(chainId, token, signal),
    async health() {
      const [circuit, own, ofOutcomes, pairs] = await Promise.all([
        shared.read(),
        shared.readOwn(),
        outcomes.read(),
        between.failing(),
      ])
      const isAsked = ofOutcomes.reason !== null && ofOutcomes.probeAt + outcomesMs > now()
      const isOpen = circuit.reason !== null || own.reason !== null || isAsked
      const known = circuit.reason === null && own.reason !== null ? own : circuit
      const failsBetween = pairs.flatMap(({ pair, circuit: { reason, since } }) => (reason ? [{ ...pair, since }] : []))
      const open = [known, ...pairs.map(({ circuit }) => circuit), ...(isAsked ? [ofOutcomes] : [])]
      const unreadable = open.map(unreadableIn).find((what) => what !== null)
      const health = healthOf(provider, { calls, isOpen, circuit: known, isLookFailing, now: now() })
      return { ...health, failsBetween, unreadable: unreadable ?? null }
    },
  }
}

/** Number of records that the pairs of each provider share, because pairs are countless. */
const pairRecords = 1_024

/**
 * Circuits of the pairs of tokens that failed in this process and have not succeeded since. Other pairs cost no read.
 */
function pairCircuits(provider: string, sharing: Sharing) {
  const alone = new BoundedMap<string, ReturnType<typeof sharedCircuit>>(aloneMax)
  const recordOf = (id: string) => `${provider} pair ${Bun.hash.crc32(id) % pairRecords}`
  /** Gives every failure its own id, so repeated failures of one execution count too. */
  const eachOf = (subject: ProviderRequest): ProviderRequest => ({ ...subject, id: crypto.randomUUID() })
  return {
    async call<Answer>(subject: ProviderRequest, ask: () => Promise<Answer>): Promise<Answer> {
      const known = alone.get(subject.id)
      try {
        const answer = await (known ? known.call(eachOf(subject), isTrouble, ask) : ask())
        alone.delete(subject.id)
        return answer
      } catch (error) {
        if (known || !isTrouble(error)) throw error
        const fresh = sharedCircuit(
          { provider, id: recordOf(subject.id), rule: onePair },
          { ...sharing, onChange: () => {} },
        )
        alone.set(subject.id, fresh)
        throw await fresh.noteFailure(eachOf(subject), error)
      }
    },
  }
}

/** Makes a call, and records its duration and whether it failed. */
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
    // While the circuit is open, only a probe makes a request, and only its error has a cause.
    if (!wasOpen || error.cause !== undefined) note({ at, tookMs: now() - at, isFailure: wasOpen || isTrouble(error) })
    throw error
  }
}

type HealthFacts = {
  calls: readonly Call[]
  isOpen: boolean
  circuit: ProviderCircuit
  isLookFailing: boolean
  now: number
}
function healthOf(
  provider: string,
  { calls, isOpen, circuit, isLookFailing, now }: HealthFacts,
): Omit<ProviderHealth, 'failsBetween' | 'unreadable'> {
  const recent = calls.filter(({ at }) => at > now - rememberedMs)
  const took = recent.map(({ tookMs }) => tookMs).sort((a, b) => a - b)
  const part = (share: number): number | null => took[Math.floor((took.length - 1) * share)] ?? null
  const failures = recent.filter(isFailed).length
  const errorRate = recent.length === 0 ? 0 : failures / recent.length
  const breaker = isOpen ? 'OPEN' : 'CLOSED'
  const healthy = breaker === 'CLOSED' && !isDoubtful(circuit, now) && isWellOf(recent, now)
  const known = [circuit.reason ? circuit.since : null, failedFrom(recent)].filter((at) => at !== null)
  return {
    provider,
    credentialsRefusedAt: circuit.reason === 'CREDENTIALS' ? circuit.since : null,
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

/** Judges by the newest calls alone, so a recovery shows immediately. */
function isWellOf(calls: readonly Call[], now: number): boolean {
  const newest = calls.slice(-newestMax).filter(({ at }) => at > now - newestMs)
  const judged = newest.length > 0 ? newest : calls.slice(-1)
  return judged.filter(({ isFailure }) => isFailure).length / Math.max(judged.length, 1) < 0.2
}

/**
 * Returns the time of the first failure after the last `wellRow` successes in a row, or null if nothing failed since.
 */
function failedFrom(calls: readonly Call[]): number | null {
  const lastWell = calls.findLastIndex(
    (_, n) => n >= wellRow - 1 && !calls.slice(n - wellRow + 1, n + 1).some(isFailed),
  )
  return calls.slice(lastWell + 1).find(isFailed)?.at ?? null
}
const isFailed = ({ isFailure }: Call): boolean => isFailure

const isTrouble = (error: unknown): boolean =>
  !(error instanceof ProviderUnavailable) && (!(error instanceof RoutingError) || error.retryable)

const lookOf = (error: unknown): Look =>
  error instanceof ProviderRateLimited
    ? 'UNKNOWN'
    : error instanceof ProviderUnavailable || isTrouble(error)
      ? 'FAILS'
      : 'WELL'

function pairOf({ fromChainId, fromToken, toChainId, toToken }: RouteRequest): ProviderRequest {
  const [from, to] = [`${fromChainId}:${fromToken}`, `${toChainId}:${toToken}`]
  return { id: `${from} ${to}`, from, to }
}
const sameOf = (id: string): ProviderRequest => ({ id, from: id, to: id })
