import { zeroAddress } from '../../domain/chain/hex'
import { RoutingError } from '../../domain/error'
import type { Execution } from '../../domain/execution/execution'
import { gasFeeOf } from '../../domain/money/fees'
import { WorthUnknown } from '../../domain/unavailable'
import type { Prices } from '../../ports/prices'
import type { QuotePorts } from './quotes'

/** Prices contradict each other, which is no reason for free gas: one source is wrong, and it is unclear which. */
export class PricesDiffer extends WorthUnknown {}

/** Prices whose absence makes a deposit wait. */
export const awaited = (prices: Pick<Prices, 'usd'>): Pick<Prices, 'usd'> => ({
  usd: (chainId, token) =>
    prices.usd(chainId, token).catch((error) => {
      if (!(error instanceof RoutingError)) throw error
      if (error.code === 'PROVIDER_MALFORMED')
        throw new PricesDiffer('Prices contradict each other, so the value of its gas is unknown')
      throw new WorthUnknown('No price is available, so the value of its gas is unknown')
    }),
})

/** Returns the gas fee of a cost, in atomic units of the deposited token. */
export async function inToken(
  { chainId, token, decimals }: Execution['deposit'],
  costWei: bigint,
  { prices }: QuotePorts,
): Promise<bigint> {
  const [nativeUsd, tokenUsd] = await Promise.all([prices.usd(chainId, zeroAddress), prices.usd(chainId, token)])
  return gasFeeOf({ costWei, nativeUsd, tokenUsd, tokenDecimals: decimals! })
}
