/** No chain could show that our contracts are deployed on it. An address shown now might belong to nobody. */
export class ChainsUnverified extends Error {
  override name = 'ChainsUnverified'

  constructor() {
    super('The contracts are not verified on any chain')
  }
}
