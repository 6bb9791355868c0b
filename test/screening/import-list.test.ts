import { expect, test } from 'bun:test'
import { cachedBlacklist } from '../../src/adapters/caches/blacklist-cache'
import { type BlacklistEntry, blacklistId, listsOf, withoutDecision } from '../../src/domain/blacklist-entry'
import type { AuditEntry } from '../../src/domain/tenant/audit'
import type { BlacklistEntries, BlacklistList } from '../../src/ports/operators'
import { importList } from '../../src/screening/import-list'
import { ListRefused, readList } from '../../src/screening/read-list'
import { addressOf } from '../support/deposits'
import { recordsInMemory } from '../support/records'

function world() {
  const clock = { at: 1_000_000 }
  const entries = recordsInMemory<BlacklistEntry>()
  const blacklist: BlacklistEntries = {
    ...entries,
    changedSince: async (time) => entries.all().filter(({ updatedAt }) => updatedAt >= time),
    list: async () => [],
  }
  const audit: AuditEntry[] = []
  const ports = {
    blacklist,
    blacklistLists: recordsInMemory<BlacklistList>(),
    auditLog: { append: async (entry: AuditEntry) => void audit.push(entry) },
    time: async () => clock.at++,
    newId: () => `aud_${audit.length}`,
  }
  const inForce = cachedBlacklist(blacklist, () => clock.at)
  return {
    entries,
    audit,
    clock,
    lists: ports.blacklistLists,
    async take(addresses: number[], name = 'sdn', isForced = false) {
      const read = readList(JSON.stringify(addresses.map(addressOf)))
      const actor = { kind: 'SYSTEM', id: 'cli', label: 'test' } as const
      const done = await importList(ports, { ...read, name, digest: 'd', actor, organizationId: 'org_1', isForced })
      await inForce.refresh()
      return done
    },
    isListed: (n: number) => inForce.isListed('ADDRESS', 8453, addressOf(n)),
    async decide(n: number, listedAs: 'ALLOWED' | 'SCAM', chainId: number | null = null) {
      const id = blacklistId('ADDRESS', chainId, addressOf(n))
      const since = { createdAt: clock.at, updatedAt: clock.at, removedAt: null, expiresAt: null }
      const version = entries.get(id)?.version ?? 0
      const entry = { id, version, kind: 'ADDRESS', chainId, address: addressOf(n), listedAs, reason: 'Asked' } as const
      const before = entries.get(id)
      await blacklist.save({ ...entry, source: 'OPERATOR', ...since, ...(before && listsOf(before)) })
      await inForce.refresh()
    },
  }
}

test('an import applies at the next check, and its next version replaces it', async () => {
  const { take, isListed, lists } = world()
  expect(await take([1, 2, 3])).toEqual({ version: 1, added: 3, removed: 0, unchanged: 0, overruled: 0 })
  expect([1, 2, 3, 4].map(isListed)).toEqual([true, true, true, false])
  expect(await take([2, 3, 4])).toEqual({ version: 2, added: 1, removed: 1, unchanged: 2, overruled: 0 })
  expect([1, 2, 3, 4].map(isListed)).toEqual([false, true, true, true])
  expect(lists.get('sdn')).toMatchObject({ version: 2, entries: 3 })
})

test('a repeated import changes nothing', async () => {
  const { take, entries } = world()
  await take([1, 2])
  const before = entries.all()
  expect(await take([1, 2])).toMatchObject({ added: 0, removed: 0, unchanged: 2 })
  expect(entries.all()).toEqual(before)
})

test('a list that loses most of its entries is refused unless forced', async () => {
  const { take, isListed } = world()
  await take([1, 2, 3])
  expect(take([3])).rejects.toThrow(ListRefused)
  expect(isListed(1)).toBe(true)
  expect(await take([3], 'sdn', true)).toMatchObject({ removed: 2 })
  expect([1, 2, 3].map(isListed)).toEqual([false, false, true])
})

test('an address on two lists is free when neither names it', async () => {
  const { take, isListed } = world()
  await take([1, 2], 'sdn')
  await take([1, 3], 'other')
  await take([2], 'sdn', true)
  expect(isListed(1)).toBe(true)
  await take([3], 'other', true)
  expect(isListed(1)).toBe(false)
})

test('an operator’s decision stays, whatever a list contains', async () => {
  const { take, isListed, decide } = world()
  await take([1, 2, 3])
  await decide(1, 'ALLOWED')
  expect(isListed(1)).toBe(false)
  expect(await take([1, 2, 3])).toMatchObject({ overruled: 1 })
  expect(isListed(1)).toBe(false)
  await decide(9, 'SCAM')
  await take([2, 3])
  expect(isListed(9)).toBe(true)
})

test('an operator frees an address on all chains that a list names on one', async () => {
  const { take, isListed, decide, entries } = world()
  await take([1])
  const here = blacklistId('ADDRESS', 8453, addressOf(1))
  await entries.save({
    ...entries.get(blacklistId('ADDRESS', null, addressOf(1))),
    id: here,
    chainId: 8453,
    version: 0,
  })
  await decide(1, 'ALLOWED')
  expect(isListed(1)).toBe(false)
})

test('every import is in the audit log before it applies, with its content', async () => {
  const { take, audit } = world()
  await take([1, 2])
  await take([2])
  expect(audit.map(({ verb, target }) => `${verb} ${target}`)).toEqual(Array(2).fill('blacklist.import sdn'))
  expect(audit[1]!.details).toMatchObject({ version: 2, entries: 1, gone: 1, digest: 'd', format: 'ADDRESSES' })
})

test('an imported entry whose content was not stored counts as a sanction once the decision about it ends', () => {
  const decided: BlacklistEntry = {
    id: blacklistId('ADDRESS', null, addressOf(1)),
    version: 1,
    kind: 'ADDRESS',
    chainId: null,
    address: addressOf(1),
    listedAs: 'ALLOWED',
    source: 'OPERATOR',
    lists: ['sdn'],
    reason: 'a customer',
    expiresAt: 5,
    createdAt: 1,
    updatedAt: 1,
    removedAt: null,
  }
  for (const imported of [{}, { imported: undefined }, { imported: null }])
    expect(withoutDecision({ ...decided, ...imported } as BlacklistEntry)).toMatchObject({
      source: 'IMPORT',
      listedAs: 'SANCTIONED',
    })
})
