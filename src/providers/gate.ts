import type { SchedulerLike } from 'rxjs'
import { betweenChains, type ChainPair } from '../domain/chain/chain'
import { RoutingError } from '../domain/error'
import type { Offer } from '../domain/execution/route'
import type { TokenList } from '../domain/money/token'
import { pauseScopes } from '../domain/tenant/pause-scope'
import {
  ProviderFailsBetween,
  ProviderPaused,
  ProviderUnavailable,
  RequestRefused,
  Unreadable,
  unreadableOf,
} from '../domain/unavailable'
import type { Gate, ReadableOffer, RouteRequest } from '../ports/gate'
import type { Pauses } from '../ports/operators'
import type { Records } from '../ports/records'
import type { Aggregator } from './aggregator'
import {
  type Block,
  blockFor,
  mayProbe,
  type ProviderGate,
  pairOf,
  retryAtOf,
  type Scope,
  scopeOf,
  tokensOf,
  withAnswer,
  withFailure,
  withoutWait,
  withProbeClaim,
  withWait,
} from './breaker'
import { controls } from './control'
import { type GateChange, gateRecord, unreadResponses } from './gate-record'
import { callLog, healthOf } from './health'
import { countsFor, failingOf, verdictOf } from './verdict'

const [leastMs, mostMs] = [1_000, 30_000]

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
  const { within = (one) => one, records, pauses, tokens, quoteTimeoutMs, self, now, onChange } = ports
  const { name } = provider
  const inner = within(readable(provider, ports.read))
  const record = gateRecord(name, records, { now, onChange })
  const calls = callLog(now)
  const answeredAt = new Map<Scope, number>()
  const isPaused = (): boolean => (pauses?.find([pauseScopes.provider(name)]) ?? null) !== null
  const counted = <Answer>(ask: () => Promise<Answer>) => calls.noted(ask, isFailure)
  const ask = (request: RouteRequest, signal: AbortSignal) => counted(() => inner.quote(request, signal))
  const [outcomes, prices] = [unreadResponses('OUTCOME', record, now), unreadResponses('PRICE', record, now)]
  const { blame, blameApart, probe } = controls({
    ...{ self, now, record, isPaused, ask, noteAnswer, answeredAt, tokens, quoteTimeoutMs },
    scheduler: ports.scheduler,
  })

  async function noteAnswer(request: RouteRequest): Promise<void> {
    answeredAt.set(scopeOf(request), now())
    const pair = tokensOf(request)
    const noted = (providerGate: ProviderGate) => withoutWait(withAnswer(providerGate, request, self), pair)
    const last = record.last()
    if (noted(last) === last) return
    const [before] = await record.change(noted)
    if (before.waiting[pair] !== undefined) ports.onAnswer?.(request)
  }

  function resting({ scope, shut }: Block, cause?: unknown): ProviderUnavailable {
    const retryInMs = Math.min(Math.max(retryAtOf(shut, now()) - now(), leastMs), mostMs)
    const pair = pairOf(scope)
    return pair
      ? new ProviderFailsBetween(name, retryInMs, betweenChains(pair))
      : new ProviderUnavailable(name, retryInMs, { cause })
  }

  /** Returns the scope that this request tests, or null if nothing is shut. Throws if the caller must wait. */
  async function admitted(find: (stored: ProviderGate) => Block | null): Promise<Block | null> {
    const held = find(await record.read())
    if (held === null) return null
    if (!mayProbe(held.shut, 'DEPOSIT', now())) throw resting(held)
    let [block, isMine]: [Block | null, boolean] = [held, false]
    await record.change((stored) => {
      block = find(stored)
      isMine = block !== null && mayProbe(block.shut, 'DEPOSIT', now())
      return isMine ? withProbeClaim(stored, block!.scope, now()) : stored
    })
    if (block && !isMine) throw resting(block)
    return block
  }

  async function quote(request: RouteRequest, signal: AbortSignal): Promise<ReadableOffer | null> {
    if (isPaused()) throw new ProviderPaused()
    const probed = await admitted((providerGate) => blockFor(providerGate, request, self))
    try {
      const offer = await ask(request, signal)
      await noteAnswer(request)
      return offer as ReadableOffer | null
    } catch (error) {
      const verdict = verdictOf(error)
      // It may refuse this request alone, so a usual request decides whether it refuses all, or our credentials.
      if (probed && (verdict === 'LOCKED_OUT' || verdict === 'REFUSED')) throw resting(probed, error)
      if (verdict === 'LOCKED_OUT') throw new RequestRefused({ cause: error })
      const failing = failingOf(error, self)
      if (probed === null || failing === null) throw error
      await record.change((stored) =>
        stored.shut[probed.scope] ? withFailure(stored, probed.scope, failing, now()) : stored,
      )
      throw resting(blockFor(record.last(), request, self) ?? probed, error)
    }
  }

  /**
   * For questions that show only whether our credentials are accepted. If one is refused, a usual request decides.
   *
   * @param pair The chains of the question; null for a price.
   */
  async function apart<Answer>(pair: ChainPair | null, call: () => Promise<Answer>): Promise<Answer> {
    const probed = await admitted(lockedBy)
    try {
      const answer = await counted(call)
      if (probed) await record.change((stored) => withAnswer(stored, null, self))
      return answer
    } catch (cause) {
      if (verdictOf(cause) !== 'LOCKED_OUT') throw cause
      if (probed) throw resting(probed, cause)
      await blameApart(pair)
      const held = lockedBy(record.last())
      if (held) throw resting(held, cause)
      throw new RequestRefused({ cause })
    }
  }

  return {
    name,
    quote,
    ...(inner.assureCarried && { assureCarried: (request: RouteRequest) => inner.assureCarried!(request) }),
    async blame(request, error) {
      const fault = await blame(request, error)
      if (fault === 'REQUEST') await record.change((stored) => withWait(stored, tokensOf(request), now()))
      return fault
    },
    outcome: (sent, signal) => outcomes.noted(() => apart(sent, () => inner.outcome(sent, signal))),
    priceUsd: (...args) => prices.noted(() => apart(null, () => inner.priceUsd(...args))).catch(failedPrice),
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

/** Another code of an unreadable price would end a deposit, or count as a contradiction between prices. */
function failedPrice(error: unknown): never {
  throw unreadableOf(error) === null ? error : new RoutingError('PROVIDER_FAILED', { cause: error })
}

const lockedBy = ({ shut: { all } }: ProviderGate): Block | null =>
  all?.reason === 'LOCKED_OUT' ? { scope: 'all', shut: all } : null

/** Whether a call failed; null if it made no request, or proves nothing. Anyone can have a wrong request refused. */
function isFailure(error: unknown): boolean | null {
  const verdict = verdictOf(error)
  if (verdict === 'REFUSED') return false
  return countsFor(verdict) !== null || verdict === 'LOCKED_OUT' ? true : null
}
