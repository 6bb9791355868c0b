import type { ExecutionDetail } from '../client/api'
import { humanAmount } from './human-amount'

const places: Record<string, string> = {
  SENDER: 'with the sender',
  DEPOSIT_ACCOUNT: 'in the deposit account',
  PROVIDER: 'with the bridge',
  RECIPIENT: 'with the recipient',
}

/** An amount as people write it, or as it is where nobody knows the token's decimals. */
export const amountText = (raw: string, decimals: number | null, symbol: string): string =>
  decimals === null ? `${raw} atomic units of ${symbol}` : `${humanAmount(BigInt(raw), decimals)} ${symbol}`

/** Where the money of an execution is, in words. */
export function fundsText({ funds, next }: Pick<ExecutionDetail, 'funds' | 'next'>): string {
  const { holder, address, chainKey, tokenSymbol, tokenDecimals, amount } = funds
  if (holder === 'NONE')
    return next.executionId ? `with execution ${next.executionId}` : 'nothing that belongs to this deposit'
  const place = `${places[holder] ?? holder} on ${chainKey}${address ? `, ${address}` : ''}`
  return `${amountText(amount, tokenDecimals, tokenSymbol)} ${place}`
}
