import { type ChainId, chainOf } from './chain/chain'
import { errorRow, RoutingError } from './error'
import type { Facts } from './execution/execution'
import { type WaitReason, worthPollMs } from './execution/retry'
import type { Candidate } from './execution/route'

/**
 * No chain has confirmed that our contracts are deployed on it. Our contracts might not control an address shown now.
 */
export class ChainsUnverified extends Error {
  override name = 'ChainsUnverified'

  constructor() {
    super('The contracts are not verified on any chain')
  }
}

/** The database cannot serve a request now. Nothing was decided, and it might work again soon. */
export class StoreUnavailable extends Error {
  override name = 'StoreUnavailable'
}

/** The database cannot be reached. It is unknown whether a write arrived. */
export class StoreUnreachable extends StoreUnavailable {
  override name = 'StoreUnreachable'

  constructor(cause: unknown) {
    super('The store cannot be reached', { cause })
  }
}

/** The database answers but accepts no writes: it is full, read-only, or changing its primary. */
export class StoreRefusing extends StoreUnavailable {
  override name = 'StoreRefusing'

  constructor(cause: unknown) {
    super('The store refuses writes', { cause })
  }
}

/** Something is unavailable for a while. Executions that need it wait, and the wait does not count as a retry. */
export class TemporarilyUnavailable extends Error {
  override name = 'TemporarilyUnavailable'
  /** Facts that were learned before the failure. */
  readonly facts: Facts

  /** @param options.cause Reason for the log. */
  constructor(
    readonly who: string,
    readonly retryInMs: number,
    readonly waitingFor: WaitReason,
    { facts = {}, ...options }: { cause?: unknown; facts?: Facts } = {},
  ) {
    super(`${who} is unavailable for a while`, options)
    this.facts = facts
  }

  /** Returns the same error with further facts to store during the wait. */
  keeping(facts: Facts): TemporarilyUnavailable {
    const { who, retryInMs, waitingFor, cause } = this
    return new TemporarilyUnavailable(who, retryInMs, waitingFor, { cause, facts: { ...this.facts, ...facts } })
  }
}

/** Delay before a node that failed is queried again, in milliseconds. */
const nodeFailedMs = 2_000

/**
 * Returns the wait that a failure before signing means; null if it is the deposit's own. Of the errors that spend no
 * retry, only a node's failure can be thrown there.
 */
export function waitOf(error: unknown): TemporarilyUnavailable | null {
  if (error instanceof TemporarilyUnavailable) return error
  if (!(error instanceof RoutingError) || errorRow(error.code).spendsRetry) return null
  return new TemporarilyUnavailable('a node', nodeFailedMs, 'NODE', { cause: error })
}

/**
 * No second node confirms an answer that would end a deposit or move a large amount: it differs, or does not respond.
 * Executions wait, which is not a retry.
 */
export class NotSeconded extends TemporarilyUnavailable {
  override name = 'NotSeconded'

  constructor(chainId: ChainId, retryInMs: number, options: { cause?: unknown } = {}) {
    super(`a second node of ${chainOf(chainId).name}`, retryInMs, 'NODE', options)
  }
}

/** Delay before two nodes that differ are queried again, in milliseconds. */
const differingMs = 10_000

/** Returns the error of two nodes that differ. */
export const nodesDiffer = (chainId: ChainId, what: string): NotSeconded =>
  new NotSeconded(chainId, differingMs, { cause: new Error(`Two nodes differ on ${what}`) })

/**
 * The provider is shut (docs/glossary.md). Executions that need it wait, and the wait does not count as a retry.
 */
export class ProviderUnavailable extends TemporarilyUnavailable {
  override name = 'ProviderUnavailable'
  /** Why the provider is skipped, as a sentence shown with the candidates. */
  readonly why: string = 'It failed too often and is skipped for now.'

  constructor(provider: string, retryInMs: number, options: { cause?: unknown } = {}) {
    super(provider, retryInMs, 'PROVIDER', options)
  }
}

/**
 * The provider is shut for one pair of chains only. The error has no cause, so the provider's overall health counts it
 * as a request that was not made.
 */
export class ProviderFailsBetween extends ProviderUnavailable {
  override name = 'ProviderFailsBetween'
  override readonly why: string

  /** @param between The two chains, such as "from Avalanche to Base". */
  constructor(provider: string, retryInMs: number, between: string) {
    super(provider, retryInMs)
    this.why = `It failed ${between} and is skipped there for now.`
  }
}

/** The provider's rate limit is used up. The caller waits for its admission time, which is not a retry. */
export class ProviderRateLimited extends ProviderUnavailable {
  override name = 'ProviderRateLimited'
  override readonly why = 'Its rate limit is used up for now.'

  /** @param until When the provider allows the next request, if known. The caller's own delay may be shorter. */
  constructor(
    provider: string,
    retryInMs: number,
    readonly until: number,
  ) {
    super(provider, retryInMs)
  }
}

/**
 * A contract or service that the provider's route needs on a chain is stopped or unreadable. Executions that need it
 * wait.
 */
export class ProviderStandsStill extends ProviderUnavailable {
  override name = 'ProviderStandsStill'

  constructor(
    provider: string,
    retryInMs: number,
    override readonly why: string,
    options: { cause?: unknown } = {},
  ) {
    super(provider, retryInMs, options)
  }
}

/** A node holds a transaction back, because other code acts for the key that signed it (EIP-7702). */
export class KeyDelegated extends RoutingError {
  override name = 'KeyDelegated'

  constructor(options: { cause?: unknown } = {}) {
    super('RPC_FAILED', options)
  }
}

/** A provider's response does not match our tables. This can last until the service is updated. */
export class Unreadable extends RoutingError {
  override name = 'Unreadable'

  /** @param what The unreadable part, as a sentence for operators. */
  constructor(
    readonly what: string,
    options: { cause?: unknown } = {},
  ) {
    super('PROVIDER_MALFORMED', options)
  }
}

/**
 * The provider refused a request with a status that stands for our credentials. Only a usual request shows whether it
 * refuses them or this request alone.
 */
export class RequestRefused extends Unreadable {
  override name = 'RequestRefused'

  constructor(options: { cause?: unknown } = {}) {
    super('It refused this request as if our credentials were not valid.', options)
  }
}

/**
 * The provider refused a request for a reason that our tables list. Only a usual request shows whether it refuses this
 * request alone.
 */
export class ListedRefusal extends RoutingError {
  override name = 'ListedRefusal'
  readonly what: string

  constructor(code: string | number, options: { cause?: unknown } = {}) {
    super('PROVIDER_REFUSED', options)
    this.what = `It refused a request with the code ${code}.`
  }
}

/** Returns the unreadable part of a provider's response, as a sentence; null for any other failure. */
export const unreadableOf = (error: unknown): string | null => {
  if (error instanceof Unreadable || error instanceof ListedRefusal) return error.what
  const isMalformed = error instanceof RoutingError && error.code === 'PROVIDER_MALFORMED'
  return isMalformed ? 'Its response has an unknown format.' : null
}

/** The provider cannot route this money to the target, whatever it offers. The deposit has no route through it. */
export class RouteRefused extends RoutingError {
  override name = 'RouteRefused'

  /** @param why The reason, as a sentence shown with the candidates. */
  constructor(readonly why: string) {
    super('NO_ROUTE')
  }
}

/**
 * Our own contracts refuse this kind of call, because a holder stopped it or an operator must repair it. Another route
 * might succeed. If none does, the deposit waits; this error never ends it.
 */
export class RouteStopped extends RoutingError {
  override name = 'RouteStopped'

  constructor(options: { cause?: unknown } = {}) {
    super('UNEXPECTED', options)
  }
}

/** A pause holds the deposit. Executions wait, which is not a retry. */
export class RoutingPaused extends Error {
  override name = 'RoutingPaused'
}

/** No available provider has a route, and a paused provider might have one. */
export class ProviderPaused extends RoutingPaused {
  override name = 'ProviderPaused'

  constructor() {
    super('A provider is paused')
  }
}

/** No offer can be accepted. Each candidate states its reason. */
export class NothingToTake extends RoutingError {
  constructor(
    code: 'NO_ROUTE' | 'ROUTE_OUTSIDE_POLICY',
    readonly candidates: Candidate[],
  ) {
    super(code)
  }
}

/** The signer did not respond. It might have signed the order, so the same order is requested again. */
export class SignerSilent extends TemporarilyUnavailable {
  override name = 'SignerSilent'

  constructor(retryInMs: number, options: { cause?: unknown; facts?: Facts } = {}) {
    super('the signer', retryInMs, 'SIGNER', options)
  }
}

/**
 * The signer refuses an order that this process's own rules allow: its release or settings differ. Executions take
 * another route or wait, which is not a retry.
 */
export class SignerUnable extends TemporarilyUnavailable {
  override name = 'SignerUnable'
  readonly why = 'The signer cannot read its call yet.'

  constructor(retryInMs: number, options: { cause?: unknown } = {}) {
    super('the signer', retryInMs, 'SIGNER', options)
  }
}

/** Too few sources can confirm that the output is worth the policy's share. Executions wait, which is not a retry. */
export class WorthUnknown extends TemporarilyUnavailable {
  override name = 'WorthUnknown'

  constructor(
    private readonly why: string,
    facts: Facts = {},
  ) {
    super('a route', worthPollMs, 'WORTH', { cause: new Error(why), facts })
  }

  override keeping(facts: Facts): WorthUnknown {
    return new WorthUnknown(this.why, { ...this.facts, ...facts })
  }
}
