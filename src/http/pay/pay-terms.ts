import { formatUnits } from 'viem'
import { chainOf } from '../../domain/chain/chain'
import type { DepositIntent } from '../../domain/deposit/deposit-intent'
import { roughly } from '../../domain/money/amount'
import { splitDeposit } from '../../domain/money/fees'
import { isNative, type TokenList } from '../../domain/money/token'
import { type AcceptedView, listedOnlyNotice, nativeGasNotice, noIntentNotice } from '../views/deposit-address'
import type { Estimate } from './estimate'
import type { Term } from './pay-html'

export type Accepted = typeof AcceptedView.infer
const timeOf = (at: number): string => new Date(at).toISOString().slice(11, 16)
export const labelOf = ({ fromTokenSymbol, fromChainId }: Accepted): string =>
  `${fromTokenSymbol} on ${chainOf(fromChainId).name}`

export const isBelow = ({ minimumAmountIn }: Accepted, raw: bigint): boolean =>
  minimumAmountIn !== null && raw < BigInt(minimumAmountIn)

/** The amount that would be sent, if one was entered, and what it would cost and deliver. */
type PaidAmount = { raw: bigint; estimate: Estimate }
const unsure = { PENDING: 'being estimated', UNKNOWN: 'currently unknown', REFUSED: 'nothing' } as const

export function termsOf(
  chosen: Accepted,
  intent: DepositIntent | null,
  sent: PaidAmount | null,
  target: Target | null,
): Term[] {
  const { fromTokenDecimals, fromTokenSymbol, minimumAmountIn, expectedSeconds } = chosen
  const much = (amount: bigint): string => `${formatUnits(amount, fromTokenDecimals)} ${fromTokenSymbol}`
  const terms: Term[] = [
    ['Smallest amount now', minimumAmountIn === null ? 'currently unknown' : much(BigInt(minimumAmountIn))],
  ]
  if (intent) {
    const { protocolFeeBps, sponsoredGas } = intent
    const share = `${formatUnits(BigInt(protocolFeeBps), 2)} %`
    const fee = sent && splitDeposit({ totalReceivedRaw: sent.raw, protocolFeeBps, gasFeeRaw: 0n }).protocolFeeRaw
    terms.push(['Fee', fee ? `${share} (${much(fee)})` : share])
    terms.push(['Network costs', sponsoredGas ? 'none' : gasText(sent, much)])
    if (sent) terms.push(['You receive', receivedText(sent.estimate, target)])
  }
  if (expectedSeconds) terms.push(['Usually takes', `${Math.ceil(expectedSeconds.typical / 60)} min`])
  return terms
}

function gasText(sent: PaidAmount | null, much: (amount: bigint) => string): string {
  if (!sent || sent.estimate.kind === 'REFUSED') return 'deducted from your payment'
  const { estimate } = sent
  if (estimate.kind !== 'PRICED') return `${unsure[estimate.kind]}, deducted from your payment`
  return `about ${much(roughly(estimate.gasFeeRaw))} at ${timeOf(estimate.at)} UTC, deducted from your payment`
}

/** The token that the recipient gets. Without its decimals no amount of it can be shown. */
type Target = { symbol: string; decimals: number | null; chain: string }
function receivedText(estimate: Estimate, target: Target | null): string {
  if (estimate.kind !== 'PRICED') return unsure[estimate.kind]
  if (!target || target.decimals === null) return unsure.UNKNOWN
  const amount = formatUnits(roughly(estimate.amountOutRaw, receivedDigits), target.decimals)
  return `about ${amount} ${target.symbol} on ${target.chain}`
}
const receivedDigits = 5

export function noticesOf(chosen: Accepted, amount: string, raw: bigint | null): string[] {
  const { fromTokenDecimals } = chosen
  const isTooSmall = raw !== null && isBelow(chosen, raw)
  return [
    ...(amount !== '' && raw === null
      ? [`The amount must be a number with at most ${fromTokenDecimals} decimals, such as 1500 or 1.5.`]
      : []),
    ...(amount === '' ? ['Enter an amount to see what is deducted and what you receive.'] : []),
    ...(isTooSmall ? ['This is less than the smallest amount now: it would stay at this address.'] : []),
  ]
}

/**
 * Whether the page shows a notice. It has its own text for the destination and the networks, and the gas notice matters
 * only to a sender of native coin.
 */
export const isNoticeVisible = (notice: string, chosen: Accepted | undefined): boolean =>
  notice !== noIntentNotice &&
  notice !== listedOnlyNotice &&
  (notice !== nativeGasNotice || (chosen !== undefined && isNative(chosen.fromTokenAddress)))

/** Returns why the requested token or amount should not be sent. */
export function warningsOf(chosen: Accepted | undefined, sent: PaidAmount | null): string[] {
  if (!chosen) return ['Your choice is not accepted: choose one from the list, and send nothing else.']
  const { acceptsDeposits, message } = chosen
  if (acceptsDeposits && sent?.estimate.kind === 'REFUSED') return [`This amount cannot be delivered now. ${instead}`]
  return acceptsDeposits ? [] : [`${labelOf(chosen)}: ${message ?? 'this is not delivered at the moment.'} ${instead}`]
}

const instead = 'Do not send it now: wait, or choose another.'

export const targetOf = (
  { targetChainId, targetTokenAddress }: DepositIntent,
  symbol: string | null,
  tokens: TokenList,
): Target | null =>
  symbol === null
    ? null
    : {
        symbol,
        decimals: tokens.find(targetChainId, targetTokenAddress)?.decimals ?? null,
        chain: chainOf(targetChainId).name,
      }
