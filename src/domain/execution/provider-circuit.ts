import { type ChainId, chainOf } from '../chain/chain'

/**
 * Request to a provider. The same request always has the same id. A side is a chain's id, a colon and a token's
 * address.
 */
export type ProviderRequest = { id: string; from: string; to: string }
/** Source and target chain. */
export type ChainPair = { fromChainId: ChainId; toChainId: ChainId }
/** Returns the pair as shown to people: "from Avalanche to Base". */
export const betweenChains = ({ fromChainId, toChainId }: ChainPair): string =>
  `from ${chainOf(fromChainId).shortName} to ${chainOf(toChainId).shortName}`

/**
 * @property by Process that met the failure, if its own connection might be at fault. Absent if the provider itself
 * responded with the failure.
 * @property unreadable Unreadable part of the response, if that caused the failure.
 */
type Failed = ProviderRequest & { at: number; by?: string; unreadable?: string }

/** Why a circuit is open. The provider then gets only trial requests. */
type OpenReason = 'CREDENTIALS' | 'FAILING'

/**
 * State of a provider's circuit breaker. All processes share this one document, so ten workers end the same deposits in
 * the same way as one. Times are milliseconds since 1970.
 */
export type ProviderCircuit = {
  id: string
  version: number
  /** Null while the circuit is closed: the provider receives requests. */
  reason: OpenReason | null
  /** When `reason` got its current value. */
  since: number
  /** Next time at which a trial request may test the provider, while the circuit is open. */
  probeAt: number
  probes: number
  /** Requests that failed since the last success. While the circuit is open, also its trial requests. */
  failed: Failed[]
}

/**
 * Rule for when failures open a circuit. It counts failures of the last `lateMs` and keeps `failedMax` of them. Refused
 * credentials concern the whole provider, so only the provider's main circuit counts them.
 */
export type CircuitRule = {
  lateMs: number
  failedMax: number
  heedsCredentials: boolean
  /** Longest pause between two trials while they fail. */
  probeMsMost: number
  /**
   * Time after a trial is due in which only a health probe may make it, because a deposit can fail through its own
   * token.
   */
  looksFirstMs: number
  isDown: (failed: readonly Failed[]) => boolean
}

const distinctLeast = 3
/**
 * Delay before the first trial of an open circuit. All processes share one trial, so it costs the provider one request.
 */
export const firstProbeMs = 10_000
/**
 * Longest pause between two trials after our credentials were refused. Only a person can repair that, and a provider
 * can lock out a client that keeps trying.
 */
const lastProbeMs = 5 * 60_000
/** Delay before a failed request may run a trial again, so others come first. */
const giveWayMs = 30_000
/**
 * Delay for the group that ran the last trial, failed deposits or health probes. The two groups therefore alternate.
 */
const turnMs = 2_000

export const closedFromStart = (id: string): ProviderCircuit => ({
  id,
  version: 0,
  reason: null,
  since: 0,
  probeAt: 0,
  probes: 0,
  failed: [],
})

const probeMs = (reason: OpenReason | null, probes: number, { probeMsMost }: CircuitRule): number =>
  Math.min(firstProbeMs * 2 ** probes, reason === 'CREDENTIALS' ? lastProbeMs : probeMsMost)

/** Opens the circuit and sets the time of the first trial. */
export const opened = (circuit: ProviderCircuit, reason: OpenReason, now: number): ProviderCircuit => ({
  ...circuit,
  reason,
  since: now,
  probes: 0,
  probeAt: now + firstProbeMs,
  failed: reason === 'FAILING' ? circuit.failed : [],
})

/** Claims a trial. The process that stores the result sends the request, and the others wait for the next trial. */
export const probing = (
  circuit: ProviderCircuit,
  request: ProviderRequest,
  now: number,
  rule = wholeProvider,
): ProviderCircuit => ({
  ...circuit,
  probes: circuit.probes + 1,
  probeAt: now + probeMs(circuit.reason, circuit.probes + 1, rule),
  failed: withFailure(circuit.failed, request, now, rule),
})

/** Records the unreadable part of the response to a trial. */
export const probeUnread = (
  circuit: ProviderCircuit,
  request: ProviderRequest,
  unreadable: string,
  now: number,
  rule = wholeProvider,
): ProviderCircuit => ({ ...circuit, failed: withFailure(circuit.failed, { ...request, unreadable }, now, rule) })

/**
 * Returns the unreadable part if it caused at least half of the failures that keep the circuit open; null otherwise.
 */
export function unreadableIn({ reason, failed }: ProviderCircuit): string | null {
  const unread = failed.flatMap(({ unreadable }) => unreadable ?? [])
  return reason === 'FAILING' && 2 * unread.length >= failed.length ? (unread.at(-1) ?? null) : null
}

/** Prefix of the ids of health probes. They belong to no deposit. */
const probeId = 'look'
export const probeIdOf = (id: string): string => `${probeId} ${id}`
export const isProbe = ({ id }: ProviderRequest): boolean => id.startsWith(probeId)

/**
 * Returns when a request may run a trial through an open circuit. A request that has already failed waits longer: a
 * token that always fails would otherwise make the provider look broken forever. Its wait counts from its own failure,
 * because continuing health probes would postpone it forever. It alternates with them, because they might fail forever
 * too.
 */
export function probeAtOf(
  { reason, probeAt, failed }: ProviderCircuit,
  request: ProviderRequest,
  { looksFirstMs }: CircuitRule,
): number {
  if (reason !== 'FAILING') return probeAt
  if (looksFirstMs > 0) return isProbe(request) ? probeAt : probeAt + looksFirstMs
  const own = failed.find(({ id }) => id === request.id)
  if (!own && !isProbe(request)) return probeAt
  const last = failed.at(-1)
  const turn = last && isProbe(last) === isProbe(request) ? probeAt + turnMs : probeAt
  return isProbe(request) || !own ? turn : Math.max(turn, own.at + giveWayMs)
}

/**
 * Returns when a request that may not run a trial yet tries again. If health probes come first, that is soon after
 * their turn, because one successful probe is enough for all.
 */
export function askAgainAt(circuit: ProviderCircuit, request: ProviderRequest, now: number, rule: CircuitRule): number {
  const probeAt = probeAtOf(circuit, request, rule)
  return rule.looksFirstMs > 0 ? Math.min(probeAt, Math.max(circuit.probeAt, now) + turnMs) : probeAt
}

export const closed = (circuit: ProviderCircuit, now: number): ProviderCircuit => ({
  ...circuit,
  reason: null,
  since: circuit.reason === null ? circuit.since : now,
  probeAt: 0,
  probes: 0,
  failed: [],
})

/**
 * Records a failure. The circuit opens once enough failures in a row point to the circuit's subject and not to one
 * process's connection.
 *
 * @param by Process that could not reach the provider, or null if the provider responded.
 * @param unreadable Unreadable part of the response, or null if that did not cause the failure.
 */
export function failedWith(
  circuit: ProviderCircuit,
  request: ProviderRequest,
  now: number,
  { rule = wholeProvider, by = null, unreadable = null }: Failing = {},
): ProviderCircuit {
  const late = circuit.failed.filter((one) => one.at > now - rule.lateMs)
  const met = { ...request, ...(by !== null && { by }), ...(unreadable !== null && { unreadable }) }
  const failed = withFailure(late, met, now, rule)
  const isOpening = rule.isDown(failed) && !isOfOneProcess(failed)
  return isOpening ? opened({ ...circuit, failed }, 'FAILING', now) : { ...circuit, failed }
}

type Failing = { rule?: CircuitRule; by?: string | null; unreadable?: string | null }

/**
 * Whether every failure is that one process could not reach the provider. That process then stops requests on its own.
 */
const isOfOneProcess = (failed: readonly Failed[]): boolean =>
  failed.every(({ by }) => by !== undefined) && new Set(failed.map(({ by }) => by)).size === 1

/**
 * Whether only one process cannot reach the circuit's subject. Until another process has tried, the cause is unknown.
 */
export const isDoubtful = ({ reason, failed }: ProviderCircuit, now: number, rule = wholeProvider): boolean =>
  reason === null && rule.isDown(failed.filter((one) => one.at > now - rule.lateMs))

const withFailure = (
  failed: readonly Failed[],
  { id, from, to, by, unreadable }: Omit<Failed, 'at'>,
  now: number,
  { failedMax }: CircuitRule,
): Failed[] => {
  const one = { id, from, to, at: now, ...(by && { by }), ...(unreadable && { unreadable }) }
  return [...failed.filter((each) => each.id !== id), one].slice(-failedMax)
}

const distinct = (failed: readonly Failed[], side: 'from' | 'to'): number =>
  new Set(failed.map((one) => one[side])).size

const chainsOf = ({ from, to }: ProviderRequest): string[] => [from, to].map((side) => side.split(':', 1)[0]!)

/** Whether two failures share no chain, so a single chain cannot explain both. */
const areOfManyChains = (failed: readonly Failed[]): boolean => {
  const pairs = failed.map(chainsOf)
  return pairs.some((one) => pairs.some((other) => !other.some((chain) => one.includes(chain))))
}

/**
 * Whether all kinds of requests fail. Neither one unusual token that is requested repeatedly nor one failing chain
 * means that the provider is down.
 */
function isEverything(failed: readonly Failed[]): boolean {
  return distinct(failed, 'from') >= distinctLeast && distinct(failed, 'to') >= distinctLeast && areOfManyChains(failed)
}

/** Rule for a whole provider. */
export const wholeProvider: CircuitRule = {
  lateMs: 10 * 60_000,
  failedMax: 20,
  heedsCredentials: true,
  probeMsMost: firstProbeMs,
  looksFirstMs: 0,
  isDown: isEverything,
}

/**
 * Rule for one pair of chains, so a chain on which a provider fails does not block others. The circuit opens after a
 * deposit failed there and a health probe of a usual token pair failed too. The pauses between trials grow, because a
 * failing chain affects many pairs, each with its own trials.
 *
 * Health probes test it first. Deposits of unusual tokens that always fail would keep it open for every other deposit,
 * each with its own first failure. A deposit tests it only if no probe runs.
 */
export const onePairOfChains: CircuitRule = {
  lateMs: 10 * 60_000,
  failedMax: 20,
  heedsCredentials: false,
  probeMsMost: 2 * 60_000,
  looksFirstMs: giveWayMs,
  isDown: (failed) => failed.some(isProbe) && !failed.every(isProbe),
}

const pairFailures = 30
/**
 * Rule for one pair of tokens: thirty failures within thirty seconds without a success. Below that rate, each execution
 * retries at its own pace. An operator learns of a pair that never succeeds when its retries end.
 */
export const onePair: CircuitRule = {
  lateMs: 30_000,
  failedMax: pairFailures,
  heedsCredentials: false,
  probeMsMost: firstProbeMs,
  looksFirstMs: 0,
  isDown: (failed) => failed.length >= pairFailures,
}

const outcomesLeast = 5
/**
 * Rule for queries about the outcome of transactions. It is separate from quotes: a provider that does not know a
 * transaction can still quote well, and such a query costs no execution a retry. Five transactions must fail in a row.
 */
export const manyOutcomes: CircuitRule = {
  lateMs: 30_000,
  failedMax: 20,
  heedsCredentials: false,
  probeMsMost: firstProbeMs,
  looksFirstMs: 0,
  isDown: (failed) => failed.length >= outcomesLeast,
}
