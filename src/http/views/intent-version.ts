import { chainKeyOf, chains } from '../../domain/chain/chain'
import type { DepositIntent } from '../../domain/deposit/deposit-intent'
import { view } from '../../domain/schema'
import { ActorView } from './actor'
import { example } from './examples'
import { Address, AddressOrNull, ChainId, ChainKeyName, Count, described, Flag, isoTime, Text, Time } from './scalar'

export const IntentVersionView = view({
  version: Count('Number of the version, from 1', 3),
  targetChainId: ChainId('Destination chain', chains.arbitrum.id),
  targetChainKey: ChainKeyName('Chain key', 'arbitrum'),
  targetTokenAddress: Address('Destination token', example.arbitrumUsdc),
  targetAddress: Address('Recipient', example.recipient),
  refundAddress: AddressOrNull('Address for refunds by an operator if routing fails', null),
  protocolFeeBps: Count('Protocol fee in basis points', 50),
  sponsoredGas: Flag('Whether the platform pays the gas', false),
  apiKeyId: Text('The key that created the intent', 'key_9fT2'),
  actor: described(
    ActorView.or('null'),
    'The author of this version; null for versions stored before authors were recorded',
  ),
  sealed: Flag('Whether its seal shows that it came through this API; also false for versions older than seals', true),
  createdAt: Time('When this version was stored', '2026-11-21T09:58:12.004Z'),
})

export const intentVersionView = (intent: DepositIntent, isSealed: boolean): typeof IntentVersionView.infer => ({
  version: intent.version,
  targetChainId: intent.targetChainId,
  targetChainKey: chainKeyOf(intent.targetChainId),
  targetTokenAddress: intent.targetTokenAddress,
  targetAddress: intent.targetAddress,
  refundAddress: intent.refundAddress,
  protocolFeeBps: intent.protocolFeeBps,
  sponsoredGas: intent.sponsoredGas,
  apiKeyId: intent.apiKeyId,
  actor: intent.changedBy ?? null,
  sealed: isSealed,
  createdAt: isoTime(intent.updatedAt),
})

export const intentVersionExample: typeof IntentVersionView.infer = {
  version: 3,
  targetChainId: chains.arbitrum.id,
  targetChainKey: 'arbitrum',
  targetTokenAddress: example.arbitrumUsdc,
  targetAddress: example.recipient,
  refundAddress: null,
  protocolFeeBps: 50,
  sponsoredGas: false,
  apiKeyId: 'key_9fT2',
  actor: { kind: 'API_KEY', id: 'key_9fT2', label: 'production' },
  sealed: true,
  createdAt: '2026-11-21T09:58:12.004Z',
}
