import type { SchedulerLike } from 'rxjs'
import { areApart, type ChainPair, isBetween } from '../domain/chain/chain-pair'
import { withDeadline } from '../domain/concurrency'
import type { TokenList } from '../domain/money/token'
import type { Blame, RouteRequest } from '../ports/gate'
import {
  claimed,
  controlMs,
  controlNow,
  failed,
  heldBy,
  isFor,
  lastAnswered,
  mayProbe,
  type ProviderGate,
  pairOf,
  type Scope,
  scopeOf,
  scopesOf,
  withControl,
} from './breaker'
import type { gateRecord } from './gate-record'
import { usualRequest, usualRequests } from './usual-requests'
import { countsFor, type Failing, failingOf, opens, verdictOf } from './verdict'

const probeEveryMs = 2_000

type Ports = {
  self: string
  now: () => number
  record: Pick<ReturnType<typeof gateRecord>, 'read' | 'last'>
  change: (change: (record: ProviderGate) => ProviderGate) => Promise<unknown>
  isPaused: () => boolean
  ask: (request: RouteRequest, signal: AbortSignal) => Promise<unknown>
  /** Opens every scope that a response proves healthy. */
  noteAnswer: (request: RouteRequest) => Promise<void>
  /** Shuts everything, because our credentials were refused. */
  lockOut: (error: unknown) => Promise<unknown>
  /** Time of each pair of chains' last response to this process. */
  answeredAt: ReadonlyMap<Scope, number>
  tokens: TokenList
  /** Time limit of a control, equal to a quote's. Under a shorter one, a slow provider would seem to fail. */
  quoteTimeoutMs: number
  scheduler?: SchedulerLike | undefined
}
type Result = 'ANSWERED' | 'FAILED' | 'UNKNOWN'

/**
 * The service's own usual requests. A provider that fails one is at fault. After a deposit's failure, a control decides
 * who is at fault; from time to time, another tests the shut scopes. Deposits are not counted, so neither an unusual
 * token nor a caller of previews can shut a scope.
 */
export function controls(ports: Ports) {
  const { self, now, record, change, isPaused, ask, noteAnswer, lockOut, tokens } = ports
  const usual = usualRequests(tokens)
  const underWay = new Map<Scope, Promise<Result>>()
  // Each process starts with a different pair, even after repeated restarts.
  let turn = Math.abs(Math.floor(now()))
  let probedAt = Number.NEGATIVE_INFINITY

  async function met(request: RouteRequest): Promise<'ANSWERED' | 'UNKNOWN' | Failing> {
    if (isPaused()) return 'UNKNOWN'
    try {
      await withDeadline(ports.quoteTimeoutMs, (signal) => ask(request, signal), ports.scheduler)
      return 'ANSWERED'
    } catch (error) {
      const verdict = verdictOf(error)
      if (opens(verdict)) return 'ANSWERED'
      if (verdict === 'LOCKED_OUT') await lockOut(error)
      return failingOf(error, self) ?? 'UNKNOWN'
    }
  }

  /** Makes a control that covers the failures of all processes for a while, unless another process makes it now. */
  async function made(request: RouteRequest, isOwn: boolean): Promise<Result> {
    const scope = scopeOf(request)
    let isMine = false
    await change((stored) => {
      const other = controlNow(stored, request, { self, isOwn, now: now() })
      isMine = heldBy(stored, request, self) === null && other === null
      return isMine ? withControl(stored, request, { at: now(), by: self, result: 'PENDING', isOwn: false }) : stored
    })
    if (!isMine) return resultOf(record.last(), request, isOwn) ?? 'UNKNOWN'
    const result = await met(request)
    const at = now()
    if (result === 'ANSWERED') await noteAnswer(request)
    await change((stored) => {
      if (result === 'UNKNOWN') return withControl(stored, request, null)
      if (result === 'ANSWERED') return withControl(stored, request, { at, by: self, result, isOwn: false })
      const shut = failed(stored, scope, result, at)
      return withControl(shut, request, { at, by: self, result: 'FAILED', isOwn: result.by !== null })
    })
    return typeof result === 'string' ? result : 'FAILED'
  }

  function resultOf(known: ProviderGate, request: RouteRequest, isOwn: boolean): Result | null {
    if (heldBy(known, request, self)) return 'FAILED'
    const control = controlNow(known, request, { self, isOwn, now: now() })
    return control && (control.result === 'PENDING' ? 'UNKNOWN' : control.result)
  }

  async function control(request: RouteRequest, isOwn: boolean): Promise<Result> {
    const scope = scopeOf(request)
    const mine = underWay.get(scope)
    if (mine) return mine
    const known = resultOf(await record.read(), request, isOwn)
    if (known !== null) return known
    const making = underWay.get(scope) ?? made(request, isOwn).finally(() => underWay.delete(scope))
    underWay.set(scope, making)
    return making
  }

  /** Sends a control to the pair with the latest response. A response of a moment ago to this process saves it. */
  async function elsewhere(isThere: (one: ChainPair) => boolean, isOwn: boolean): Promise<Result | null> {
    const [first] = lastAnswered(await record.read(), usual.filter(isThere), ports.answeredAt)
    if (!first) return null
    const at = ports.answeredAt.get(scopeOf(first)) ?? Number.NEGATIVE_INFINITY
    return at + controlMs > now() ? 'ANSWERED' : control(first, isOwn)
  }

  /**
   * Whether the provider fails everywhere: first between two other chains, then at the pair with the latest response.
   * Two failing chains can explain one of these failures, and rarely both.
   */
  async function isEverything(failing: RouteRequest, isOwn: boolean): Promise<Result> {
    const apart = await elsewhere((one) => areApart(one, failing), isOwn)
    if (apart !== 'FAILED') return apart ?? 'ANSWERED'
    return (await elsewhere((one) => !isBetween(one, failing), isOwn)) ?? 'FAILED'
  }

  async function blame(failing: RouteRequest, error: unknown): Promise<Blame> {
    const isOwn = countsFor(verdictOf(error)) === 'SELF'
    const isHeld = (known: ProviderGate) => heldBy(known, failing, self) !== null
    if (isHeld(await record.read())) return 'PROVIDER'
    const same = usualRequest(tokens, failing)
    const between = same && (await control(same, isOwn))
    if (between === 'ANSWERED') return 'REQUEST'
    if (between === 'UNKNOWN') return isHeld(record.last()) ? 'PROVIDER' : 'UNKNOWN'
    const all = await isEverything(failing, isOwn)
    if (all === 'FAILED') await change((stored) => shutAll(stored))
    if (between === 'FAILED' || isHeld(record.last())) return 'PROVIDER'
    return all === 'ANSWERED' ? 'REQUEST' : 'UNKNOWN'

    function shutAll(stored: ProviderGate): ProviderGate {
      return failed(stored, 'all', { by: isOwn ? self : null, why: stored.shut[scopeOf(failing)]?.why ?? null }, now())
    }
  }

  return {
    blame,
    async probe(): Promise<void> {
      if (probedAt + probeEveryMs > now()) return
      probedAt = now()
      if (dueIn(await record.read()).length === 0 || isPaused()) return
      let mine: Scope[] = []
      await change((stored) => {
        mine = dueIn(stored)
        return mine.reduce((one, scope) => claimed(one, scope, now()), stored)
      })
      await Promise.all(mine.map(probeOne))
    },
  }

  /** While the whole provider is shut, one probe is enough to show that it is back. */
  function dueIn(known: ProviderGate): Scope[] {
    const shut = scopesOf(known).filter((scope) => isFor(known.shut[scope], self))
    const asked = shut.includes('all') ? shut.filter((scope) => scope === 'all') : shut
    return asked.filter((scope) => mayProbe(known.shut[scope]!, 'CONTROL', now()) && requestTo(known, scope) !== null)
  }

  function requestTo(known: ProviderGate, scope: Scope): RouteRequest | null {
    const pair = pairOf(scope)
    if (pair) return usualRequest(tokens, pair)
    const well = usual.filter((one) => !known.shut[scopeOf(one)])
    const from = well.length > 0 ? well : usual
    return from[turn % from.length] ?? null
  }

  async function probeOne(scope: Scope): Promise<void> {
    const request = requestTo(record.last(), scope)!
    turn += 1
    const result = await met(request)
    if (result === 'ANSWERED') await noteAnswer(request)
    else if (result !== 'UNKNOWN')
      await change((stored) => (stored.shut[scope] ? failed(stored, scope, result, now()) : stored))
  }
}
