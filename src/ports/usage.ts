import type { ChainId } from '../domain/chain/chain'
import type { Address } from '../domain/chain/hex'
import type { Status } from '../domain/execution/status'

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
  /** What was taken out of the days' budgets for sponsored gas. */
  sponsoredMicroUsd: bigint
  /** From the first sight to SUCCESS, of those that succeeded. */
  secondsToSuccess: number
}

/** Deposits that were first seen on a day, by the key whose intent they follow. */
export type DepositCount = { date: string; apiKeyId: string | null; count: number }

/** USD with 8 decimals for a whole token, and its decimals; null when nobody can say. */
export type WorthOf = (chainId: ChainId, token: Address) => Promise<{ usd: bigint; decimals: number } | null>

export interface UsageQueries {
  /** Days inclusive; null: every organization's. */
  rows(organizationId: string | null, from: string, to: string, apiKeyId?: string): Promise<UsageRow[]>
  /** A deposit counts once, whatever became of it and however often. */
  deposits(organizationId: string | null, from: string, to: string, apiKeyId?: string): Promise<DepositCount[]>
}
