import { amount, chainName } from '../../data/format'
import type { ExecutionDetail } from '../../data/types'

type Titled = Pick<
  ExecutionDetail,
  | 'id'
  | 'userId'
  | 'amountIn'
  | 'fromTokenDecimals'
  | 'fromTokenSymbol'
  | 'fromChainKey'
  | 'toTokenSymbol'
  | 'toChainKey'
  | 'funds'
>

/** The title of an execution: `25 USDC · Base → 23.86 USDC · Arbitrum · zoe`, and which re-drive it is. */
export function titleOf({
  id,
  userId,
  fromTokenDecimals,
  fromTokenSymbol,
  toTokenSymbol,
  funds,
  ...rest
}: Titled): string {
  const put = `${amount(rest.amountIn, fromTokenDecimals, 4)} ${fromTokenSymbol} · ${chainName(rest.fromChainKey)}`
  const [out, where] =
    funds.holder === 'RECIPIENT'
      ? [`${amount(funds.amount, funds.tokenDecimals, 4)} ${funds.tokenSymbol}`, funds.chainKey]
      : [toTokenSymbol, rest.toChainKey]
  const redrive = /:r(\d+)$/.exec(id)?.[1]
  const whose = redrive ? `${userId} · re-drive ${redrive}` : userId
  return where ? `${put} → ${out} · ${chainName(where)} · ${whose}` : `${put} · ${whose}`
}
