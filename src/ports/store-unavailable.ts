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
