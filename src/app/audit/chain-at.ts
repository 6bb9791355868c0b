import type { Coin } from '../../audit/coin'
import type { ChainId } from '../../domain/chain/chain'
import { type Address, zeroAddress } from '../../domain/chain/hex'
import { inParts } from '../../domain/concurrency'
import { RoutingError } from '../../domain/error'
import type { TokenList } from '../../domain/money/token'
import type { AccountHistory, AuditQueries } from '../../ports/audit'
import type { ChainClient } from '../../ports/chain-client'

export type AuditedChain = {
  client: Pick<ChainClient, 'confirmedNumber' | 'blockAt' | 'holdersOfEach' | 'balanceOf' | 'minedNonces'>
  history: Omit<AccountHistory, 'executed' | 'gasOf'>
}

/** One chain at its stated block. `reason` is set once it could not be read: nothing is stated about it then. */
export type ChainAt = AuditedChain & {
  chainId: ChainId
  fromBlock: number
  block: number
  hash: string
  recordedTo: { listed: number; others: number }
  /** Balances other than zero, by `account:token` in lower case. */
  held: Map<string, bigint>
  /** Balances of listed tokens that their contract did not return. */
  unread: Set<string>
  /** Relayers and the collector, by address in lower case. */
  coins: Map<string, Coin>
  reason: string | null
}

/** Why a chain is not audited: the code of the failure. */
export const reasonOf = (error: unknown): string => {
  if (error instanceof RoutingError) return error.code
  throw error
}

/**
 * Tolerance between the chain's clock and ours, in milliseconds. No account is paid before its creation, so the search
 * starts that much earlier.
 */
const clockMarginMs = 3_600_000
const accountsAtOnce = 5_000

export const balanceKey = (account: Address, token: Address): string => `${account}:${token}`.toLowerCase()

export type Fixed = {
  queries: Pick<AuditQueries, 'recordedTo'>
  tokens: TokenList
  addresses: readonly Address[]
  /** Whose native coin and transactions are read. */
  payers: readonly Address[]
  /** When the first account was created. */
  firstCreatedAt: number | null
  /** First blocks that were found earlier. They never change. */
  fromBlocks: Map<ChainId, number>
  /** Whether the day's budget for requests to the chain's nodes is spent. */
  isSpent: (chainId: ChainId) => boolean
}

/**
 * Fixes the block of a chain, and reads every balance at it: nodes keep the state of few blocks. The block is
 * confirmed, and the service had scanned it before anything else was read.
 */
export async function chainAt(chainId: ChainId, chain: AuditedChain, fixed: Fixed): Promise<ChainAt> {
  const { client } = chain
  const at: ChainAt = {
    ...chain,
    chainId,
    ...{ fromBlock: 0, block: -1, hash: '', recordedTo: { listed: -1, others: -1 } },
    held: new Map(),
    unread: new Set(),
    coins: new Map(),
    reason: null,
  }
  if (fixed.isSpent(chainId)) return { ...at, reason: 'NODE_BUDGET' }
  const { listed, others } = await fixed.queries.recordedTo(chainId)
  if (listed === null) return { ...at, reason: 'NOT_SCANNED' }
  try {
    const number = Math.min(await client.confirmedNumber(), listed)
    const block = await client.blockAt(number)
    if (!block) return { ...at, reason: 'RPC_FAILED' }
    const tokens = fixed.tokens.all.filter((token) => token.chainId === chainId).map(({ address }) => address)
    for (const part of inParts(fixed.addresses, accountsAtOnce))
      for (const [n, { holding, unread }] of (await client.holdersOfEach(tokens, part, number)).entries()) {
        for (const { account, balanceRaw } of holding) at.held.set(balanceKey(account, tokens[n]!), balanceRaw)
        for (const account of unread) at.unread.add(balanceKey(account, tokens[n]!))
      }
    for (const payer of fixed.payers) {
      const reads = [client.balanceOf(zeroAddress, payer, number), client.minedNonces(payer, number)] as const
      const [balanceRaw, nonces] = await Promise.all(reads)
      at.coins.set(payer.toLowerCase(), { balanceRaw, nonces })
    }
    const since = (fixed.firstCreatedAt ?? 0) - clockMarginMs
    const fromBlock = fixed.fromBlocks.get(chainId) ?? (await firstBlockSince(since, number, client))
    fixed.fromBlocks.set(chainId, fromBlock)
    return { ...at, block: number, hash: block.hash, fromBlock, recordedTo: { listed, others: others ?? listed } }
  } catch (error) {
    return { ...at, reason: reasonOf(error) }
  }
}

/** Returns the first block at or after a time, by halving. */
async function firstBlockSince(timeMs: number, to: number, client: Pick<ChainClient, 'blockAt'>): Promise<number> {
  let [low, high] = [0, to]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const block = await client.blockAt(middle)
    if (block && block.time * 1_000 < timeMs) low = middle + 1
    else high = middle
  }
  return low
}

/** Returns the balance of a lane at the stated block; null if it is not compared. */
export async function laneBalance(at: ChainAt, account: Address, token: Address, isListed: boolean, isRouted: boolean) {
  const key = balanceKey(account, token)
  if (isListed && !at.unread.has(key)) return at.held.get(key) ?? 0n
  return isRouted || token === zeroAddress ? at.client.balanceOf(token, account, at.block) : null
}
