import { type ChainId, chainOf } from '../chain/chain'

/**
 * A request to a provider. The same request always has the same id. A side is a chain's id, a colon and a token's
 * address.
 */
export type ProviderRequest = { id: string; from: string; to: string }
/** From which chain to which one. */
export type ChainPair = { fromChainId: ChainId; toChainId: ChainId }
/** The pair in the words that people read: "from Avalanche to Base". */
export const betweenChains = ({ fromChainId, toChainId }: ChainPair): string =>
  `from ${chainOf(fromChainId).shortName} to ${chainOf(toChainId).shortName}`

/**
 * @property by the process that met the failure, where it may be the fault of its own connection; absent where the
 * provider itself answered so.
 * @property unreadable what of the answer could not be read, where that is why it failed.
 */
type Failed = ProviderRequest & { at: number; by?: string; unreadable?: string }

/** Why a circuit is open: nobody asks the provider. */
type OpenReason = 'CREDENTIALS' | 'FAILING'

/**
 * The state of a provider's circuit breaker. All processes share this one document, so ten workers end the same
 * deposits in the same way as one. Times are milliseconds since 1970.
 */
export type ProviderCircuit = {
  id: string
  version: number
  /** Null while the circuit is closed: the provider may be asked. */
  reason: OpenReason | null
  /** When `reason` took its present value. */
  since: number
  /** While it is open, the time at which somebody may ask next whether it is back. */
  probeAt: number
  probes: number
  /**
   * The requests that failed since the last one that succeeded. While the circuit is open, also those that probed it.
   */
  failed: Failed[]
}

/**
 * When failures open a circuit: those of the last `lateMs`, of which `failedMax` are kept. Refused credentials concern
 * the whole provider, so only its own circuit heeds them.
 */
export type CircuitRule = {
  lateMs: number
  failedMax: number
  heedsCredentials: boolean
  /** The longest pause between two probes while what was asked fails. */
  probeMsMost: number
  /** For how long after a probe is due only a look may make it, because a deposit may fail by its own token. */
  looksFirstMs: number
  isDown: (failed: readonly Failed[]) => boolean
}

const distinctLeast = 3
/**
 * How soon the provider behind an open circuit is probed. All processes share one probe, so it costs the
 * provider one request.
 */
export const firstProbeMs = 10_000
/**
 * The longest pause between two probes after our credentials were refused. Only a person can mend that, and a provider
 * may lock out whoever keeps trying.
 */
const lastProbeMs = 5 * 60_000
/** How long after its own failure a request may probe again, so that others come first. */
const giveWayMs = 30_000
/** How much later those may probe who probed last, deposits that failed already or looks, so that they take turns. */
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

/** Opens the circuit, and sets when the first probe may be made. */
export const opened = (circuit: ProviderCircuit, reason: OpenReason, now: number): ProviderCircuit => ({
  ...circuit,
  reason,
  since: now,
  probes: 0,
  probeAt: now + firstProbeMs,
  failed: reason === 'FAILING' ? circuit.failed : [],
})

/** Claims a probe. Whoever stores the result asks the provider, and the others wait for the next probe. */
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

/** Keeps what of the answer to a probe could not be read. */
export const probeUnread = (
  circuit: ProviderCircuit,
  request: ProviderRequest,
  unreadable: string,
  now: number,
  rule = wholeProvider,
): ProviderCircuit => ({ ...circuit, failed: withFailure(circuit.failed, { ...request, unreadable }, now, rule) })

/** What of its answers cannot be read, where that is why the circuit is open, as at least half of them; else null. */
export function unreadableIn({ reason, failed }: ProviderCircuit): string | null {
  const unread = failed.flatMap(({ unreadable }) => unreadable ?? [])
  return reason === 'FAILING' && 2 * unread.length >= failed.length ? (unread.at(-1) ?? null) : null
}

/**
 * What the ids of probes that are made for all processes begin with. They are nobody's deposit.
 */
const probeId = 'look'
export const probeIdOf = (id: string): string => `${probeId} ${id}`
export const isProbe = ({ id }: ProviderRequest): boolean => id.startsWith(probeId)

/**
 * Returns when a request may probe through an open circuit. A request that has failed already waits longer: a token
 * that always fails would otherwise make the provider look broken for ever. Its wait counts from its own failure,
 * because looks, which go on, would put it off for ever, and it takes turns with them, because looks may fail for ever
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
 * Returns when a request that may not probe yet asks again. Where looks come first, that is soon after their turn, for
 * one look that succeeds is enough for all.
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
 * Records one more failure. The circuit opens once so much has failed in a row that the cause must be what the circuit
 * stands for, and not the connection of one process.
 *
 * @param by the process that could not reach the provider, or null when the provider answered.
 * @param unreadable what of its answer could not be read, or null when that is not why it failed.
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

/** Whether all that failed is that one process could not reach the provider. It then stops asking by itself. */
const isOfOneProcess = (failed: readonly Failed[]): boolean =>
  failed.every(({ by }) => by !== undefined) && new Set(failed.map(({ by }) => by)).size === 1

/**
 * Whether one process alone cannot reach what the circuit stands for. Until another process has tried, nobody knows
 * whose fault that is.
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

/** Whether two of them have no chain in common, so that no single chain can be why both failed. */
const areOfManyChains = (failed: readonly Failed[]): boolean => {
  const pairs = failed.map(chainsOf)
  return pairs.some((one) => pairs.some((other) => !other.some((chain) => one.includes(chain))))
}

/**
 * Whether everything fails, whatever is asked. One unusual token that is asked for again and again does not count as
 * the provider being down, and neither does one chain that it fails for.
 */
function isEverything(failed: readonly Failed[]): boolean {
  return distinct(failed, 'from') >= distinctLeast && distinct(failed, 'to') >= distinctLeast && areOfManyChains(failed)
}

/** The rule for a whole provider. */
export const wholeProvider: CircuitRule = {
  lateMs: 10 * 60_000,
  failedMax: 20,
  heedsCredentials: true,
  probeMsMost: firstProbeMs,
  looksFirstMs: 0,
  isDown: isEverything,
}

/**
 * The rule for one pair of chains, by which a chain that a provider fails for stops nobody else: a deposit failed
 * there, and so did the look that asked for a usual pair of tokens. The pauses between probes grow, because a chain
 * that fails is many pairs, each of which is probed. Looks probe it, since odd tokens that always fail there would keep
 * it open for everybody, each with a first failure of its own; deposits do so only where no look comes.
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
 * The rule for one pair of tokens: thirty failures within as many seconds and no success between them. Below that each
 * execution keeps its own pace, and an operator learns of a pair that never succeeds when its retries end.
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
 * The rule for asking what became of transactions, which is counted apart from quotes: a provider that does not know a
 * transaction may quote well, and asking costs no execution a retry. Five transactions must fail in a row.
 */
export const manyOutcomes: CircuitRule = {
  lateMs: 30_000,
  failedMax: 20,
  heedsCredentials: false,
  probeMsMost: firstProbeMs,
  looksFirstMs: 0,
  isDown: (failed) => failed.length >= outcomesLeast,
}
