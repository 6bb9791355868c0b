import { expect, test } from 'bun:test'
import { brokenIdentity, type Identity, IllegalChange, identities, valueAt } from '../../src/domain/record-identity'
import { testAll } from '../support/test-all'

/** By collection, the fields that never change, that change from null only, and times that only become earlier. */
const rules: Record<string, [fixed: string, once?: string, sooner?: string]> = {
  organizations: ['salt isPlatform createdAt'],
  invitations: ['organizationId email createdAt', 'acceptedAt withdrawnAt'],
  apiKeys: ['digest prefix organizationId role createdAt createdBy expiresAt', '', 'revokedAt'],
  erasures: ['kind subject askedAt', 'doneAt'],
  accounts: ['organizationId userId accountSalt canonicalChainId createdAt'],
  intents: ['organizationId userId apiKeyId createdAt'],
  heldChanges: ['organizationId userId'],
  sightings: ['chainId txHash logIndex'],
  unsupported: ['organizationId userId account chainId detectedAt'],
  executions: [
    'organizationId userId redriveOf deposit.lane deposit.account deposit.chainId deposit.token deposit.amountRaw ' +
      'deposit.txHash deposit.logIndex deposit.detectedAt',
    'createdAt refundOf redrivenBy continuedBy takenBy facts.routeId facts.intent.apiKeyId facts.intent.targetChainId ' +
      'facts.intent.targetTokenAddress facts.intent.targetAddress facts.intent.protocolFeeBps',
  ],
  blacklist: ['kind chainId address'],
  webhookEndpoints: ['organizationId createdAt', 'deletedAt'],
  webhookFeeds: ['organizationId'],
  webhookDeliveries: ['organizationId endpointId eventId type body createdAt'],
  jobs: ['organizationId createdAt asked.organizationId work.verb'],
}

/** A record with a value at a path. */
const at = (path: string, value: unknown): object =>
  path.split('.').reduceRight<unknown>((inner, name) => ({ [name]: inner }), value) as object
const named = (names = '') => names.split(' ').filter(Boolean)

testAll(Object.entries(identities))(
  'who owns a record, and what it is about, never changes',
  (name, identity: Identity) => {
    const [fixed, once, sooner] = (rules[name] ?? ['']).map(named)
    for (const path of fixed!) {
      expect(brokenIdentity(identity, at(path, 'a'), at(path, 'b'))).toBe(path)
      expect(brokenIdentity(identity, at(path, null), at(path, 'b'))).toBe(path)
    }
    for (const path of once ?? []) {
      expect(brokenIdentity(identity, at(path, null), at(path, 'b'))).toBeNull()
      for (const later of ['b', null]) expect(brokenIdentity(identity, at(path, 'a'), at(path, later))).toBe(path)
    }
    for (const path of sooner ?? []) {
      for (const later of [5, 4]) expect(brokenIdentity(identity, at(path, 5), at(path, later))).toBeNull()
      for (const later of [6, null]) expect(brokenIdentity(identity, at(path, 5), at(path, later))).toBe(path)
      expect(brokenIdentity(identity, at(path, null), at(path, 5))).toBeNull()
    }
    expect([identity.fixed ?? [], identity.once ?? [], identity.sooner ?? []]).toEqual([
      ...[fixed ?? [], once ?? [], sooner ?? []],
    ])
  },
)

test('a field that is absent counts as null, at any depth', () => {
  expect([valueAt({ a: { b: 0 } }, 'a.b'), valueAt({ a: null }, 'a.b'), valueAt({}, 'a.b.c')]).toEqual([0, null, null])
  expect(brokenIdentity({ fixed: ['a.b'] }, {}, { a: { b: null } })).toBeNull()
  expect(brokenIdentity({}, { a: 1 }, { a: 2 })).toBeNull()
})

test('a refused change names the record, and the field if one is at fault', () => {
  expect([`${new IllegalChange('exe')}`, `${new IllegalChange('exe', 'userId')}`]).toEqual([
    ...['IllegalChange: exe must not change in this way', 'IllegalChange: userId of exe must not change in this way'],
  ])
})
