import { formatUnits } from 'viem'
import { chainOf } from '../../domain/chain/chain'
import { isTerminal } from '../../domain/execution/status'
import type { DepositRecord } from '../../ports/queries'
import { type DepositView, depositView, type ViewContext } from '../views/deposit'

/** A deposit as shown to its payer. The text uses no technical terms and shows nothing but that payer's deposit. */
export type PayerText = { tone: 'busy' | 'ok' | 'bad'; head: string; text: string; what: string }

const shown = (raw: string, decimals: number | null): string =>
  decimals === null ? `${raw} units of` : formatUnits(BigInt(raw), decimals)

/** @param name The organization to contact if something is wrong. */
export function payerTextOf(found: DepositRecord, context: ViewContext, name: string): PayerText {
  const view = depositView(found, context)
  const chain = chainOf(view.fromChainId).name
  const what = `${shown(view.amountIn, view.fromTokenDecimals)} ${view.fromTokenSymbol} on ${chain}`
  return { ...stateOf(found, view, name), what }
}

function stateOf({ newest }: DepositRecord, view: DepositView, name: string): Omit<PayerText, 'what'> {
  const { stage, funds, next, confirmations, confirmationsRequired } = view
  if (stage === 'ORPHANED' && next.action === 'FOLLOW')
    return { tone: 'busy', head: 'Moved', text: 'The network moved it to another block; it is shown there as well.' }
  if (stage === 'ORPHANED')
    return {
      tone: 'bad',
      head: 'Reversed by the network',
      text: `Do not send again yet: the network might still include it. Ask ${name} if this does not change.`,
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
    return { tone: 'bad', head: 'Stopped', text: `It was not delivered. Ask ${name}, who can see what happened.` }
  if (next.actor === 'SERVICE' || next.actor === 'PROVIDER')
    return {
      tone: 'busy',
      head: 'On its way',
      text: funds.refund ? 'It is being refunded.' : 'It is confirmed and is being delivered.',
    }
  return { tone: 'busy', head: 'Waiting', text: `The money is safe. It continues when ${name} or the service can act.` }
}
