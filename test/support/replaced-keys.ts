import type { Address } from '../../src/domain/chain/hex'

type Replaced = Record<'relayer' | 'signer', { account: { address: Address } }>

/**
 * Fills addresses into the settings on the page about keys, at `…new` and `…old`. The page replaces a relayer and
 * leaves the signer unchanged. Here the signer is replaced in the same way.
 */
export function replacedIn(shown: string, olds: Replaced, news: Replaced): Record<string, Address[]> {
  const { settings } = JSON.parse(`{${shown}}`) as { settings: Record<string, string[]> }
  const filled = (which: 'relayer' | 'signer') =>
    settings['relayers']!.map((each) => (each.endsWith('new') ? news : olds)[which].account.address)
  const retired = settings['retired'] && { retired: [olds.relayer.account.address, olds.signer.account.address] }
  return { relayers: filled('relayer'), signers: filled('signer'), ...retired }
}
