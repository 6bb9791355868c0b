import type { ExecutionDetail } from '../client/api'
import { humanAmount } from './human-amount'

const places: Record<string, string> = {
  SENDER: 'with the sender',
  DEPOSIT_ACCOUNT: 'in the deposit account',
  PROVIDER: 'with the bridge',
  RECIPIENT: 'with the recipient',
}

/** Formats an amount in token units, or in atomic units if the token's decimals are unknown. */
export const amountText = (raw: string, decimals: number | null, symbol: string): string =>
  decimals === null ? `${raw} atomic units of ${symbol}` : `${humanAmount(BigInt(raw), decimals)} ${symbol}`

/** Describes where an execution's money is. */
export function fundsText({ funds, next }: Pick<ExecutionDetail, 'funds' | 'next'>): string {
  const { holder, address, chainKey, tokenSymbol, tokenDecimals, amount } = funds
  if (holder === 'NONE')
    return next.executionId ? `with execution ${next.executionId}` : 'nothing that belongs to this deposit'
  const place = `${places[holder] ?? holder} on ${chainKey}${address ? `, ${address}` : ''}`
  return `${amountText(amount, tokenDecimals, tokenSymbol)} ${place}`
}
