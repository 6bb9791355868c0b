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
 * Takes the worth of the gas out of the organization's budget for the day, less what was taken before at an earlier
 * price. A deposit waits while there is no budget: charging the gas would give its user less than the intent says, and
 * paying it all the same would cost the platform more than it grants. It never waits for ever. Tomorrow has a new
 * budget, and if the plan has none any more, an operator can end the execution and re-drive it by the present intent.
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

  /** Null when no price is known, or when nothing was estimated. */
  async function worthOf(): Promise<bigint | null> {
    const nativeUsd = await quoting.prices.usd(deposit.chainId, zeroAddress).catch(() => null)
    if (nativeUsd === null || facts.gasCostWei === undefined) return null
    const costWei = amountOf(facts.gasCostWei) + amountOf(facts.route!.call?.nativeFee ?? '0')
    return gasFeeOf({ costWei, nativeUsd, ...microUsd })
  }
}
