import type { SchedulerLike } from 'rxjs'
import { areApart, type ChainPair, chainIds, isBetween } from '../domain/chain/chain'
import { type Address, zeroAddress } from '../domain/chain/hex'
import { withDeadline } from '../domain/concurrency'
import { defaultPolicy } from '../domain/execution/route'
import type { TokenList } from '../domain/money/token'
import { RequestRefused } from '../domain/unavailable'
import type { Blame, RouteRequest } from '../ports/gate'
import {
  blockFor,
  controlMs,
  controlNow,
  isFor,
  lastAnswered,
  mayProbe,
  type ProviderGate,
  pairOf,
  type Scope,
  scopeOf,
  scopesOf,
  tokensOf,
  withControl,
  withFailure,
  withLockOut,
  withProbeClaim,
} from './breaker'
import type { GateRecord } from './gate-record'
import { countsFor, type Failing, failingOf, verdictOf } from './verdict'

const probeEveryMs = 2_000

type Ports = {
  self: string
  now: () => number
  record: Pick<GateRecord, 'read' | 'last' | 'change'>
  isPaused: () => boolean
  ask: (request: RouteRequest, signal: AbortSignal) => Promise<unknown>
  /** Opens every scope that a response proves healthy. */
  noteAnswer: (request: RouteRequest) => Promise<void>
  /** Time of each pair of chains' last response to this process. */
  answeredAt: ReadonlyMap<Scope, number>
  tokens: TokenList
  /** Time limit of a usual request, equal to a quote's. Under a shorter one, a slow provider would seem to fail. */
  quoteTimeoutMs: number
  scheduler?: SchedulerLike | undefined
}
/**
 * WITHOUT_ROUTE: the provider responded to a usual request, but without a route. This opens a scope, but shows neither
 * that the provider is well nor that a deposit is at fault.
 */
type Result = 'ANSWERED' | 'WITHOUT_ROUTE' | 'FAILED' | 'UNKNOWN'
type Ask = (request: RouteRequest) => Promise<Exclude<Result, 'FAILED'> | Failing>
/** `isNew`: an earlier response does not count. */
type Control = (request: RouteRequest, isOwn: boolean, isNew: boolean) => Promise<Result>

/**
 * The service's own usual requests. A provider that fails one is at fault. After a deposit's failure, a usual request
 * decides who is at fault. At intervals, usual requests test the shut scopes. Deposits are not counted, so neither an
 * unusual token nor a caller of previews can shut a scope.
 */
export function controls(ports: Ports) {
  const { self, now, record, isPaused, ask, noteAnswer, tokens, answeredAt } = ports
  const usual = usualRequests(ports.tokens)

  const meet: Ask = async (request) => {
    if (isPaused()) return 'UNKNOWN'
    let route: unknown = null
    try {
      route = await withDeadline(ports.quoteTimeoutMs, (signal) => ask(request, signal), ports.scheduler)
    } catch (error) {
      if (verdictOf(error) === 'LOCKED_OUT') await record.change((stored) => withLockOut(stored, now()))
      return failingOf(error, self) ?? 'UNKNOWN'
    }
    await noteAnswer(request)
    return route === null ? 'WITHOUT_ROUTE' : 'ANSWERED'
  }

  const decide = deciding(ports, usual, sharedControl(ports, meet))

  return {
    async blame(failing: RouteRequest, error: unknown): Promise<Blame> {
      // A response from before a refusal proves nothing, unless the provider already refused these tokens.
      const { waiting } = await record.read()
      const isRefused = error instanceof RequestRefused || verdictOf(error) === 'REFUSED'
      const isNew = isRefused && waiting[tokensOf(failing)] === undefined
      return decide(failing, { isOwn: countsFor(verdictOf(error)) === 'SELF', isNew })
    },
    /**
     * Decides who is at fault after a status or price request was refused with 401 or 403. These requests repeat, so an
     * earlier response to a usual request covers them.
     *
     * @param pair The chains of the status request; null for a price.
     */
    async blameApart(pair: ChainPair | null): Promise<Blame> {
      const [last] = lastAnswered(await record.read(), usual, answeredAt)
      const request = (pair && usualRequest(tokens, pair)) ?? last
      return request ? decide(request, { isOwn: false, isNew: false }) : 'UNKNOWN'
    },
    probe: probing(ports, usual, meet),
  }
}

/** Sends usual requests. The result of one covers the failures of all processes for ten seconds. */
function sharedControl({ self, now, record }: Ports, meet: Ask): Control {
  const underWay = new Map<Scope, Promise<Result>>()

  const resultOf: (gate: ProviderGate, ...args: Parameters<Control>) => Result | null = (
    gate,
    request,
    isOwn,
    isNew,
  ) => {
    if (blockFor(gate, request, self)) return 'FAILED'
    const control = controlNow(gate, request, { self, isOwn, now: now() })
    if (!control || (isNew && control.result === 'ANSWERED')) return null
    return control.result === 'PENDING' ? 'UNKNOWN' : control.result
  }

  const make: Control = async (request, isOwn, isNew) => {
    let isMine = false
    await record.change((stored) => {
      isMine = resultOf(stored, request, isOwn, isNew) === null
      return isMine ? withControl(stored, request, { at: now(), by: self, result: 'PENDING', isOwn: false }) : stored
    })
    if (!isMine) return resultOf(record.last(), request, isOwn, isNew) ?? 'UNKNOWN'
    const result = await meet(request)
    const at = now()
    await record.change((stored) => {
      if (result === 'UNKNOWN') return withControl(stored, request, null)
      if (typeof result === 'string') return withControl(stored, request, { at, by: self, result, isOwn: false })
      const shut = withFailure(stored, scopeOf(request), result, at)
      return withControl(shut, request, { at, by: self, result: 'FAILED', isOwn: result.by !== null })
    })
    return typeof result === 'string' ? result : 'FAILED'
  }

  return async (request, isOwn, isNew) => {
    const scope = scopeOf(request)
    const before = underWay.get(scope) ?? resultOf(await record.read(), request, isOwn, isNew)
    if (before !== null) return before
    const making = underWay.get(scope) ?? make(request, isOwn, isNew).finally(() => underWay.delete(scope))
    underWay.set(scope, making)
    return making
  }
}

/** `isOwn`: the connection of this process might be at fault. `isNew`: an earlier response does not count. */
type Failed = { isOwn: boolean; isNew: boolean }

/** Decides who is at fault after a failure. */
function deciding({ self, now, record, answeredAt, tokens }: Ports, usual: readonly RouteRequest[], control: Control) {
  /** Sends a usual request for the pair with the latest response, unless this process got that response just now. */
  async function elsewhere(
    isThere: (one: ChainPair) => boolean,
    failing: RouteRequest,
    isOwn: boolean,
    isNew: boolean,
  ): Promise<Result | null> {
    const [first] = lastAnswered(await record.read(), usual.filter(isThere), answeredAt)
    if (!first) return null
    const at = answeredAt.get(scopeOf(first)) ?? Number.NEGATIVE_INFINITY
    return at + controlMs > now() && !isNew ? 'ANSWERED' : control(onBehalf(first, failing), isOwn, isNew)
  }

  /**
   * Whether the provider fails everywhere: first between two other chains, then at the pair with the latest response.
   * Two failing chains can explain one of these failures, and rarely both.
   */
  async function isEverything(failing: RouteRequest, isOwn: boolean, isNew: boolean): Promise<Result> {
    const apart = await elsewhere((one) => areApart(one, failing), failing, isOwn, isNew)
    if (apart !== 'FAILED') return apart ?? 'ANSWERED'
    return (await elsewhere((one) => !isBetween(one, failing), failing, isOwn, isNew)) ?? 'FAILED'
  }

  return async (failing: RouteRequest, { isOwn, isNew }: Failed): Promise<Blame> => {
    const isHeld = (gate: ProviderGate) => blockFor(gate, failing, self) !== null
    if (isHeld(await record.read())) return 'PROVIDER'
    const same = usualRequest(tokens, failing)
    const between = same && (await control(onBehalf(same, failing), isOwn, isNew))
    if (between === 'ANSWERED') return 'REQUEST'
    if (between === 'UNKNOWN' || between === 'WITHOUT_ROUTE') return isHeld(record.last()) ? 'PROVIDER' : 'UNKNOWN'
    const all = await isEverything(failing, isOwn, isNew)
    if (all === 'FAILED')
      await record.change((stored) => {
        const why = stored.shut[scopeOf(failing)]?.why ?? null
        return withFailure(stored, 'all', { by: isOwn ? self : null, why }, now())
      })
    if (between === 'FAILED' || isHeld(record.last())) return 'PROVIDER'
    return all === 'ANSWERED' ? 'REQUEST' : 'UNKNOWN'
  }
}

/** The usual request has its deposit's priority: until it decides, the deposit would repeat its own request. */
const onBehalf = (control: RouteRequest, { requester }: RouteRequest): RouteRequest =>
  requester ? { ...control, requester } : control

/** Tests the shut scopes, at most every two seconds. */
function probing({ self, now, record, isPaused, tokens }: Ports, usual: readonly RouteRequest[], meet: Ask) {
  // Each process starts with a different pair, even after repeated restarts.
  let turn = Math.abs(Math.floor(now()))
  let probedAt = Number.NEGATIVE_INFINITY

  /** While the whole provider is shut, one probe is enough to show that it is back. */
  function dueIn(gate: ProviderGate): Scope[] {
    const shut = scopesOf(gate).filter((scope) => isFor(gate.shut[scope], self))
    const scopes = shut.includes('all') ? (['all'] as const) : shut
    return scopes.filter((scope) => mayProbe(gate.shut[scope]!, 'CONTROL', now()) && requestTo(gate, scope) !== null)
  }

  function requestTo(gate: ProviderGate, scope: Scope): RouteRequest | null {
    const pair = pairOf(scope)
    if (pair) return usualRequest(tokens, pair)
    const well = usual.filter((one) => !gate.shut[scopeOf(one)])
    const from = well.length > 0 ? well : usual
    return from[turn % from.length] ?? null
  }

  async function probeOne(scope: Scope): Promise<void> {
    const request = requestTo(record.last(), scope)!
    turn += 1
    const result = await meet(request)
    if (typeof result === 'string') return
    await record.change((stored) => (stored.shut[scope] ? withFailure(stored, scope, result, now()) : stored))
  }

  return async (): Promise<void> => {
    if (probedAt + probeEveryMs > now()) return
    probedAt = now()
    if (dueIn(await record.read()).length === 0 || isPaused()) return
    let mine: Scope[] = []
    await record.change((stored) => {
      mine = dueIn(stored)
      return mine.reduce((one, scope) => withProbeClaim(one, scope, now()), stored)
    })
    await Promise.all(mine.map(probeOne))
  }
}

const symbol = 'USDC'
const amountIn = 100_000_000n
/** Any address will do, because nothing is sent. */
const nobody: Address = '0x000000000000000000000000000000000000dEaD'

/**
 * Returns the most common request between two chains: a provider that cannot quote it fails there. Null if the token
 * list lacks a token.
 */
function usualRequest(tokens: TokenList, { fromChainId, toChainId }: ChainPair): RouteRequest | null {
  const fromToken = tokens.findBySymbol(fromChainId, symbol)?.address
  const toToken = fromChainId === toChainId ? zeroAddress : tokens.findBySymbol(toChainId, symbol)?.address
  if (!fromToken || !toToken) return null
  const tokensOfRequest = { fromChainId, fromToken, toChainId, toToken }
  return { ...tokensOfRequest, amountIn, account: nobody, recipient: nobody, policy: defaultPolicy }
}

/**
 * Every pair of chains once, ordered by their distance in the list of chains. Neighbours in this order share no chain,
 * so two probes in a row do not both meet one failing chain.
 */
const everyTwo: ChainPair[] = [1, 2].flatMap((apart) =>
  chainIds.map((_, n) => {
    const from = (2 * apart * n) % chainIds.length
    return { fromChainId: chainIds[from]!, toChainId: chainIds[(from + apart) % chainIds.length]! }
  }),
)

const usualRequests = (tokens: TokenList): RouteRequest[] =>
  everyTwo.flatMap((pair) => usualRequest(tokens, pair) ?? [])
