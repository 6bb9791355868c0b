import { RoutingError } from './error'
import type { Facts } from './execution/execution'
import { type WaitReason, worthLookMs } from './execution/retry'
import type { Candidate } from './execution/route'

/** No chain could show that our contracts are deployed on it. An address shown now might belong to nobody. */
export class ChainsUnverified extends Error {
  override name = 'ChainsUnverified'

  constructor() {
    super('The contracts are not verified on any chain')
  }
}

/** The database cannot serve a request now. Nothing was decided by that, and it may work again soon. */
export class StoreUnavailable extends Error {
  override name = 'StoreUnavailable'
}

/** The database cannot be reached. It is not known whether a write arrived. */
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
    super('The store takes no writes', { cause })
  }
}

/** Something cannot be asked or used for a while. Whoever needs it waits, and the wait does not count as a retry. */
export class TemporarilyUnavailable extends Error {
  override name = 'TemporarilyUnavailable'
  /** What was found out in spite of that. */
  readonly facts: Facts

  /** @param options.cause The reason, for the log. */
  constructor(
    readonly who: string,
    readonly askAgainInMs: number,
    readonly waitingFor: WaitReason,
    { facts = {}, ...options }: { cause?: unknown; facts?: Facts } = {},
  ) {
    super(`${who} is left alone for a while`, options)
    this.facts = facts
  }

  /** Returns the same with further facts to be stored while it waits. */
  keeping(facts: Facts): TemporarilyUnavailable {
    const { who, askAgainInMs, waitingFor, cause } = this
    return new TemporarilyUnavailable(who, askAgainInMs, waitingFor, { cause, facts: { ...this.facts, ...facts } })
  }
}

/**
 * The provider failed so often that its circuit is open. Whoever needs it waits, and the wait does not count as a
 * retry.
 */
export class ProviderUnavailable extends TemporarilyUnavailable {
  override name = 'ProviderUnavailable'
  /** Why it is not asked, as a sentence for whoever looks at the candidates. */
  readonly why: string = 'It failed too often and is left alone for now.'

  constructor(provider: string, askAgainInMs: number, options: { cause?: unknown } = {}) {
    super(provider, askAgainInMs, 'PROVIDER', options)
  }
}

/**
 * The provider fails for two chains, which says nothing of others, and is left alone there. It has no cause, so that
 * whoever judges the whole provider counts it as a request that was not made.
 */
export class ProviderFailsBetween extends ProviderUnavailable {
  override name = 'ProviderFailsBetween'
  override readonly why: string

  /** @param between the two chains, as "from Avalanche to Base". */
  constructor(provider: string, askAgainInMs: number, between: string) {
    super(provider, askAgainInMs)
    this.why = `It failed ${between} and is left alone there for now.`
  }
}

/** The provider allows no more requests for a while. The caller waits for its turn, which is not a retry. */
export class ProviderRateLimited extends ProviderUnavailable {
  override name = 'ProviderRateLimited'
  override readonly why = 'It allows no more requests for now.'

  /** @param until when it allows the next one, as far as is known. The caller may be told to ask again sooner. */
  constructor(
    provider: string,
    askAgainInMs: number,
    readonly until: number,
  ) {
    super(provider, askAgainInMs)
  }
}

/** What the provider's route needs on a chain stands still, or cannot be read. Whoever needs it waits. */
export class ProviderStandsStill extends ProviderUnavailable {
  override name = 'ProviderStandsStill'

  constructor(
    provider: string,
    askAgainInMs: number,
    override readonly why: string,
    options: { cause?: unknown } = {},
  ) {
    super(provider, askAgainInMs, options)
  }
}

/** A node holds a transaction back, because other code acts for the key that signed it (EIP-7702). */
export class KeyDelegated extends RoutingError {
  override name = 'KeyDelegated'

  constructor(options: { cause?: unknown } = {}) {
    super('RPC_FAILED', options)
  }
}

/** A provider answered, and what it said is not in our tables. It may be so until this service is updated. */
export class Unreadable extends RoutingError {
  override name = 'Unreadable'

  /** @param what What cannot be read, as a sentence for operators. */
  constructor(
    readonly what: string,
    options: { cause?: unknown } = {},
  ) {
    super('PROVIDER_MALFORMED', options)
  }
}

/** What of a provider's answer could not be read, as a sentence; null for any other failure. */
export const unreadableOf = (error: unknown): string | null => {
  if (error instanceof Unreadable) return error.what
  const isMalformed = error instanceof RoutingError && error.code === 'PROVIDER_MALFORMED'
  return isMalformed ? 'Its answer has a form that is not in our tables.' : null
}

/** The provider cannot carry this money there, whatever it offers: for it there is no route. */
export class RouteRefused extends RoutingError {
  override name = 'RouteRefused'

  /** @param why The reason, as a sentence for whoever looks at the candidates. */
  constructor(readonly why: string) {
    super('NO_ROUTE')
  }
}

/**
 * Our own contracts refuse this kind of call, because a holder stopped it or an operator must mend it. Another route
 * may pass. Without one the deposit waits, and this never ends it.
 */
export class RouteStopped extends RoutingError {
  override name = 'RouteStopped'

  constructor(options: { cause?: unknown } = {}) {
    super('UNEXPECTED', options)
  }
}

/** No provider that may be asked has a route, and a paused one might. Whoever needs it waits, which is not a retry. */
export class ProviderPaused extends Error {
  override name = 'ProviderPaused'

  constructor() {
    super('A provider is paused')
  }
}

/** There is no offer that may be taken. Each candidate says why. */
export class NothingToTake extends RoutingError {
  constructor(
    code: 'NO_ROUTE' | 'ROUTE_OUTSIDE_POLICY',
    readonly candidates: Candidate[],
  ) {
    super(code)
  }
}

/** The signer gave no answer. It may have signed what it was asked for, so the same order is worth asking for again. */
export class SignerSilent extends TemporarilyUnavailable {
  override name = 'SignerSilent'

  constructor(askAgainInMs: number, options: { cause?: unknown; facts?: Facts } = {}) {
    super('the signer', askAgainInMs, 'SIGNER', options)
  }
}

/** Nobody can tell whether the output is worth the policy's share. Whoever needs it waits, which is not a retry. */
export class WorthUnknown extends TemporarilyUnavailable {
  override name = 'WorthUnknown'

  constructor(
    private readonly why: string,
    facts: Facts = {},
  ) {
    super('a route', worthLookMs, 'WORTH', { cause: new Error(why), facts })
  }

  override keeping(facts: Facts): WorthUnknown {
    return new WorthUnknown(this.why, { ...this.facts, ...facts })
  }
}
