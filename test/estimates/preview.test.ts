import { expect } from 'bun:test'
import { ProviderUnavailable, TemporarilyUnavailable } from '../../src/domain/unavailable'
import { preview } from '../../src/estimates/preview'
import { testAll } from '../support/test-all'
import { detected, intent, order, stepsThatSucceed } from '../support/world'

// A real deposit would wait: who asks now hears who does not answer.
testAll([
  [new ProviderUnavailable('lifi', 10_000), 'PROVIDER_UNREACHABLE'],
  [new TemporarilyUnavailable('Base', 5_000, 'NODE'), 'RPC_UNREACHABLE'],
])('preview: what is left alone cannot be asked', async (resting, code) => {
  const findRoute = () => Promise.reject(resting)
  const looking = preview({ ...stepsThatSucceed, findRoute })(detected, intent, order.routeId)
  expect(looking).rejects.toMatchObject({ code })
})
