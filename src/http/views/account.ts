import type { Account } from '../../domain/chain/account'
import { type ChainKey, chainIds, chainKeyOf, chains } from '../../domain/chain/chain'
import { type, view } from '../../domain/schema'
import { example } from './examples'
import { Address, ChainId, ChainKeyName, described, isoTime, Text, TextOrNull, Time, UserId } from './scalar'

export const AccountRequest = type({
  ownerAddress: described(
    UserId,
    'Your identifier of the user. Despite the field’s name it never becomes an owner on chain',
    example.userId,
  ),
  chainKey: ChainKeyName('Chain to provision on; the address works on all five'),
  'label?': described(
    type(/^[^\p{Cc}\p{Cs}\uFFFD]{0,256}$/u)
      .describe('text of at most 256 characters')
      .or('null'),
    'Your label, at most 256 characters',
    'Alice',
  ),
})
export type AccountRequest = typeof AccountRequest.infer & { chainKey: ChainKey }

const fields = {
  userId: Text('Your stable identifier of the user', example.userId),
  modularAccountAddress: Address('The deposit address, the same on all chains', example.depositAddress),
  canonicalChainId: ChainId('Chain for which the account was first requested; it has no effect'),
  canonicalChainKey: ChainKeyName('Chain key'),
  supportedChains: described(ChainId('Chain id').array(), 'The chains on which the address can receive', [...chainIds]),
} as const

export const AccountView = view(fields)
export const AccountCreatedView = view({
  ...fields,
  label: TextOrNull('Your label', 'Alice'),
  createdAt: Time('When the account was first stored'),
  updatedAt: Time('When it was last stored'),
})

export const accountView = (account: Account): typeof AccountView.infer => ({
  userId: account.userId,
  modularAccountAddress: account.id,
  canonicalChainId: account.canonicalChainId,
  canonicalChainKey: chainKeyOf(account.canonicalChainId),
  supportedChains: chainIds,
})

export const accountCreatedView = (account: Account): typeof AccountCreatedView.infer => ({
  ...accountView(account),
  label: account.label,
  createdAt: isoTime(account.createdAt),
  updatedAt: isoTime(account.updatedAt),
})

export const accountExample: typeof AccountView.infer = {
  userId: example.userId,
  modularAccountAddress: example.depositAddress,
  canonicalChainId: chains.base.id,
  canonicalChainKey: 'base',
  supportedChains: [...chainIds],
}
export const accountCreatedExample: typeof AccountCreatedView.infer = {
  ...accountExample,
  label: 'Alice',
  createdAt: '2026-11-21T09:58:12.001Z',
  updatedAt: '2026-11-21T09:58:12.001Z',
}
