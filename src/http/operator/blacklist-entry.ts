import { type BlacklistEntry, entryAt, listings } from '../../domain/blacklist-entry'
import { chainIds, chainKeyOf, chains, isChainId } from '../../domain/chain/chain'
import { type, view } from '../../domain/schema'
import { SeenVersion, ShownVersion, versionOf } from '../request/seen'
import { AddressParameter, checksummed } from '../views/address-parameter'
import { example } from '../views/examples'
import {
  Address,
  ChainId,
  described,
  isoTime,
  isoTimeOrNull,
  Text,
  TextOrNull,
  Time,
  TimeOrNull,
} from '../views/scalar'
import { FutureTime } from './future-time'
import { Reason } from './reason'

export const kind = type("'TOKEN' | 'ADDRESS'").describe('TOKEN or ADDRESS')
const chainIdOrNull = ChainId('The chain; null means every chain')
  .or('null')
  .describe(`one of ${chainIds.join(', ')} or null`)

export const BlacklistEntryBody = type({
  kind: described(kind, 'Kind of entry', 'TOKEN'),
  'chainId?': described(chainIdOrNull, 'The chain; null means every chain', chains.base.id),
  address: AddressParameter('The token, or the address of a sender or recipient', example.sender),
  listedAs: described(
    type.enumerated(...listings).describe(`one of ${listings.join(', ')}`),
    '`ALLOWED` overrides an imported entry',
    'SCAM',
  ),
  reason: Reason,
  'expiresAt?': FutureTime('When it expires; null means never'),
  'version?': described(SeenVersion.or('null'), 'The `version` of the entry that it replaces; null to add one', null),
})

export const BlacklistEntryView = view({
  id: Text('The entry', `token:${chains.base.id}:${example.sender.toLowerCase()}`),
  version: ShownVersion,
  kind: described(kind, 'Kind of entry', 'TOKEN'),
  chainId: described(chainIdOrNull, 'The chain; null means every chain', chains.base.id),
  chainKey: TextOrNull('Its key', 'base'),
  address: Address('The token or address', example.sender),
  listedAs: described(type.enumerated(...listings), 'Reason of the listing', 'SCAM'),
  source: described(type("'OPERATOR' | 'IMPORT'"), 'Origin of the entry', 'OPERATOR'),
  reason: Text('The reason', 'It imitates another token'),
  expiresAt: TimeOrNull('When it expires', null),
  createdAt: Time('When it was listed'),
  updatedAt: Time('When it was last changed'),
})

/** Returns the version of an entry as it counts at a time. The end of an operator's decision changes it, too. */
export const entryVersionOf = (entry: BlacklistEntry, at: number): string =>
  versionOf(entry) + ((entryAt(entry, at) ?? entry).source === entry.source ? '' : '-imported')

export function blacklistEntryView(stored: BlacklistEntry, at: number) {
  const { id, kind, chainId, address, listedAs, source, reason, ...times } = entryAt(stored, at) ?? stored
  return {
    id,
    version: entryVersionOf(stored, at),
    kind,
    chainId,
    chainKey: chainId !== null && isChainId(chainId) ? chainKeyOf(chainId) : null,
    address: checksummed(address),
    listedAs,
    source,
    reason,
    expiresAt: isoTimeOrNull(times.expiresAt),
    createdAt: isoTime(times.createdAt),
    updatedAt: isoTime(times.updatedAt),
  } as typeof BlacklistEntryView.infer
}
