import type { Facts } from '../domain/execution/execution'
import type { WaitReason } from '../domain/execution/wait-reason'

/** No chain could show that our contracts are on it: an address that was shown now might be nobody's. */
export class ChainsUnverified extends Error {
  override name = 'ChainsUnverified'

  constructor() {
    super('The contracts are not verified on any chain')
  }
}

/** The store cannot do now what it was asked. Nothing is known and nothing was decided by that: soon it may again. */
export class StoreUnavailable extends Error {
  override name = 'StoreUnavailable'
}

/** The way to it is broken, or nobody is there. Whether a write arrived is not known. */
export class StoreUnreachable extends StoreUnavailable {
  override name = 'StoreUnreachable'

  constructor(cause: unknown) {
    super('The store cannot be reached', { cause })
  }
}

/** It answers and takes nobody's writes: it is full, read-only, or handing over. */
export class StoreRefusing extends StoreUnavailable {
  override name = 'StoreRefusing'

  constructor(cause: unknown) {
    super('The store takes no writes', { cause })
  }
}

/** What is asked must be left alone for a while. Whoever needs it waits; that is no retry. */
export class Resting extends Error {
  override name = 'Resting'
  /** What was found out all the same. */
  readonly facts: Facts

  /** @param options.cause what a log may know of why. */
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
