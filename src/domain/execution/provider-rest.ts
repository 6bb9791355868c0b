/** What somebody asked a provider for: the same again has the same id. */
export type Asked = { id: string; from: string; to: string }
export type Failed = Asked & { at: number }

/** Why a provider is left alone. */
type RestReason = 'CREDENTIALS' | 'FAILING'

/**
 * How a provider is with everybody: one document for all processes, so that one
 * worker or ten end the same deposits the same way. Times are milliseconds since 1970.
 */
export type ProviderRest = {
  id: string
  version: number
  /** Null while it is asked. */
  reason: RestReason | null
  /** Since when `reason` is what it is. */
  since: number
  /** While it rests: when the next one may ask, to see whether it is back. */
  probeAt: number
  probes: number
  /** What failed lately, with nothing that went well since; while it rests, who saw whether it is back as well. */
  failed: Failed[]
}

const lateMs = 10 * 60_000
const failedMax = 20
const distinctLeast = 3
/** A look costs the provider one question, whoever asks for all: what has healed is known after this long. */
const firstProbeMs = 10_000
/** Refused credentials heal by somebody's hand: who goes on knocking might be locked out. */
const lastProbeMs = 5 * 60_000
/** As long as who waits for it may not look. */
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

/** It is left alone from now on; who asks next, and how much later than the one before, is settled here. */
export const begun = (rest: ProviderRest, reason: RestReason, now: number): ProviderRest => ({
  ...rest,
  reason,
  since: now,
  probes: 0,
  probeAt: now + probeMs(reason, 0),
  failed: reason === 'FAILING' ? rest.failed : [],
})

/** Whoever stores this asks; the others wait until the next one may. */
export const probing = (rest: ProviderRest, asked: Asked, now: number): ProviderRest => ({
  ...rest,
  probes: rest.probes + 1,
  probeAt: now + probeMs(rest.reason, rest.probes + 1),
  failed: noted(rest.failed, asked, now),
})

/** The question of whoever looks for all whether it is back: it is nobody's odd token, and lets nobody go first. */
export const lookId = 'look'

/** Who has failed already lets the others go first: odd tokens would see for ever that it is not back for them. */
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

/** It failed once more; when so many did, and nothing went well since, that it is its own trouble, it is left alone. */
export function failedWith(rest: ProviderRest, asked: Asked, now: number): ProviderRest {
  const late = rest.failed.filter((one) => one.at > now - lateMs)
  const failed = noted(late, asked, now)
  return isEverything(failed) ? begun({ ...rest, failed }, 'FAILING', now) : { ...rest, failed }
}

const noted = (failed: readonly Failed[], { id, from, to }: Asked, now: number): Failed[] =>
  [...failed.filter((one) => one.id !== id), { id, from, to, at: now }].slice(-failedMax)

const distinct = (failed: readonly Failed[], side: 'from' | 'to'): number =>
  new Set(failed.map((one) => one[side])).size

/** One odd token, asked again and again, is not a provider that is away: that one fails for whatever it is asked. */
const isEverything = (failed: readonly Failed[]): boolean =>
  distinct(failed, 'from') >= distinctLeast && distinct(failed, 'to') >= distinctLeast
