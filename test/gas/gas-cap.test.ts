import { expect, test } from 'bun:test'
import type { Execution } from '../../src/domain/execution/execution'
import { defaultPolicy, directRoute } from '../../src/domain/execution/route'
import { priceFees } from '../../src/routing/steps/price-fees'
import { believing } from '../support/appraisers'
import { unknownGas } from '../support/route-gas'
import { seals } from '../support/seals'
import { detected, intent, order } from '../support/world'

const route = directRoute({ amountIn: 1_000n }, 0)
const limitOf = async (gasLimit: bigint): Promise<bigint> => {
  const chain = {
    chainId: 8453,
    head: async () => ({ time: 0 }),
    estimate: async () => ({ gasLimit, costWei: 1n }),
    acceptance: async () => 'ACCEPTED',
  }
  const price = priceFees({
    chains: { 8453: chain } as never,
    signer: { draft: async () => order } as never,
    relayers: { forRoute: () => ({ id: 'a', address: order.account }) } as never,
    seals,
    quoting: {
      aggregators: [],
      prices: { usd: async () => 10n ** 8n } as never,
      appraiser: believing,
      quoteTimeoutMs: 1,
      now: () => 0,
    },
    mayForgiveGas: async () => true,
    routeGas: unknownGas,
    now: () => 0,
  })
  const facts: Execution['facts'] = {
    intent: { ...intent, sponsoredGas: true, protocolFeeBps: 0 },
    routeId: order.routeId,
    route,
    policy: defaultPolicy,
    balance: { totalReceivedRaw: '1000', block: 1 },
  }
  const priced = await price({ ...detected, facts })
  return 'type' in priced ? BigInt(priced.facts!.gasLimit!) : 0n
}

test('an order above every node’s gas limit is refused, because it would block its key for all', async () => {
  expect(await limitOf(6_000_000n)).toBe(7_800_000n)
  expect(limitOf(14_000_000n)).rejects.toMatchObject({ code: 'SIMULATION_REVERTED' })
})
