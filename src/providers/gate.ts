import type { SchedulerLike } from 'rxjs'
import { betweenChains, type ChainPair } from '../domain/chain/chain-pair'
import type { Offer } from '../domain/execution/route'
import type { TokenList } from '../domain/money/token'
import { pauseScopes } from '../domain/tenant/pause-scope'
import { ProviderFailsBetween, ProviderPaused, ProviderUnavailable, Unreadable } from '../domain/unavailable'
import type { Gate, ReadableOffer, RouteRequest } from '../ports/gate'
import type { Pauses } from '../ports/operators'
import type { Records } from '../ports/records'
import type { Aggregator } from './aggregator'
import {
  answered,
  claimed,
  failed,
  type Held,
  heldBy,
  lockedOut,
  mayProbe,
  type ProviderGate,
  pairOf,
  retryAtOf,
  type Scope,
  type Shut,
  scopeOf,
  scopesOf,
  waitedFor,
  waitedNoMore,
} from './breaker'
import { controls } from './control'
import { gateRecord } from './gate-record'
import { callLog, healthOf } from './health'
import { unreadOutcomes } from './unread-outcomes'
import { countsFor, failingOf, opens, verdictOf } from './verdict'

const [leastMs, mostMs] = [1_000, 30_000]

/** A scope that this process shut or opened. `shut` is null once it is open. `isOwn`: for this process alone. */
export type GateChange = { provider: string; pair: ChainPair | null; shut: Shut | null; isOwn: boolean }

export type GatePorts = {
  /** Why the signer could not read a route; null if it can. Such a response counts as a failure. */
  read: (offer: Offer, request: RouteRequest) => string | null
  /** Puts the provider's limits and measurements around the adapter. */
  within?: (aggregator: Aggregator) => Aggregator
  records: Records<ProviderGate>
  pauses?: Pauses
  /** The tokens of usual requests. */
  tokens: TokenList
  quoteTimeoutMs: number
  /**
   * Name of this process, unchanged by a restart. Otherwise a process that crashes repeatedly because its own network
   * is broken would count as several that cannot reach the provider.
   */
  self: string
  now: () => number
  /** Called only in the process that changed the scope. */
  onChange: (change: GateChange) => void
  /** Called once when a pair of tokens that deposits wait for gets a response. */
  onAnswer?: (request: RouteRequest) => void
  scheduler?: SchedulerLike
}

/**
 * Puts a provider behind its gate, the only way to it. All processes share its state in one record, so ten judge as one
 * would. A successful request costs no write and usually no read.
 */
export function gate<Name extends string>(provider: Aggregator<Name>, ports: GatePorts): Gate<Name> {
  const { within = (one) => one, records, pauses, tokens, quoteTimeoutMs, self, now, onChange, scheduler } = ports
  const { name } = provider
  const inner = within(readable(provider, ports.read))
  const record = gateRecord(name, records, now)
  const calls = callLog(now)
  const answeredAt = new Map<Scope, number>()
  const isPaused = (): boolean => (pauses?.find([pauseScopes.provider(name)]) ?? null) !== null
  const asked = <Answer>(ask: () => Promise<Answer>) => calls.noted(ask, isFailure)
  const ask = (request: RouteRequest, signal: AbortSignal) => asked(() => inner.quote(request, signal))
  const unread = unreadOutcomes({ record, change, now })
  const answering = { ask, noteAnswer, lockOut, answeredAt }
  const { blame, probe } = controls({
    ...answering,
    self,
    now,
    record,
    change,
    isPaused,
    tokens,
    quoteTimeoutMs,
    scheduler,
  })

  async function change(to: (stored: ProviderGate) => ProviderGate): Promise<[before: ProviderGate, ProviderGate]> {
    const [before, after] = await record.change(to)
    for (const one of changesOf(before, after)) onChange(one)
    return [before, after]
  }

  async function noteAnswer(request: RouteRequest): Promise<void> {
    answeredAt.set(scopeOf(request), now())
    const asked = tokensOf(request)
    const noted = (known: ProviderGate) => waitedNoMore(answered(known, request, self), asked)
    const last = record.last()
    if (noted(last) === last) return
    const [before] = await change(noted)
    if (before.waiting[asked] !== undefined) ports.onAnswer?.(request)
  }

  /** @returns The error for the caller to throw. Only the request that met the refusal first fails with it. */
  async function lockOut(error: unknown): Promise<unknown> {
    const [before, after] = await change((stored) => lockedOut(stored, now()))
    const isFirst = before.shut.all?.reason !== 'LOCKED_OUT'
    return isFirst ? error : resting({ scope: 'all', shut: after.shut.all! }, error)
  }

  function resting({ scope, shut }: Held, cause?: unknown): ProviderUnavailable {
    const askAgainInMs = Math.min(Math.max(retryAtOf(shut, now()) - now(), leastMs), mostMs)
    const pair = pairOf(scope)
    return pair
      ? new ProviderFailsBetween(name, askAgainInMs, betweenChains(pair))
      : new ProviderUnavailable(name, askAgainInMs, { cause })
  }

  /** Returns the scope that this request tests, or null if nothing is shut. Throws if the caller must wait. */
  async function admitted(find: (known: ProviderGate) => Held | null): Promise<Held | null> {
    const held = find(await record.read())
    if (held === null) return null
    if (!mayProbe(held.shut, 'DEPOSIT', now())) throw resting(held)
    let [found, isMine]: [Held | null, boolean] = [held, false]
    await change((stored) => {
      found = find(stored)
      isMine = found !== null && mayProbe(found.shut, 'DEPOSIT', now())
      return isMine ? claimed(stored, found!.scope, now()) : stored
    })
    if (found && !isMine) throw resting(found)
    return found
  }

  async function quote(request: RouteRequest, signal: AbortSignal): Promise<ReadableOffer | null> {
    if (isPaused()) throw new ProviderPaused()
    const probed = await admitted((known) => heldBy(known, request, self))
    try {
      const offer = await ask(request, signal)
      await noteAnswer(request)
      return offer as ReadableOffer | null
    } catch (error) {
      const verdict = verdictOf(error)
      if (opens(verdict)) await noteAnswer(request)
      if (verdict === 'LOCKED_OUT') throw await lockOut(error)
      const failing = failingOf(error, self)
      if (probed === null || failing === null) throw error
      await change((stored) => (stored.shut[probed.scope] ? failed(stored, probed.scope, failing, now()) : stored))
      throw resting(heldBy(record.last(), request, self) ?? probed, error)
    }
  }

  /** For requests that show only whether our credentials are accepted. */
  async function apart<Answer>(call: () => Promise<Answer>): Promise<Answer> {
    const probed = await admitted(lockedBy)
    try {
      const answer = await asked(call)
      if (probed) await change((stored) => answered(stored, null, self))
      return answer
    } catch (error) {
      throw verdictOf(error) === 'LOCKED_OUT' ? await lockOut(error) : error
    }
  }

  return {
    name,
    quote,
    ...(inner.assureCarried && { assureCarried: (request: RouteRequest) => inner.assureCarried!(request) }),
    async blame(request, error) {
      const fault = await blame(request, error)
      if (fault === 'REQUEST') await change((stored) => waitedFor(stored, tokensOf(request), now()))
      return fault
    },
    outcome: (sent, signal) => unread.noted(() => apart(() => inner.outcome(sent, signal))),
    priceUsd: (chainId, token, signal) => apart(() => inner.priceUsd(chainId, token, signal)),
    probe,
    health: async () => healthOf(await record.read(), calls.recent(), self, now()),
  }
}

/** Reads a provider's routes as the signer reads them. An unreadable route counts as a failure. */
const readable = <Name extends string>(provider: Aggregator<Name>, read: GatePorts['read']): Aggregator<Name> => ({
  ...provider,
  async quote(request, signal) {
    const offer = await provider.quote(request, signal)
    const objection = offer && read(offer, request)
    if (objection) throw new Unreadable(objection, { cause: new Error(objection) })
    return offer
  },
})

const lockedBy = ({ shut: { all } }: ProviderGate): Held | null =>
  all?.reason === 'LOCKED_OUT' ? { scope: 'all', shut: all } : null

/** Whether a call failed; null if it made no request, or proves nothing. */
function isFailure(error: unknown): boolean | null {
  const verdict = verdictOf(error)
  if (opens(verdict)) return false
  return countsFor(verdict) !== null || verdict === 'LOCKED_OUT' ? true : null
}

const tokensOf = ({ fromChainId, fromToken, toChainId, toToken }: RouteRequest): string =>
  `${fromChainId}:${fromToken} ${toChainId}:${toToken}`

/** Returns the scopes that were opened, shut, or shut for more processes or another reason. */
function changesOf(before: ProviderGate, after: ProviderGate): GateChange[] {
  const provider = after.id
  const changes = [...new Set([...scopesOf(before), ...scopesOf(after)])].flatMap((scope): GateChange[] => {
    const [was, is] = [before.shut[scope], after.shut[scope]]
    const pair = pairOf(scope)
    if (!is) return [{ provider, pair, shut: null, isOwn: was!.by !== null }]
    const isNew = !was || was.reason !== is.reason || (was.by !== null && is.by === null)
    return isNew || (was.why === null && is.why !== null) ? [{ provider, pair, shut: is, isOwn: is.by !== null }] : []
  })
  if ((before.unread === null) === (after.unread === null)) return changes
  const { unread } = after
  const shut = unread && { reason: 'FAILING' as const, why: unread.what, since: unread.since, ...noProbe }
  return [...changes, { provider, pair: null, shut, isOwn: false }]
}
const noProbe = { probeAt: 0, probes: 0, by: null }
