import { formatUnits } from 'viem'
import { chainOf } from '../../domain/chain/chain'
import type { Execution } from '../../domain/execution/execution'
import { isTerminal } from '../../domain/execution/status'
import { isRefund } from '../../domain/seals'
import type { DepositFound } from '../../ports/queries'
import { type DepositView, depositView, type ViewContext } from '../views/deposit'

/** What the person who pays is told of a deposit. It names nobody's terms of art, and nothing but what they did. */
export type Told = { tone: 'busy' | 'ok' | 'bad'; head: string; text: string; what: string }

const shown = (raw: string, decimals: number | null): string =>
  decimals === null ? `${raw} units of` : formatUnits(BigInt(raw), decimals)

/** @param name the organization, whom somebody asks when something is wrong. */
export function toldOf(found: DepositFound, context: ViewContext, name: string): Told {
  const view = depositView(found, context)
  const chain = chainOf(view.fromChainId).shortName
  const what = `${shown(view.amountIn, view.fromTokenDecimals)} ${view.fromTokenSymbol} on ${chain}`
  return { ...stateOf(found, view, name), what }
}

function stateOf({ newest }: DepositFound, view: DepositView, name: string): Omit<Told, 'what'> {
  const { stage, funds, next, confirmations, confirmationsRequired } = view
  if (stage === 'ORPHANED' && next.action === 'FOLLOW')
    return { tone: 'busy', head: 'Moved', text: 'The network moved it to another block; it is shown there as well.' }
  if (stage === 'ORPHANED')
    return {
      tone: 'bad',
      head: 'Taken back by the network',
      text: `Do not send again yet: the network may still take it up. Ask ${name} if it stays so.`,
    }
  if (newest === null)
    return {
      tone: 'busy',
      head: 'Seen',
      text: `It has ${confirmations} of ${confirmationsRequired} confirmations.`,
    }
  const isBack = isGivenBack(newest)
  if (newest.status === 'SUCCESS') {
    const where = chainOf(funds.chainId).shortName
    const amount = `${shown(funds.amount, funds.tokenDecimals)} ${funds.tokenSymbol}`
    if (isBack)
      return { tone: 'bad', head: 'Given back', text: `It was not delivered. ${amount} was given back on ${where}.` }
    return { tone: 'ok', head: 'Delivered', text: `${amount} arrived on ${where}.` }
  }
  if (next.action === 'FOLLOW')
    return { tone: 'busy', head: 'On its way', text: 'It goes on together with another deposit.' }
  if (newest.status !== null && isTerminal(newest.status))
    return { tone: 'bad', head: 'Stopped', text: `It was not delivered. Ask ${name}, who can see what happened.` }
  if (next.actor === 'SERVICE' || next.actor === 'PROVIDER')
    return {
      tone: 'busy',
      head: 'On its way',
      text: isBack ? 'It is being given back.' : 'It is confirmed and is being delivered.',
    }
  return { tone: 'busy', head: 'Waiting', text: `The money is safe. It goes on when ${name} or the service can act.` }
}

/** Whether an operator sends the money to the address for refunds, which delivers nothing. */
const isGivenBack = ({ redriveOf, deposit, facts: { intent } }: Execution): boolean =>
  redriveOf !== null && intent !== undefined && isRefund(deposit, intent)
