import { formatUnits } from 'viem'
import { chainOf } from '../../domain/chain/chain'
import { isTerminal } from '../../domain/execution/status'
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
  if (stage === 'ORPHANED')
    return { tone: 'bad', head: 'Taken back by the network', text: 'The network dropped it. You still have the money.' }
  if (newest === null)
    return {
      tone: 'busy',
      head: 'Seen',
      text: `It has ${confirmations} of ${confirmationsRequired} confirmations.`,
    }
  if (newest.status === 'SUCCESS') {
    const where = chainOf(funds.chainId).shortName
    const text = `${shown(funds.amount, funds.tokenDecimals)} ${funds.tokenSymbol} arrived on ${where}.`
    return { tone: 'ok', head: 'Delivered', text }
  }
  if (next.action === 'FOLLOW')
    return { tone: 'busy', head: 'On its way', text: 'It goes on together with another deposit.' }
  if (newest.status !== null && isTerminal(newest.status))
    return { tone: 'bad', head: 'Stopped', text: `It was not delivered. Ask ${name}, who can see what happened.` }
  if (next.actor === 'SERVICE' || next.actor === 'PROVIDER')
    return { tone: 'busy', head: 'On its way', text: 'It is confirmed and is being delivered.' }
  return { tone: 'busy', head: 'Waiting', text: `The money is safe. It goes on when ${name} or the service can act.` }
}
