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
