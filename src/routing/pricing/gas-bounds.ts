import type { ChainId } from '../../domain/chain/chain'
import { RoutingError } from '../../domain/error'
import type { Execution } from '../../domain/execution/execution'
import { amountOf } from '../../domain/money/amount'
import { isNative } from '../../domain/money/token'
import { approvedOutMinOf } from '../../domain/money/worth'
import type { Chains } from '../../ports/chain-client'
import { type Prices, WorthUnknown } from '../../ports/prices'

type Ports = { chains: Chains; quoting: { prices: Pick<Prices, 'usd'> } }
type Asked = { execution: Execution; costWei: bigint; feeRaw: bigint }

/**
 * A gas fee that takes more than this of a deposit is checked, in basis points. The rules allow it, but a wrong price
 * would have the same effect.
 */
const heavyBps = 1_000n
const recentMax = 9
const recentLeast = 5
const unusualTimes = 3n
/** How much more than the deposit the route may pay, in basis points, because prices are never of the same second. */
const underpricedBps = 500n

/**
 * Holds back a large gas fee that rests on something impossible: gas at more than three times its recent cost on that
 * chain, or a price of the token at which the route would pay more than it takes. Nothing is capped and nothing is
 * forgiven. It is asked for again, and a cost that lasts becomes usual.
 *
 * @throws {RoutingError} RPC_FAILED, which is retried.
 * @throws {WorthUnknown} when a price cannot be right.
 */
export function gasBounds({ chains, quoting }: Ports): (asked: Asked) => Promise<void> {
  const recent = new Map<ChainId, bigint[]>()

  function isUnusual(chainId: ChainId, costWei: bigint): boolean {
    const before = recent.get(chainId) ?? []
    recent.set(chainId, [...before, costWei].slice(-recentMax))
    return before.length >= recentLeast && costWei > unusualTimes * medianOf(before)
  }

  async function isUnderpriced({ deposit, facts }: Execution): Promise<boolean> {
    const { targetChainId, targetTokenAddress } = facts.intent!
    const { kind, amountIn, amountOutExpected } = facts.route!
    if (kind === 'DIRECT') return false
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

  return async ({ execution, costWei, feeRaw }) => {
    const received = amountOf(execution.facts.balance!.totalReceivedRaw)
    const isHeavy = feeRaw * 10_000n > received * heavyBps
    const unusual = isUnusual(execution.deposit.chainId, costWei)
    if (!isHeavy) return
    if (unusual) throw new RoutingError('RPC_FAILED', { cause: new Error(`Gas of ${costWei} wei is unusual`) })
    // An output that an operator approved arrives after the fee, whatever the fee is.
    if (approvedOutMinOf(execution.facts) === null && (await isUnderpriced(execution)))
      throw new WorthUnknown('The route pays more than the price says')
  }
}

const decimalsOf = async (chains: Chains, chainId: ChainId, token: Parameters<typeof isNative>[0]) =>
  (await chains[chainId].tokenMetadata(token).catch(() => null))?.decimals ?? null

function medianOf(costs: readonly bigint[]): bigint {
  const sorted = [...costs].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
  return sorted[sorted.length >> 1]!
}
