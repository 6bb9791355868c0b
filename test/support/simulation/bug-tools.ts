import type { ChainId } from '../../../src/domain/chain/chain'
import type { ChainClient, Chains } from '../../../src/ports/chain-client'
import type { Executions } from '../../../src/ports/executions'
import type { EventLog } from '../../../src/ports/webhooks'
import type { Bug, View } from './view'

/** The record store with one method replaced. */
export const withMethod = <Name extends keyof Executions>(
  executions: Executions,
  verb: Name,
  instead: Executions[Name],
) => new Proxy(executions, { get: (target, name) => (name === verb ? instead : Reflect.get(target, name)) })

/** Records in which no money was found by a balance. */
export const withoutFinds = (executions: Executions): Executions =>
  withMethod(executions, 'ledgerOf', async (lane, block) => {
    const book = await executions.ledgerOf(lane, block)
    return book && { ...book, finds: 0 }
  })

/** A chain with some methods replaced: the source chain, if no other is named. */
export function chainWith(
  view: View,
  replaced: (chain: ChainClient) => Partial<ChainClient>,
  id: ChainId = 8453,
): Partial<View> {
  const chain = view.chains[id]
  const other = replaced(chain)
  const instead = new Proxy(chain, { get: (target, name) => Reflect.get(other, name) ?? Reflect.get(target, name) })
  return { chains: { ...view.chains, [id]: instead } as Chains }
}

/** The log with some methods replaced. */
export const logWith =
  (replaced: (log: EventLog) => Partial<EventLog>): Bug =>
  ({ log }) => ({ log: { ...log!, eventLog: { ...log!.eventLog, ...replaced(log!.eventLog) } } })
