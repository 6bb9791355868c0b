import { type ChainId, chainOf } from '../domain/chain/chain'
import { zeroAddress } from '../domain/chain/hex'
import type { Fee } from '../domain/chain/relayer'
import type { Signable } from '../domain/execution/execution'
import { mintGasOf } from '../domain/execution/provider'
import { isPayment } from '../domain/execution/route'
import { amountOf } from '../domain/money/amount'
import { approvedOutMinOf, gasFeeExchange, nativeFeeExchange, type Offer, withApproval } from '../domain/money/worth'
import { WorthUnknown } from '../domain/unavailable'
import type { Appraiser } from '../ports/prices'
import type { Terms } from '../protocols/executor/signed-order'

export type WorthPorts = {
  /** An appraiser with the signer's own prices. */
  appraiser: Appraiser
  /** The current gas price of a chain. */
  fee: (chainId: ChainId) => Promise<Fee>
}

/**
 * Largest allowed ratio of a gas fee to the cost of the gas limit at today's price. The fee has a buffer, and prices
 * move.
 */
const gasTimes = 3n
/**
 * The most gas that a fee may be charged for, before that factor. The gas limit alone is no bound: the worker states
 * it, and a transaction need not use it.
 */
const chargedGasMax = { REFUND: 400_000n, DIRECT: 400_000n, SWAP: 2_000_000n, BRIDGE: 2_000_000n } as const
/** The largest data fee of a rollup for an order, which the gas limit does not include. */
const rollupFeeMaxWei = 10n ** 15n

/**
 * Throws unless the guaranteed output is worth the required share of the input, and the fees for gas and for the bridge
 * are no higher than their cost. It applies the rules of the earlier step to new prices. An order of too little value
 * is not signed. Its execution continues: the next attempt requests new quotes from all providers.
 *
 * @throws {WorthUnknown} naming the amount that is too small or cannot be judged.
 */
export async function assureWorth(
  { facts, deposit }: Signable,
  { protocolFee, ...terms }: Terms,
  { gasLimit, shareBps }: { gasLimit: bigint; shareBps: number },
  { appraiser, fee }: WorthPorts,
): Promise<void> {
  const [amountIn, gasFee, nativeFee] = [terms.amountIn, terms.gasFee, terms.nativeFee].map(amountOf) as Three
  const amount = amountIn - amountOf(protocolFee) - gasFee
  const { toChainId, tokenOut, minOut } = terms.intent
  const provider = facts.route!.provider
  const side = { chainId: deposit.chainId, token: terms.token }
  const approved = approvedOutMinOf(facts)
  const isApproved = approved !== null && amountOf(minOut) >= approved

  const judgeOutput = async () => {
    if (isPayment(terms.kind)) return 'ENOUGH' // the terms require that the same token is paid in full
    const verdict = await appraiser.judge({
      fromChainId: deposit.chainId,
      fromToken: terms.token,
      amountIn: amount,
      shareBps,
      toChainId: toChainId as ChainId,
      toToken: tokenOut,
      amountOut: amountOf(minOut),
      quotedBy: provider,
    })
    const offer = {
      provider,
      amountOutMin: amountOf(minOut),
      amountOutExpected: amountOf(facts.route!.amountOutExpected),
    }
    const approvedOutMin = isApproved ? amountOf(minOut) : null
    return withApproval(verdict, offer, { others: othersOf(facts.candidates, offer), shareBps, approvedOutMin })
  }
  const judgeGas = async () => {
    if (gasFee === 0n) return 'ENOUGH'
    const { feeCap } = await fee(deposit.chainId)
    const dataFee = chainOf(deposit.chainId).l1DataFee === null ? 0n : rollupFeeMaxWei
    const mintWei = await mintCostMaxWei(deposit.chainId, toChainId as ChainId, provider, { appraiser, fee })
    const { isDataInGas } = chainOf(deposit.chainId)
    const most = chargedGasMax[terms.kind]
    const gas = isDataInGas || gasLimit < most ? gasLimit : most
    const costMaxWei = gasTimes * (feeCap * gas + nativeFee + mintWei) + dataFee
    return appraiser.judge(gasFeeExchange(side, gasFee, costMaxWei))
  }
  const judgeNativeFee = async () =>
    nativeFee === 0n ? 'ENOUGH' : appraiser.judge(nativeFeeExchange(side, amount, nativeFee, provider))

  const [output, gas, onTop] = await Promise.all([judgeOutput(), judgeGas(), judgeNativeFee()])
  if (output !== 'ENOUGH') throw new WorthUnknown(`The guaranteed output is ${output} by the signer’s prices`)
  // A fee that cannot be judged passes if it is within the share that the policy grants a route.
  const isLittle = gasFee * 10_000n <= amountIn * BigInt(10_000 - shareBps)
  if (gas === 'POOR' || (gas !== 'ENOUGH' && !isLittle && !isApproved))
    throw new WorthUnknown(`A gas fee of ${gasFee} of ${amountIn} is ${gas} by the signer’s prices`)
  if (onTop === 'POOR' || (onTop !== 'ENOUGH' && !isApproved))
    throw new WorthUnknown(`A native fee of ${nativeFee} wei is ${onTop} by the signer’s prices`)
}

/**
 * Returns the highest cost of minting a route's burn on the destination chain, in wei of the source chain. 0 if the
 * provider delivers, and while no two sources agree on a price of the two coins.
 */
async function mintCostMaxWei(
  chainId: ChainId,
  toChainId: ChainId,
  provider: string,
  { appraiser, fee }: WorthPorts,
): Promise<bigint> {
  const gas = mintGasOf(provider)
  if (gas === 0n) return 0n
  const { feeCap } = await fee(toChainId)
  const [usdThere, usdOfOne] = await Promise.all([
    appraiser.mostUsd(toChainId, zeroAddress, feeCap * gas),
    appraiser.mostUsd(chainId, zeroAddress, 10n ** 18n),
  ])
  return usdThere === null || !usdOfOne ? 0n : (usdThere * 10n ** 18n) / usdOfOne
}

type Three = [bigint, bigint, bigint]

/** The other offers of the same round; empty if this offer was not among them. */
function othersOf(candidates: Signable['facts']['candidates'] = [], own: Offer): Offer[] {
  const offers = candidates.flatMap(({ provider, amountOutMin, amountOutExpected }) =>
    amountOutMin === null || amountOutExpected === null
      ? []
      : [{ provider, amountOutMin: amountOf(amountOutMin), amountOutExpected: amountOf(amountOutExpected) }],
  )
  return offers.some((each) => each.provider === own.provider && each.amountOutMin === own.amountOutMin) ? offers : []
}
