/** A request to a provider. The same request always has the same id. */
export type Asked = { id: string; from: string; to: string }
type Failed = Asked & { at: number }

/** Why a provider rests. */
type RestReason = 'CREDENTIALS' | 'FAILING'

/**
 * The state of a provider's circuit breaker. All processes share this one document, so ten workers end the same
 * deposits in the same way as one. Times are milliseconds since 1970.
 */
export type ProviderRest = {
  id: string
  version: number
  /** Null while the provider may be asked. */
  reason: RestReason | null
  /** When `reason` took its present value. */
  since: number
  /** While it rests, the time at which somebody may ask next whether it is back. */
  probeAt: number
  probes: number
  /**
   * The requests that failed since the last one that succeeded. While the provider rests, also those that probed it.
   */
  failed: Failed[]
}

const lateMs = 10 * 60_000
const failedMax = 20
const distinctLeast = 3
/** How soon a resting provider is probed. All processes share one probe, so it costs the provider one request. */
const firstProbeMs = 10_000
/**
 * The longest pause between two probes after our credentials were refused. Only a person can mend that, and a provider
 * may lock out whoever keeps trying.
 */
const lastProbeMs = 5 * 60_000
/** How much longer a request that failed already waits before it may probe, so that others come first. */
const giveWayMs = 30_000

export const unasked = (id: string): ProviderRest => ({
  id,
  version: 0,
  reason: null,
  since: 0,
  probeAt: 0,
  probes: 0,
  failed: [],
})

const probeMs = (reason: RestReason | null, probes: number): number =>
  reason === 'CREDENTIALS' ? Math.min(firstProbeMs * 2 ** probes, lastProbeMs) : firstProbeMs

/** Begins a rest, and sets when the first probe may be made. */
export const begun = (rest: ProviderRest, reason: RestReason, now: number): ProviderRest => ({
  ...rest,
  reason,
  since: now,
  probes: 0,
  probeAt: now + probeMs(reason, 0),
  failed: reason === 'FAILING' ? rest.failed : [],
})

/** Claims a probe. Whoever stores the result asks the provider, and the others wait for the next probe. */
export const probing = (rest: ProviderRest, asked: Asked, now: number): ProviderRest => ({
  ...rest,
  probes: rest.probes + 1,
  probeAt: now + probeMs(rest.reason, rest.probes + 1),
  failed: noted(rest.failed, asked, now),
})

/**
 * The id of the probe that is made for all processes. It is nobody's deposit, so it never has to let others go first.
 */
export const lookId = 'look'

/**
 * Returns when a request may probe a resting provider. A request that has failed already waits longer: a token that
 * always fails would otherwise make the provider look broken for ever.
 */
export const probeAtOf = ({ reason, probeAt, failed }: ProviderRest, { id }: Asked): number =>
  reason === 'FAILING' && id !== lookId && failed.some((one) => one.id === id) ? probeAt + giveWayMs : probeAt

export const ended = (rest: ProviderRest, now: number): ProviderRest => ({
  ...rest,
  reason: null,
  since: rest.reason === null ? rest.since : now,
  probeAt: 0,
  probes: 0,
  failed: [],
})

/**
 * Records one more failure. The provider rests once so many different requests have failed in a row that the cause must
 * be the provider itself.
 */
export function failedWith(rest: ProviderRest, asked: Asked, now: number): ProviderRest {
  const late = rest.failed.filter((one) => one.at > now - lateMs)
  const failed = noted(late, asked, now)
  return isEverything(failed) ? begun({ ...rest, failed }, 'FAILING', now) : { ...rest, failed }
}

const noted = (failed: readonly Failed[], { id, from, to }: Asked, now: number): Failed[] =>
  [...failed.filter((one) => one.id !== id), { id, from, to, at: now }].slice(-failedMax)

const distinct = (failed: readonly Failed[], side: 'from' | 'to'): number =>
  new Set(failed.map((one) => one[side])).size

/**
 * Whether everything fails, whatever is asked. One unusual token that is asked for again and again does not count as
 * the provider being down.
 */
const isEverything = (failed: readonly Failed[]): boolean =>
  distinct(failed, 'from') >= distinctLeast && distinct(failed, 'to') >= distinctLeast
