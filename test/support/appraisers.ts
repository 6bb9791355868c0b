import { appraiser } from '../../src/adapters/prices/appraiser'
import type { ChainId } from '../../src/domain/chain/chain'
import type { Address } from '../../src/domain/chain/hex'
import { isNative } from '../../src/domain/money/token'
import type { PriceOpinion } from '../../src/domain/money/worth'
import type { Appraiser } from '../../src/ports/prices'

/** Everything is worth it, and what gas eats is eaten, for tests that are about something else. */
export const believing: Appraiser = {
  judge: async () => 'ENOUGH',
  mostUsd: async () => null,
  isNoMore: async () => true,
}

export type Says = (chainId: ChainId, token: Address) => readonly PriceOpinion[]

/** The product's own, on what is said of tokens of six decimals that nobody knows by heart. */
export const appraising = (says: Says, decimals: number | null = 6): Appraiser =>
  appraiser(
    {
      said: async (chainId, token) => says(chainId, token),
      usd: async () => {
        throw new Error('One price is not asked for')
      },
    },
    async (_chainId, token) => (isNative(token) ? 18 : decimals),
  )
