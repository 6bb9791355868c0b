import type { ChainId } from '../../domain/chain/chain'
import { RoutingError } from '../../domain/error'
import type { Execution } from '../../domain/execution/execution'
import type { Route } from '../../domain/execution/route'
import { isNative } from '../../domain/money/token'
import type { Blacklist } from '../../ports/tenants'

/**
 * Makes sure that no token and no party of a deposit is on the security list. It is checked when the deposit is
 * screened, and again right before signing, because the list may have grown in the meantime.
 */
export function assureUnlisted({ deposit, facts }: Pick<Execution, 'deposit' | 'facts'>, blacklist: Blacklist): void {
  const { chainId, token, fromAddress, senders = [] } = deposit
  const { targetChainId, targetTokenAddress, targetAddress } = facts.intent!
  const isListed = (kind: 'TOKEN' | 'ADDRESS', chain: number, address: string | null) =>
    address !== null && blacklist.isListed(kind, chain, address)
  if (isListed('TOKEN', chainId, token) || isListed('TOKEN', targetChainId, targetTokenAddress))
    throw new RoutingError('TOKEN_BLACKLISTED')
  const isSenderListed = [fromAddress, ...senders].some((sender) => isListed('ADDRESS', chainId, sender))
  if (isSenderListed || isListed('ADDRESS', targetChainId, targetAddress)) throw new RoutingError('ADDRESS_BLACKLISTED')
}

/**
 * Returns why a route may not be taken: the account would call an address that is on the list. A route of another
 * provider may still be taken. Returns null when there is no objection.
 */
export const targetObjection =
  (blacklist: Blacklist) =>
  ({ call }: Route, chainId: ChainId): string | null => {
    const called = call ? [call.target, call.spender].filter((address) => !isNative(address)) : []
    const isListed = called.some((address) => blacklist.isListed('ADDRESS', chainId, address))
    return isListed ? 'What it calls is on the security list.' : null
  }
