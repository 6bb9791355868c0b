import { amount, chainName } from '../../data/format'
import type { ExecutionDetail } from '../../data/types'

type Titled = Pick<
  ExecutionDetail,
  | 'userId'
  | 'amountIn'
  | 'fromTokenDecimals'
  | 'fromTokenSymbol'
  | 'fromChainKey'
  | 'toTokenSymbol'
  | 'toChainKey'
  | 'funds'
>

/** The title of an execution: `25 USDC · Base → 23.86 USDC · Arbitrum · zoe`. */
export function titleOf({ userId, fromTokenDecimals, fromTokenSymbol, toTokenSymbol, funds, ...rest }: Titled): string {
  const put = `${amount(rest.amountIn, fromTokenDecimals, 4)} ${fromTokenSymbol} · ${chainName(rest.fromChainKey)}`
  const [out, where] =
    funds.holder === 'RECIPIENT'
      ? [`${amount(funds.amount, funds.tokenDecimals, 4)} ${funds.tokenSymbol}`, funds.chainKey]
      : [toTokenSymbol, rest.toChainKey]
  return where ? `${put} → ${out} · ${chainName(where)} · ${userId}` : `${put} · ${userId}`
}
