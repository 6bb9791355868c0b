import type { ChainId } from '../domain/chain/chain'
import type { Address } from '../domain/chain/hex'
import type { Status } from '../domain/execution/status'
import type { LedgerRecord } from '../domain/money/ledger'

/** Executions of one day, key, pair of chains, token and status. Amounts are sums in atomic units. */
export type UsageRow = {
  /** A UTC day, such as `2026-11-21`. */
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
  /** The amount taken from the daily budgets for sponsored gas. */
  sponsoredMicroUsd: bigint
  /** Sum of the seconds from detection to SUCCESS, over the successful executions. */
  secondsToSuccess: number
}

/** Deposits that were first seen on a day, by the key whose intent they follow. */
export type DepositCount = { date: string; apiKeyId: string | null; count: number }

/** Returns the price of one whole token in USD with 8 decimals, and its decimals; null if unknown. */
export type WorthOf = (chainId: ChainId, token: Address) => Promise<{ usd: bigint; decimals: number } | null>

/** Reads whole histories for the ledger. */
export interface LedgerQueries {
  /**
   * Returns every execution of an organization whose deposit was detected before a time, in no order and each once,
   * whatever changes during the read. Nothing limits their number.
   */
  records(organizationId: string, before: number): AsyncIterable<LedgerRecord>
}

export interface UsageQueries {
  /** Both days are included. Null stands for every organization. */
  rows(organizationId: string | null, from: string, to: string, apiKeyId?: string): Promise<UsageRow[]>
  /** Counts deposits. Each counts once, whatever its outcome and however often it was routed. */
  deposits(organizationId: string | null, from: string, to: string, apiKeyId?: string): Promise<DepositCount[]>
}
