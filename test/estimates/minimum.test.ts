import { expect, test } from 'bun:test'
import { type ChainId, perChain } from '../../src/domain/chain/chain'
import { zeroAddress } from '../../src/domain/chain/hex'
import type { Token, TokenList } from '../../src/domain/money/token'
import { routeEstimates } from '../../src/estimates/route-estimates'
import type { Chains } from '../../src/ports/chain-client'
import type { Prices } from '../../src/ports/prices'

const usd = 10n ** 8n
const tokenOf = (decimals: number) =>
  ({ chainId: 8453, address: `0x${'a'.repeat(40)}`, symbol: 'T', decimals }) as Token

/** The minimum amount of a token at 1 USD, for a gas cost in USD. The minimum is four times that cost. */
async function minimumOf(decimals: number, gasUsd: bigint) {
  const token = tokenOf(decimals)
  const weiPerGas = (gasUsd * 10n ** 18n) / 600_000n
  const figures = await routeEstimates({
    chains: perChain(() => ({ fee: async () => ({ feeCap: weiPerGas, tip: 0n }) })) as unknown as Chains,
    prices: { usd: async (_chain: ChainId, _address: string) => usd } as unknown as Prices,
    tokens: { all: [token, { ...token, address: zeroAddress }] } as unknown as TokenList,
    executionQueries: { list: async () => [] } as never,
    scanCursors: { load: async () => null },
    dustFloorUsd: usd,
    now: () => 0,
  })()
  return figures.minimumAmountIn(token, 42161, false)
}

test('the minimum amount covers four times the cost of gas', async () => {
  const least = (await minimumOf(6, 1n))!
  expect(least).toBeGreaterThan(3_900_000n)
  expect(least).toBeLessThan(6_000_000n)
})

test('a token has no minimum if no amount of it is worth its gas', async () => {
  expect(await minimumOf(76, 1n)).not.toBeNull()
  expect(await minimumOf(77, 20n)).toBeNull()
})
