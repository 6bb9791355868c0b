import { type ChainPair, chainIds } from '../domain/chain/chain'
import type { RouteRequest } from '../ports/gate'
import type { Failing } from './verdict'

/** Part of a provider that can be shut: the whole, or one pair of chains. */
export type Scope = 'all' | `${number}>${number}`

/**
 * Why and since when a scope gets no requests. Times are milliseconds since 1970.
 *
 * @property why Unreadable part of the last response; null after any other failure.
 * @property probeAt Time from which one request may probe the scope.
 * @property by Processes that cannot reach the provider. The scope is shut for them alone; null if it is shut for all.
 */
export type Shut = {
  reason: 'FAILING' | 'LOCKED_OUT'
  why: string | null
  since: number
  probeAt: number
  probes: number
  by: string[] | null
}

/**
 * The last usual request between two chains. It covers later failures for ten seconds.
 *
 * @property isOwn Whether a failed request shows only that the process `by` cannot reach the provider.
 */
type Control = { at: number; by: string; result: 'PENDING' | 'ANSWERED' | 'WITHOUT_ROUTE' | 'FAILED'; isOwn: boolean }

/** `of` is absent in records of earlier releases, which are about transactions. */
type Unread = { what: string; since: number; at: number; of?: 'OUTCOME' | 'PRICE' }

/** State of one provider, shared by all processes in one document. */
export type ProviderGate = {
  id: string
  version: number
  shut: { [At in Scope]?: Shut }
  controls: { [At in Scope]?: Control }
  /** Pairs of tokens that failed while others succeeded, each with its time. Deposits wait for them. */
  waiting: Record<string, number>
  /**
   * Unreadable part of the responses about transactions or prices, and when it last occurred. It holds no request back.
   */
  unread: Unread | null
}

export const openGate = (id: string): ProviderGate => ({
  id,
  version: 0,
  shut: {},
  controls: {},
  waiting: {},
  unread: null,
})

/**
 * Pauses between two probes. A failing chain affects many pairs, each with its own probes, so those pauses grow. Only a
 * person can repair refused credentials, and a provider can lock out a client that keeps trying.
 */
const firstProbeMs = 10_000
const [pairProbeMs, lockedProbeMs] = [2 * 60_000, 5 * 60_000]
/** Delays after which a missed turn passes to the other side: a turn of usual requests, and one of deposits. */
const [controlTurnMs, depositTurnMs] = [2_000, 30_000]
/** How long a usual request covers later failures. */
export const controlMs = 10_000
/** A pair that was shut at most this long before the whole provider belongs to the same outage. */
const sameOutageMs = 60_000
const waitingMost = 200

export const scopeOf = ({ fromChainId, toChainId }: ChainPair): Scope => `${fromChainId}>${toChainId}`
const pairs = new Map<Scope, ChainPair>(
  chainIds.flatMap((fromChainId) =>
    chainIds.map((toChainId) => [scopeOf({ fromChainId, toChainId }), { fromChainId, toChainId }] as const),
  ),
)
export const pairOf = (scope: Scope): ChainPair | null => pairs.get(scope) ?? null
export const scopesOf = (record: ProviderGate): Scope[] => Object.keys(record.shut) as Scope[]

export const isFor = (shut: Shut | undefined, self: string): shut is Shut =>
  shut !== undefined && (shut.by === null || shut.by.includes(self))

export type Block = { scope: Scope; shut: Shut }

/** Returns what holds a process back from a pair of chains: first the whole provider, then the pair. */
export function blockFor({ shut }: ProviderGate, pair: ChainPair, self: string): Block | null {
  for (const scope of ['all', scopeOf(pair)] as const) {
    const one = shut[scope]
    if (isFor(one, self)) return { scope, shut: one }
  }
  return null
}

type Prober = 'CONTROL' | 'DEPOSIT'

/**
 * Whether a request may test a scope now. Usual requests and deposits take turns, and either takes a turn that the
 * other missed. A single side could fail for its own reason, such as a deposit of an unusual token.
 */
export function mayProbe({ probeAt, probes }: Shut, prober: Prober, now: number): boolean {
  const isTurn = (probes % 2 === 0) === (prober === 'CONTROL')
  return probeAt + (isTurn ? 0 : prober === 'CONTROL' ? controlTurnMs : depositTurnMs) <= now
}

/** Returns when a deposit tries again: soon after the next probe, because one response is enough for all. */
export const retryAtOf = ({ probeAt }: Shut, now: number): number => Math.max(probeAt, now) + controlTurnMs

/** Claims a probe. The process that stores the result sends the request, and the others wait for the next one. */
export function withProbeClaim(record: ProviderGate, scope: Scope, now: number): ProviderGate {
  const shut = record.shut[scope]!
  const most = shut.reason === 'LOCKED_OUT' ? lockedProbeMs : scope === 'all' ? firstProbeMs : pairProbeMs
  const probes = shut.probes + 1
  const probeAt = now + Math.min(firstProbeMs * 2 ** probes, most)
  return { ...record, shut: { ...record.shut, [scope]: { ...shut, probes, probeAt } } }
}

/** Shuts a scope, or notes a further failure there. Two processes that cannot reach a provider shut it for all. */
export function withFailure(record: ProviderGate, scope: Scope, { by, why }: Failing, now: number): ProviderGate {
  const before = record.shut[scope]
  if (before?.reason === 'LOCKED_OUT') return record
  const others = before?.by?.filter((one) => one !== by) ?? []
  const isForAll = by === null || (before && (before.by === null || others.length > 0))
  const state = before ?? { reason: 'FAILING', since: now, probeAt: now + firstProbeMs, probes: 0 }
  const shut: Shut = { ...state, why, by: isForAll ? null : [by] }
  const isSame = before && before.why === shut.why && (before.by === null) === (shut.by === null)
  return isSame ? record : { ...record, shut: { ...record.shut, [scope]: shut } }
}

export function withLockOut(record: ProviderGate, now: number): ProviderGate {
  if (record.shut.all?.reason === 'LOCKED_OUT') return record
  const all: Shut = { reason: 'LOCKED_OUT', why: null, since: now, probeAt: now + firstProbeMs, probes: 0, by: null }
  return { ...record, shut: { ...record.shut, all } }
}

/** Opens a scope for a process, or for all if it was shut for all. */
function opened({ shut, ...record }: ProviderGate, scope: Scope, self: string): ProviderGate {
  const { [scope]: before, ...rest } = shut
  if (!isFor(before, self)) return { ...record, shut }
  const by = before.by?.filter((one) => one !== self) ?? []
  return { ...record, shut: by.length > 0 ? { ...rest, [scope]: { ...before, by } } : rest }
}

/**
 * Opens every scope that a response proves healthy: the provider, the pair, and the pairs that failed in the same
 * outage as the provider.
 *
 * @param pair Null for a response that shows only that our credentials are accepted.
 */
export function withAnswer(record: ProviderGate, pair: ChainPair | null, self: string): ProviderGate {
  const all = record.shut.all
  if (pair === null) return all?.reason === 'LOCKED_OUT' ? opened(record, 'all', self) : record
  const own = scopeOf(pair)
  const isOutage = isFor(all, self)
  const outage = isOutage ? scopesOf(record).filter((at) => record.shut[at]!.since >= all.since - sameOutageMs) : []
  const open = [...new Set<Scope>(['all', own, ...outage])].filter((scope) => isFor(record.shut[scope], self))
  if (open.length === 0) return record
  const isOver = (at: string) => record.controls[at as Scope]?.result === 'FAILED' && (isOutage || at === own)
  const controls = Object.entries(record.controls).filter(([at]) => !isOver(at))
  return open.reduce((one, scope) => opened(one, scope, self), { ...record, controls: Object.fromEntries(controls) })
}

export const withControl = (record: ProviderGate, pair: ChainPair, control: Control | null): ProviderGate => {
  const { [scopeOf(pair)]: _, ...others } = record.controls
  return { ...record, controls: control ? { ...others, [scopeOf(pair)]: control } : others }
}

/**
 * Returns the usual request that covers a current failure. Only this process's own request counts if its connection
 * might be at fault, or if another process's request failed on that process's connection.
 */
export function controlNow(
  { controls }: ProviderGate,
  pair: ChainPair,
  { self, isOwn, now }: { self: string; isOwn: boolean; now: number },
): Control | null {
  const control = controls[scopeOf(pair)]
  if (!control || control.at + controlMs <= now) return null
  return control.by === self || (!isOwn && !control.isOwn) || control.result === 'PENDING' ? control : null
}

/**
 * Returns the open pairs, the latest response first: a failure there is the best evidence that everything fails.
 *
 * @param answeredAt Times of this process's own responses.
 */
export function lastAnswered<Pair extends ChainPair>(
  { shut, controls }: ProviderGate,
  from: readonly Pair[],
  answeredAt: ReadonlyMap<Scope, number>,
): Pair[] {
  const at = (scope: Scope): number => {
    const control = controls[scope]
    return Math.max(control?.result === 'ANSWERED' ? control.at : 0, answeredAt.get(scope) ?? 0)
  }
  return from.filter((one) => !shut[scopeOf(one)]).toSorted((one, other) => at(scopeOf(other)) - at(scopeOf(one)))
}

export const tokensOf = ({ fromChainId, fromToken, toChainId, toToken }: RouteRequest): string =>
  `${fromChainId}:${fromToken} ${toChainId}:${toToken}`

/**
 * Records that deposits wait for a pair of tokens. If there are too many pairs, the oldest are dropped, and their
 * deposits retry.
 */
export function withWait(record: ProviderGate, tokens: string, now: number): ProviderGate {
  if (record.waiting[tokens] !== undefined) return record
  const all = [...Object.entries(record.waiting), [tokens, now] as const].toSorted(([, one], [, other]) => one - other)
  return { ...record, waiting: Object.fromEntries(all.slice(-waitingMost)) }
}

export function withoutWait(record: ProviderGate, tokens: string): ProviderGate {
  if (record.waiting[tokens] === undefined) return record
  const { [tokens]: _, ...waiting } = record.waiting
  return { ...record, waiting }
}
