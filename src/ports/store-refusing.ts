/** The store answers and takes nobody's writes: it is full, read-only, or handing over. In a moment it may again. */
export class StoreRefusing extends Error {
  override name = 'StoreRefusing'

  constructor(cause: unknown) {
    super('The store takes no writes', { cause })
  }
}
