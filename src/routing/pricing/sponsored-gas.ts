import { zeroAddress } from '../../domain/chain/hex'
import type { Execution, Facts } from '../../domain/execution/execution'
import { amountOf } from '../../domain/money/amount'
import { gasFeeOf } from '../../domain/money/fees'
import type { Limits } from '../../ports/limits'
import type { Prices } from '../../ports/prices'
import { Resting } from '../../ports/unavailable'

type Ports = { quoting: { prices: Pick<Prices, 'usd'> }; limits: Pick<Limits, 'maySponsorGas'> }

const microUsd = { tokenUsd: 100_000_000n, tokenDecimals: 6 }
const lookMs = 60_000

/**
 * Takes what the gas is worth out of the organization's budget of the day; of what was taken for it before, at an
 * earlier price, the rest. A deposit without a budget waits: charged, its user would get less than the intent says,
 * and paid all the same, the platform more than it gives. Neither waits for ever: tomorrow there is a new budget, and
 * where the plan has none any more, an operator ends it and re-drives it by the intent as it is now.
 *
 * @throws {Resting} while there is no budget for it.
 */
export async function sponsoredOf(
  { id, organizationId, deposit, facts }: Execution,
  { quoting, limits }: Ports,
): Promise<Facts> {
  if (!facts.intent!.sponsoredGas) return {}
  const taken = amountOf(facts.sponsoredMicroUsd ?? '0')
  const worth = await worthOf()
  if (worth === null ? taken > 0n : worth <= taken) return {}
  if (!(await limits.maySponsorGas(organizationId, worth === null ? null : Number(worth - taken))))
    throw new Resting(`sponsored gas of ${id}`, lookMs, 'BUDGET')
  return worth === null ? {} : { sponsoredMicroUsd: String(worth) }

  /** Null where nobody knows a price, or where nothing was estimated. */
  async function worthOf(): Promise<bigint | null> {
    const nativeUsd = await quoting.prices.usd(deposit.chainId, zeroAddress).catch(() => null)
    if (nativeUsd === null || facts.gasCostWei === undefined) return null
    const costWei = amountOf(facts.gasCostWei) + amountOf(facts.route!.call?.nativeFee ?? '0')
    return gasFeeOf({ costWei, nativeUsd, ...microUsd })
  }
}
