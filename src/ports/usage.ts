import type { ChainId } from '../domain/chain'
import type { Address } from '../domain/hex'
import type { Status } from '../domain/status'

/** Executions of one day, key, pair of chains, token and status. Amounts are sums in atomic units. */
export type UsageRow = {
  /** UTC: `2026-11-21`. */
  date: string
  apiKeyId: string | null
  fromChainId: ChainId
  toChainId: ChainId | null
  token: Address
  status: Status
  count: number
  amountInRaw: bigint
  protocolFeeRaw: bigint
  protocolFeeForgivenRaw: bigint
  gasFeeRaw: bigint
  /** From the first sight to SUCCESS, of those that succeeded. */
  secondsToSuccess: number
}

export interface UsageQueries {
  /** Days inclusive; null: every organization's. */
  rows(organizationId: string | null, from: string, to: string, apiKeyId?: string): Promise<UsageRow[]>
}
