import { chainKeyOf, chains } from '../../domain/chain/chain'
import type { DepositIntent } from '../../domain/deposit/deposit-intent'
import { type, view } from '../../domain/schema'
import { AddressForm, addressForm } from './address-parameter'
import { example } from './examples'
import { Address, ChainId, ChainKeyName, Count, described, Flag, isoTime, Text, Time, UserId } from './scalar'

export const DepositIntentRequest = type({
  userId: UserId,
  targetChainId: ChainId('Destination chain', chains.arbitrum.id),
  targetTokenAddress: AddressForm(
    'Token on the destination chain; the zero address for the native coin. Any case; mixed case must be EIP-55',
    example.arbitrumUsdc,
  ),
  targetAddress: AddressForm('Recipient on the destination chain', example.recipient),
  'refundAddress?': described(
    addressForm.describe('an EVM address or null').or('null'),
    'Optional: address for refunds by an operator if routing fails; null removes it',
    example.sender,
  ),
})
export type DepositIntentRequest = typeof DepositIntentRequest.infer

export const depositIntentFields = {
  userId: Text('Your stable identifier of the user', example.userId),
  depositAddress: Address('Deposit address of the user: the same on all chains, permanently', example.depositAddress),
  targetChainId: ChainId('Destination chain', chains.arbitrum.id),
  targetChainKey: ChainKeyName('Chain key', 'arbitrum'),
  targetTokenAddress: Address(
    'Token on the destination chain; the zero address is the native coin',
    example.arbitrumUsdc,
  ),
  targetAddress: Address('Recipient', example.recipient),
  protocolFeeBps: Count('Protocol fee in basis points (1 = 0.01 %), copied from the API key at creation', 50),
  sponsoredGas: Flag('Whether the platform pays the gas, copied from the API key at creation', false),
  createdAt: Time('When the intent was first stored'),
  updatedAt: Time('When it was last stored'),
  'refundAddress?': Address('Refund address, if the intent names one', example.sender),
} as const

export const DepositIntentView = view(depositIntentFields)

export const depositIntentView = (intent: DepositIntent): typeof DepositIntentView.infer => ({
  userId: intent.userId,
  depositAddress: intent.id,
  targetChainId: intent.targetChainId,
  targetChainKey: chainKeyOf(intent.targetChainId),
  targetTokenAddress: intent.targetTokenAddress,
  targetAddress: intent.targetAddress,
  protocolFeeBps: intent.protocolFeeBps,
  sponsoredGas: intent.sponsoredGas,
  createdAt: isoTime(intent.createdAt),
  updatedAt: isoTime(intent.updatedAt),
  ...(intent.refundAddress && { refundAddress: intent.refundAddress }),
})

export const depositIntentExample: typeof DepositIntentView.infer = {
  userId: example.userId,
  depositAddress: example.depositAddress,
  targetChainId: chains.arbitrum.id,
  targetChainKey: 'arbitrum',
  targetTokenAddress: example.arbitrumUsdc,
  targetAddress: example.recipient,
  protocolFeeBps: 50,
  sponsoredGas: false,
  createdAt: '2026-11-21T09:58:12.004Z',
  updatedAt: '2026-11-21T09:58:12.004Z',
}
