/** A request to a provider. The same request always has the same id. */
export type ProviderRequest = { id: string; from: string; to: string }
type Failed = ProviderRequest & { at: number }

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

/** When failures open a circuit: those of the last `lateMs`, of which `failedMax` are kept. */
export type CircuitRule = { lateMs: number; failedMax: number; isDown: (failed: readonly Failed[]) => boolean }

const distinctLeast = 3
/**
 * How soon the provider behind an open circuit is probed. All processes share one probe, so it costs the
 * provider one request.
 */
const firstProbeMs = 10_000
/**
 * The longest pause between two probes after our credentials were refused. Only a person can mend that, and a provider
 * may lock out whoever keeps trying.
 */
const lastProbeMs = 5 * 60_000
/** How much longer a request that failed already waits before it may probe, so that others come first. */
const giveWayMs = 30_000

export const closedFromStart = (id: string): ProviderCircuit => ({
  id,
  version: 0,
  reason: null,
  since: 0,
  probeAt: 0,
  probes: 0,
  failed: [],
})

const probeMs = (reason: OpenReason | null, probes: number): number =>
  reason === 'CREDENTIALS' ? Math.min(firstProbeMs * 2 ** probes, lastProbeMs) : firstProbeMs

/** Opens the circuit, and sets when the first probe may be made. */
export const opened = (circuit: ProviderCircuit, reason: OpenReason, now: number): ProviderCircuit => ({
  ...circuit,
  reason,
  since: now,
  probes: 0,
  probeAt: now + probeMs(reason, 0),
  failed: reason === 'FAILING' ? circuit.failed : [],
})

/** Claims a probe. Whoever stores the result asks the provider, and the others wait for the next probe. */
export const probing = (circuit: ProviderCircuit, request: ProviderRequest, now: number): ProviderCircuit => ({
  ...circuit,
  probes: circuit.probes + 1,
  probeAt: now + probeMs(circuit.reason, circuit.probes + 1),
  failed: withFailure(circuit.failed, request, now, wholeProvider),
})

/**
 * The id of the probe that is made for all processes. It is nobody's deposit, so it never has to let others go first.
 */
export const probeId = 'look'

/**
 * Returns when a request may probe through an open circuit. A request that has failed already waits longer: a token
 * that always fails would otherwise make the provider look broken for ever.
 */
export const probeAtOf = ({ reason, probeAt, failed }: ProviderCircuit, { id }: ProviderRequest): number =>
  reason === 'FAILING' && id !== probeId && failed.some((one) => one.id === id) ? probeAt + giveWayMs : probeAt

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
 * stands for.
 */
export function failedWith(
  circuit: ProviderCircuit,
  request: ProviderRequest,
  now: number,
  rule: CircuitRule = wholeProvider,
): ProviderCircuit {
  const late = circuit.failed.filter((one) => one.at > now - rule.lateMs)
  const failed = withFailure(late, request, now, rule)
  return rule.isDown(failed) ? opened({ ...circuit, failed }, 'FAILING', now) : { ...circuit, failed }
}

const withFailure = (
  failed: readonly Failed[],
  { id, from, to }: ProviderRequest,
  now: number,
  { failedMax }: CircuitRule,
): Failed[] => [...failed.filter((one) => one.id !== id), { id, from, to, at: now }].slice(-failedMax)

const distinct = (failed: readonly Failed[], side: 'from' | 'to'): number =>
  new Set(failed.map((one) => one[side])).size

/**
 * Whether everything fails, whatever is asked. One unusual token that is asked for again and again does not count as
 * the provider being down.
 */
function isEverything(failed: readonly Failed[]): boolean {
  return distinct(failed, 'from') >= distinctLeast && distinct(failed, 'to') >= distinctLeast
}

/** The rule for a whole provider. */
export const wholeProvider: CircuitRule = { lateMs: 10 * 60_000, failedMax: 20, isDown: isEverything }

const pairFailures = 30
/**
 * The rule for one pair of tokens: thirty failures within as many seconds and no success between them. Below that each
 * execution keeps its own pace, and an operator learns of a pair that never succeeds when its retries end.
 */
export const onePair: CircuitRule = {
  lateMs: 30_000,
  failedMax: pairFailures,
  isDown: (failed) => failed.length >= pairFailures,
}
