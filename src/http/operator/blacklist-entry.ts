import { type BlacklistEntry, listings } from '../../domain/blacklist-entry'
import { chainIds, chainKeyOf, chains, isChainId } from '../../domain/chain/chain'
import { type } from '../../domain/schema'
import { example } from '../views/examples'
import { Address, ChainId, isoTime, isoTimeOrNull, shown, Text, TextOrNull, Time, TimeOrNull } from '../views/scalar'
import { checksummed, SentAddress } from '../views/sent-address'
import { FutureTime } from './future-time'
import { Reason } from './reason'

export const kind = type("'TOKEN' | 'ADDRESS'").describe('TOKEN or ADDRESS')
const chainIdOrNull = ChainId('On which chain; null: on all')
  .or('null')
  .describe(`one of ${chainIds.join(', ')} or null`)

export const BlacklistEntryBody = type({
  kind: shown(kind, 'What is listed', 'TOKEN'),
  'chainId?': shown(chainIdOrNull, 'On which chain; null: on all', chains.base.id),
  address: SentAddress('The token, or the address of a sender or recipient', example.sender),
  listedAs: shown(
    type.enumerated(...listings).describe(`one of ${listings.join(', ')}`),
    '`ALLOWED` overrides what was imported',
    'SCAM',
  ),
  reason: Reason,
  'expiresAt?': FutureTime('When it counts no more; null: never'),
})

export const BlacklistEntryView = type({
  id: Text('The entry', `token:${chains.base.id}:${example.sender.toLowerCase()}`),
  kind: shown(kind, 'What is listed', 'TOKEN'),
  chainId: shown(chainIdOrNull, 'On which chain; null: on all', chains.base.id),
  chainKey: TextOrNull('Its key', 'base'),
  address: Address('The token or address', example.sender),
  listedAs: shown(type.enumerated(...listings), 'As what', 'SCAM'),
  source: shown(type("'OPERATOR' | 'IMPORT'"), 'Who listed it', 'OPERATOR'),
  reason: Text('Why', 'It imitates another token'),
  expiresAt: TimeOrNull('When it counts no more', null),
  createdAt: Time('Since when'),
  updatedAt: Time('When it was last changed'),
})

export const blacklistEntryView = ({
  id,
  chainId,
  address,
  expiresAt,
  createdAt,
  updatedAt,
  ...entry
}: BlacklistEntry) =>
  ({
    id,
    kind: entry.kind,
    chainId,
    chainKey: chainId !== null && isChainId(chainId) ? chainKeyOf(chainId) : null,
    address: checksummed(address),
    listedAs: entry.listedAs,
    source: entry.source,
    reason: entry.reason,
    expiresAt: isoTimeOrNull(expiresAt),
    createdAt: isoTime(createdAt),
    updatedAt: isoTime(updatedAt),
  }) as typeof BlacklistEntryView.infer
