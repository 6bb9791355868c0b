import type { ChainId } from '../domain/chain/chain'
import { RoutingError } from '../domain/error'
import type { Deposit, Execution } from '../domain/execution/execution'
import type { Route } from '../domain/execution/route'
import { isNative } from '../domain/money/token'
import type { Executions } from '../ports/executions'
import type { Blacklist } from '../ports/tenants'

export type ScreeningPorts = { blacklist: Blacklist; executions: Pick<Executions, 'loadMany'> }

type RefundedDeposit = { refundOf: string | null; deposit: Pick<Deposit, 'chainId' | 'fromAddress' | 'senders'> }

/**
 * Whether a payer of a record's own money is on the security list. If a bridge returned the money, its payers are the
 * payers of the sent money and of every leftover that it included.
 */
export async function isPayerListed(
  record: RefundedDeposit,
  { blacklist, executions }: ScreeningPorts,
): Promise<boolean> {
  const isListed = ({ deposit: { chainId, fromAddress, senders = [] } }: RefundedDeposit) =>
    [fromAddress, ...senders].some((sender) => sender !== null && blacklist.isListed('ADDRESS', chainId, sender))
  if (isListed(record)) return true
  const seen = new Set<string>()
  for (let before = record.refundOf === null ? [] : [record.refundOf]; before.length > 0; ) {
    for (const id of before) seen.add(id)
    const sent = await executions.loadMany(before)
    if (sent.some(isListed)) return true
    const earlier = sent.flatMap(({ refundOf, facts }) => [
      ...(refundOf === null ? [] : [refundOf]),
      ...(facts.spent ? (facts.residue ?? []) : []),
    ])
    before = [...new Set(earlier)].filter((id) => !seen.has(id))
  }
  return false
}

/**
 * Throws if a token or a party of a deposit is on the security list. Checked at screening, at a re-drive, and again
 * right before signing, because the list may have grown.
 */
export async function assureUnlisted(
  execution: Pick<Execution, 'deposit' | 'facts' | 'refundOf'>,
  ports: ScreeningPorts,
): Promise<void> {
  const { chainId, token } = execution.deposit
  const { targetChainId, targetTokenAddress, targetAddress } = execution.facts.intent!
  const isListed: Blacklist['isListed'] = (...asked) => ports.blacklist.isListed(...asked)
  if (isListed('TOKEN', chainId, token) || isListed('TOKEN', targetChainId, targetTokenAddress))
    throw new RoutingError('TOKEN_BLACKLISTED')
  if (isListed('ADDRESS', targetChainId, targetAddress) || (await isPayerListed(execution, ports)))
    throw new RoutingError('ADDRESS_BLACKLISTED')
}

/**
 * Returns why a route may not be taken: the account would call a listed address. A route of another provider may still
 * be taken. Returns null if there is no objection.
 */
export const targetObjection =
  (blacklist: Blacklist) =>
  ({ call }: Route, chainId: ChainId): string | null => {
    const called = call ? [call.target, call.spender].filter((address) => !isNative(address)) : []
    const isListed = called.some((address) => blacklist.isListed('ADDRESS', chainId, address))
    return isListed ? 'It calls an address on the security list.' : null
  }
