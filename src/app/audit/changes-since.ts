import { type Coin, collectorCoinFaults, relayerCoinFaults } from '../../audit/coin'
import type { Fault } from '../../audit/invariants'
import type { Unexplained } from '../../audit/report'
import { type ChainId, chainKeyOf } from '../../domain/chain/chain'
import type { Address, Hash } from '../../domain/chain/hex'
import { usualOrder } from '../../domain/chain/relayer'
import { isNative } from '../../domain/money/token'
import type { AccountHistory, RouteFact } from '../../ports/audit'
import type { ChainClient } from '../../ports/chain-client'
import type { AuditedChain, ChainAt } from './chain-at'

export type WatchedChain = {
  client: AuditedChain['client'] & Pick<ChainClient, 'fee' | 'isDeployed' | 'isDelegated'>
  history: AccountHistory
}

/** What an earlier round read of a chain. */
export type Earlier = Pick<ChainAt, 'block' | 'held' | 'coins'>

type Since = {
  /** Accounts whose money an executor moved, or whose balance changed, in lower case. */
  changed: Set<string>
  /** Native coin of relayers and of the collector that is not explained. */
  unexplained: Unexplained[]
}

/** A transaction without a route may cost as much as a usual order when fees are ten times as high. */
const otherFactor = 10n

/** Compares a chain with what an earlier round read there. */
export async function changesSince(
  at: ChainAt & { chainId: ChainId },
  earlier: Earlier,
  { client, history }: WatchedChain,
  collector: Address,
): Promise<Since> {
  const { routes, recovered } = await history.executed(earlier.block + 1, at.block)
  const unexplained: Unexplained[] = []
  for (const [address, after] of at.coins) {
    const before = earlier.coins.get(address)
    if (!before) continue
    const isCollector = address === collector.toLowerCase()
    const coins = { before, after, routes }
    const faults = isCollector
      ? await collectorFaults(address as Address, coins, client)
      : await relayerFaults(address as Address, coins, { client, history })
    const kind = isCollector ? 'COLLECTOR' : 'RELAYER'
    const about = { kind, chain: chainKeyOf(at.chainId), address: address as Address, token: null } as const
    if (faults.length > 0) unexplained.push({ ...about, faults, history: [] })
  }
  const moved = [...routes.map(({ account }) => account), ...recovered].map((account) => account.toLowerCase())
  return { changed: new Set([...moved, ...differing(earlier.held, at.held)]), unexplained }
}

/** Returns the accounts of the balances that differ. */
const differing = (one: ReadonlyMap<string, bigint>, other: ReadonlyMap<string, bigint>): string[] =>
  [...new Set([...one.keys(), ...other.keys()])]
    .filter((key) => one.get(key) !== other.get(key))
    .map((key) => key.slice(0, key.indexOf(':')))

type Coins = { before: Coin; after: Coin; routes: readonly RouteFact[] }

async function relayerFaults(
  address: Address,
  { before, after, routes }: Coins,
  { client, history }: WatchedChain,
): Promise<Fault[]> {
  if (before.nonces === after.nonces && before.balanceRaw <= after.balanceRaw) return []
  const own = routes.filter(({ relayer }) => relayer.toLowerCase() === address)
  const hashes = new Set<Hash>(own.map(({ txHash }) => txHash))
  let costRaw = own.reduce((sum, { nativeFeeRaw }) => sum + nativeFeeRaw, 0n)
  for (const hash of hashes) costRaw += await history.gasOf(hash)
  const otherMostRaw = otherFactor * BigInt(usualOrder.gasLimit) * (await client.fee()).feeCap
  return relayerCoinFaults({ before, after, transactions: hashes.size, costRaw, otherMostRaw })
}

/** Code at the collector's address may pay out at any time, and leaves no log of native coin. */
async function collectorFaults(
  address: Address,
  { before, after, routes }: Coins,
  client: WatchedChain['client'],
): Promise<Fault[]> {
  const own = routes.filter(({ collector, token }) => collector.toLowerCase() === address && isNative(token))
  const feesRaw = own.reduce((sum, { protocolFeeRaw, gasFeeRaw }) => sum + protocolFeeRaw + gasFeeRaw, 0n)
  const faults = collectorCoinFaults({ before, after, feesRaw })
  const mayPayOut = faults.length > 0 && ((await client.isDeployed(address)) || (await client.isDelegated(address)))
  return mayPayOut ? [] : faults
}
