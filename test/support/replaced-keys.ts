import type { Address } from '../../src/domain/chain/hex'

type Replaced = Record<'relayer' | 'signer', { account: { address: Address } }>

/**
 * The settings that the page about keys shows, `…new` and `…old`, filled in with addresses. The page shows a relayer's
 * replacement and leaves the signer as before; here the signer is replaced in the same way.
 */
export function replacedIn(shown: string, olds: Replaced, news: Replaced): Record<string, Address[]> {
  const { settings } = JSON.parse(`{${shown}}`) as { settings: Record<string, string[]> }
  const filled = (which: 'relayer' | 'signer') =>
    settings['relayers']!.map((each) => (each.endsWith('new') ? news : olds)[which].account.address)
  const retired = settings['retired'] && { retired: [olds.relayer.account.address, olds.signer.account.address] }
  return { relayers: filled('relayer'), signers: filled('signer'), ...retired }
}
