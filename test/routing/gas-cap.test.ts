import { expect, test } from 'bun:test'
import type { Execution } from '../../src/domain/execution'
import { defaultPolicy, type Route } from '../../src/domain/route'
import { priceFees } from '../../src/routing/steps/price-fees'
import { detected, intent, order } from '../support/world'

const route: Route = {
  ...{ provider: 'direct', kind: 'DIRECT', amountIn: '1000', amountOutExpected: '1000', amountOutMin: '1000' },
  ...{ expectedSeconds: 0, hops: 0, slippageBps: 0, call: null, reference: null, quotedAt: 0 },
}
test('an order gets no gas limit that nodes refuse in a transaction (EIP-7825: 2^24)', async () => {
  const chain = {
    chainId: 8453,
    head: async () => ({ time: 0 }),
    estimate: async () => ({ gasLimit: 14_000_000n, costWei: 1n }),
  }
  const price = priceFees({
    chains: { 8453: chain } as never,
    signer: { draft: async () => order } as never,
    relayers: { keyFor: () => ({ id: 'a', address: order.account }) } as never,
    quoting: { aggregators: [], prices: { usd: async () => 10n ** 8n } as never, quoteTimeoutMs: 1, now: () => 0 },
    mayForgiveGas: async () => true,
    now: () => 0,
  })
  const facts: Execution['facts'] = {
    ...{
      intent: { ...intent, sponsoredGas: true, protocolFeeBps: 0 },
      routeId: order.routeId,
      route,
      policy: defaultPolicy,
    },
    balance: { totalReceivedRaw: '1000', block: 1 },
  }
  const limit = await price({ ...detected, facts }).then(
    (priced) => ('type' in priced ? Number(priced.facts!.gasLimit) : 0),
    () => 0, // refused: as good
  )
  expect(limit).toBeLessThanOrEqual(2 ** 24)
})
