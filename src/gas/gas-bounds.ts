import { type ChainId, chainOf } from '../domain/chain/chain'
import { zeroAddress } from '../domain/chain/hex'
import { RoutingError } from '../domain/error'
import type { Execution } from '../domain/execution/execution'
import { isPayment } from '../domain/execution/route'
import { amountOf } from '../domain/money/amount'
import { gasFeeOf } from '../domain/money/fees'
import { isUnusual } from '../domain/money/gas'
import { isNative } from '../domain/money/token'
import { approvedOutMinOf } from '../domain/money/worth'
import { TemporarilyUnavailable, WorthUnknown } from '../domain/unavailable'
import type { Chains } from '../ports/chain-client'
import type { Prices } from '../ports/prices'
import type { RouteGas } from './route-gas'

type Ports = { chains: Chains; quoting: { prices: Pick<Prices, 'usd'> } }
type GasNote = Awaited<ReturnType<RouteGas['note']>>
/** `mint` is the gas spent on the destination chain if we mint there ourselves. */
type CheckedFee = { execution: Execution; feeRaw: bigint; noted: GasNote; mint?: GasNote | null }

/**
 * A gas fee above this share of a deposit is checked, in basis points. It can be correct, but a wrong price would look
 * the same.
 */
const heavyBps = 1_000n
const retryMs = 10_000
/**
 * Tolerance for the route paying out more than the deposit's value, in basis points. Two prices are never from the same
 * second.
 */
const underpricedBps = 500n

/**
 * Makes an execution wait if its gas fee is large and rests on an implausible figure. One such figure is gas at more
 * than three times its recent price on that chain, as all processes saw it. The other is a token price that values the
 * route's output above its input. The fee is neither capped nor waived: the price is fetched again, and a lasting price
 * becomes the usual one.
 *
 * @throws {TemporarilyUnavailable} while gas costs more than usual.
 * @throws {WorthUnknown} if a price cannot be right.
 */
export function gasBounds({ chains, quoting }: Ports): (checked: CheckedFee) => Promise<void> {
  async function isUnderpriced({ deposit, facts }: Execution): Promise<boolean> {
    const { targetChainId, targetTokenAddress } = facts.intent!
    const { kind, amountIn, amountOutExpected } = facts.route!
    if (isPayment(kind)) return false
    const [usdIn, usdOut, decimalsOut] = await Promise.all([
      quoting.prices.usd(deposit.chainId, deposit.token),
      quoting.prices.usd(targetChainId, targetTokenAddress).catch(() => null),
      isNative(targetTokenAddress) ? 18 : decimalsOf(chains, targetChainId, targetTokenAddress),
    ])
    if (usdOut === null || decimalsOut === null) return false
    const valueIn = amountOf(amountIn) * usdIn * 10n ** BigInt(decimalsOut)
    const valueOut = amountOf(amountOutExpected) * usdOut * 10n ** BigInt(deposit.decimals!)
    return valueOut * 10_000n > valueIn * (10_000n + underpricedBps)
  }

  function assureUsual({ measured, book }: GasNote, chainId: ChainId): void {
    const cause = new Error(`Gas of ${measured.costWei} wei is unusual`)
    if (isUnusual(book, measured))
      throw new TemporarilyUnavailable(`gas of ${chainOf(chainId).name}`, retryMs, 'NODE', { cause })
  }

  return async ({ execution, feeRaw, noted, mint }) => {
    const received = amountOf(execution.facts.balance!.totalReceivedRaw)
    const isHeavy = feeRaw * 10_000n > received * heavyBps
    if (!isHeavy) return
    assureUsual(noted, execution.deposit.chainId)
    if (mint) assureUsual(mint, execution.facts.intent!.targetChainId)
    // An operator approved the output after fees, so the size of the fee does not matter.
    if (approvedOutMinOf(execution.facts) === null && (await isUnderpriced(execution)))
      throw new WorthUnknown('By current prices, the route pays out more than it takes in')
  }
}

const decimalsOf = async (chains: Chains, chainId: ChainId, token: Parameters<typeof isNative>[0]) =>
  (await chains[chainId].tokenMetadata(token).catch(() => null))?.decimals ?? null

/** Prices contradict each other, which is no reason for free gas: one source is wrong, and it is unclear which. */
export class PricesDiffer extends WorthUnknown {}

/** Prices whose absence makes a deposit wait. */
export const awaited = (prices: Pick<Prices, 'usd'>): Pick<Prices, 'usd'> => ({
  usd: (chainId, token) =>
    prices.usd(chainId, token).catch((error) => {
      if (!(error instanceof RoutingError)) throw error
      if (error.code === 'PROVIDER_MALFORMED')
        throw new PricesDiffer('Prices contradict each other, so the value of its gas is unknown')
      throw new WorthUnknown('No price is available, so the value of its gas is unknown')
    }),
})

/** Returns the gas fee of a cost, in atomic units of the deposited token. */
export async function inToken(
  { chainId, token, decimals }: Execution['deposit'],
  costWei: bigint,
  { prices }: { prices: Pick<Prices, 'usd'> },
): Promise<bigint> {
  const [nativeUsd, tokenUsd] = await Promise.all([prices.usd(chainId, zeroAddress), prices.usd(chainId, token)])
  return gasFeeOf({ costWei, nativeUsd, tokenUsd, tokenDecimals: decimals! })
}
