/** No chain could show that our contracts are on it: an address that was shown now might be nobody's. */
export class ChainsUnverified extends Error {
  override name = 'ChainsUnverified'

  constructor() {
    super('The contracts are not verified on any chain')
  }
}
