import type { Facts } from '../domain/execution/execution'
import type { WaitReason } from '../domain/execution/retry'

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
}
