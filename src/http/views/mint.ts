import { chainKeyOf, chains } from '../../domain/chain/chain'
import type { Execution } from '../../domain/execution/execution'
import { isRefused } from '../../domain/execution/mint'
import { view } from '../../domain/schema'
import { Address, ChainId, ChainKeyName, described } from './scalar'

export const MintView = view({
  chainId: ChainId('Where it is minted', chains.arbitrum.id),
  chainKey: ChainKeyName('Chain key', 'arbitrum'),
  contract: Address('The contract to call', '0x81D40F21F12A8F0E3252Bccb954D722d4c464B64'),
  data: described(view(/^0x([0-9a-f]{2})*$/), 'Its calldata', '0x00'),
})
export type MintView = typeof MintView.infer

/** The call by which anybody may have minted what an execution has burnt; null while there is none to send. */
export function mintOf({ facts: { mint, delivery, intent } }: Execution): MintView | null {
  if (!mint?.call || !intent || delivery || isRefused(mint)) return null
  const { targetChainId: chainId } = intent
  const { target: contract, data } = mint.call
  return { chainId, chainKey: chainKeyOf(chainId), contract, data }
}
