import { formatUnits } from 'viem'
import { sentenceTime } from '../../domain/calendar'
import { chainOf } from '../../domain/chain/chain'
import { isTerminal } from '../../domain/execution/status'
import type { DepositRecord } from '../../ports/queries'
import { type DepositView, depositView, type ViewContext } from '../views/deposit'

/** A deposit as shown to its payer. The text uses no technical terms and shows nothing but that payer's deposit. */
export type PayerText = { tone: 'busy' | 'ok' | 'bad'; head: string; text: string; what: string }

const shown = (raw: string, decimals: number | null): string =>
  decimals === null ? `${raw} units of` : formatUnits(BigInt(raw), decimals)

/** The transaction that brought the money to its recipient, with its page in the chain's explorer. */
function deliveryOf({ newest }: DepositRecord): { hash: string; url: string } | null {
  const delivery = newest?.status === 'SUCCESS' ? newest.facts.delivery : undefined
  if (!delivery?.hash) return null
  return { hash: delivery.hash, url: `${chainOf(delivery.chainId).explorerUrl}/tx/${delivery.hash}` }
}

/** One deposit for its payer, with its time and its delivery's transaction. */
export type PayerAnswer = PayerText & { seenAt: string; delivery: ReturnType<typeof deliveryOf> }
export const payerAnswerOf = (
  depositRecord: DepositRecord,
  context: ViewContext,
  name: string | null,
): PayerAnswer => ({
  ...payerTextOf(depositRecord, context, name),
  seenAt: sentenceTime(depositRecord.detectedAt),
  delivery: deliveryOf(depositRecord),
})

/** Returns the same as a sentence for a message to the payer. */
export const sentenceOf = ({ what, seenAt, head, text, delivery }: PayerAnswer): string =>
  [`Your deposit of ${what}, ${seenAt}: ${head}.`, text, delivery && `Transaction: ${delivery.url}`]
    .filter(Boolean)
    .join(' ')

/** For a text in the organization's own words, which names no contact. */
const ours = 'We are looking into it.'

/** @param name The organization to contact if something is wrong; null if the organization itself sends the text. */
export function payerTextOf(depositRecord: DepositRecord, context: ViewContext, name: string | null): PayerText {
  const view = depositView(depositRecord, context)
  const chain = chainOf(view.fromChainId).name
  const what = `${shown(view.amountIn, view.fromTokenDecimals)} ${view.fromTokenSymbol} on ${chain}`
  return { ...stateOf(depositRecord, view, name), what }
}

function stateOf({ newest }: DepositRecord, view: DepositView, name: string | null): Omit<PayerText, 'what'> {
  const { stage, funds, next, confirmations, confirmationsRequired } = view
  if (stage === 'ORPHANED' && next.action === 'FOLLOW')
    return { tone: 'busy', head: 'Moved', text: 'The network moved it to another block; it is shown there as well.' }
  if (stage === 'ORPHANED')
    return {
      tone: 'bad',
      head: 'Reversed by the network',
      text: `Do not send again yet: the network might still include it.${name === null ? '' : ` Ask ${name} if this does not change.`}`,
    }
  if (newest === null)
    return {
      tone: 'busy',
      head: 'Seen',
      text: `It has ${confirmations} of ${confirmationsRequired} confirmations.`,
    }
  if (newest.status === 'SUCCESS') {
    const where = chainOf(funds.chainId).name
    const amount = `${shown(funds.amount, funds.tokenDecimals)} ${funds.tokenSymbol}`
    if (funds.refund)
      return { tone: 'bad', head: 'Refunded', text: `It was not delivered. ${amount} was refunded on ${where}.` }
    return { tone: 'ok', head: 'Delivered', text: `${amount} arrived on ${where}.` }
  }
  if (next.action === 'FOLLOW')
    return { tone: 'busy', head: 'On its way', text: 'It continues together with another deposit.' }
  if (newest.status !== null && isTerminal(newest.status))
    return {
      tone: 'bad',
      head: 'Stopped',
      text: `It was not delivered. ${name === null ? ours : `Ask ${name}, who can see what happened.`}`,
    }
  if (next.actor === 'SERVICE' || next.actor === 'PROVIDER')
    return {
      tone: 'busy',
      head: 'On its way',
      text: funds.refund ? 'It is being refunded.' : 'It is confirmed and is being delivered.',
    }
  const text = `The money is safe. ${name === null ? ours : `It continues when ${name} or the service can act.`}`
  return { tone: 'busy', head: 'Waiting', text }
}
