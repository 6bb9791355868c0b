import { appraiser } from '../../src/adapters/prices/appraiser'
import type { ChainId } from '../../src/domain/chain/chain'
import type { Address } from '../../src/domain/chain/hex'
import { isNative } from '../../src/domain/money/token'
import type { PriceOpinion } from '../../src/domain/money/worth'
import type { Appraiser } from '../../src/ports/prices'

/** Accepts every amount as worth routing. For tests of other subjects. */
export const believing: Appraiser = {
  judge: async () => 'ENOUGH',
  mostUsd: async () => null,
  isNoMore: async () => true,
}

/** Two sources that report the same price for every token. */
export const pricedAt = (usd: bigint) => ({
  usd: async () => usd,
  said: async () => ['one', 'two'].map((source) => ({ source, usd })),
})

export type OpinionsOf = (chainId: ChainId, token: Address) => readonly PriceOpinion[]

/** The product's appraiser, with the given prices. Tokens have six decimals unless `decimals` says otherwise. */
export const appraising = (opinionsOf: OpinionsOf, decimals: number | null = 6): Appraiser =>
  appraiser(
    {
      said: async (chainId, token) => opinionsOf(chainId, token),
      usd: async () => {
        throw new Error('One price is not asked for')
      },
    },
    async (_chainId, token) => (isNative(token) ? 18 : decimals),
  )
