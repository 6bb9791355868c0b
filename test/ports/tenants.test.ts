import { describe, expect, test } from 'bun:test'
import { cachedBlacklist } from '../../src/adapters/caches/blacklist-cache'
import { type BlacklistEntry, blacklistId } from '../../src/domain/blacklist-entry'
import type { Account } from '../../src/domain/chain/account'
import type { ApiKey } from '../../src/domain/tenant/api-key'
import type { AuditEntry } from '../../src/domain/tenant/audit'
import { chainFault, emptyChain, placeOf } from '../../src/domain/tenant/audit-chain'
import type { Organization } from '../../src/domain/tenant/organization'
import { addressOf, hashOf } from '../support/deposits'
import { stores } from '../support/stores'

const organization = (id: string, createdAt: number): Organization => ({
  id,
  version: 0,
  name: id,
  slug: id,
  salt: hashOf(1),
  plan: 'custom',
  customPlan: { rates: { R: { perSecond: 1, burst: 1 } } as never, monthlyExecutions: 0 },
  policy: null,
  isPlatform: false,
  createdAt,
})
const apiKey = (n: number, organizationId = 'org_1'): ApiKey => ({
  id: `key_${n}`,
  version: 0,
  digest: hashOf(n).slice(2),
  prefix: 'sy_live_ab',
  organizationId,
  label: 'production',
  role: 'CLIENT',
  protocolFeeBps: 50,
  sponsoredGas: false,
  createdAt: n,
  createdBy: null,
  lastUsedAt: null,
  revokedAt: null,
})
const account = (n: number, userId = 'user-1', organizationId = 'org_1'): Account => ({
  id: addressOf(n),
  version: 0,
  organizationId,
  userId,
  accountSalt: hashOf(n),
  canonicalChainId: 8453,
  label: null,
  createdAt: n,
  updatedAt: n,
})
const entry = (changed: Partial<BlacklistEntry> = {}): BlacklistEntry => {
  const { kind = 'TOKEN', chainId = null, address = addressOf(0xbad) } = changed
  return {
    id: blacklistId(kind, chainId, address),
    version: 0,
    kind,
    chainId,
    address,
    listedAs: 'SCAM',
    source: 'OPERATOR',
    reason: 'why',
    expiresAt: null,
    createdAt: 100,
    updatedAt: 100,
    removedAt: null,
    ...changed,
  }
}
const audit = (n: number, organizationId = 'org_1'): AuditEntry => ({
  id: `aud_${n}`,
  at: n,
  actor: { kind: 'API_KEY', id: 'key_1', label: 'on-call' },
  organizationId,
  verb: n % 2 ? 'execution.retry' : 'execution.redrive',
  target: `8453:${n}`,
  reason: null,
  details: { n },
  requestId: null,
})

describe.each(stores)('tenants %s', (_name, open) => {
  test('organizations are paged newest first, each once, also those created at the same moment', async () => {
    const { organizations } = (await open()).store
    for (const [n, id] of ['a', 'b', 'c', 'd', 'e'].entries()) await organizations.save(organization(id, n < 3 ? 1 : 2))
    const first = await organizations.list({ limit: 3 })
    const { createdAt, id } = first.at(-1)!
    const second = await organizations.list({ limit: 3, after: { createdAt, id } })
    expect([first, second].map((page) => page.map(({ id }) => id))).toEqual([
      ['e', 'd', 'c'],
      ['b', 'a'],
    ])
  })

  test('organizations are listed oldest first, as stored', async () => {
    const { organizations } = (await open()).store
    await organizations.save(organization('b', 2))
    await organizations.save(organization('a', 1))
    expect(await organizations.all()).toEqual([
      { ...organization('a', 1), version: 1 },
      { ...organization('b', 2), version: 1 },
    ])
  })

  test('an API key is found by its digest', async () => {
    const { apiKeys } = (await open()).store
    await apiKeys.save(apiKey(1))
    expect(await apiKeys.findByDigest(apiKey(1).digest)).toEqual({ ...apiKey(1), version: 1 })
    expect(await apiKeys.findByDigest(apiKey(2).digest)).toBeNull()
  })

  test('an organization’s keys are listed newest first', async () => {
    const { apiKeys } = (await open()).store
    for (const key of [apiKey(1), apiKey(2), apiKey(3, 'org_2')]) await apiKeys.save(key)
    expect((await apiKeys.ofOrganization('org_1')).map(({ id }) => id)).toEqual(['key_2', 'key_1'])
  })

  test('recording a use never moves back and never blocks a change', async () => {
    const { apiKeys } = (await open()).store
    const stored = (await apiKeys.save(apiKey(1)))!
    await apiKeys.markUsed('key_1', 9)
    await apiKeys.markUsed('key_1', 5)
    expect((await apiKeys.load('key_1'))!.lastUsedAt).toBe(9)
    expect(await apiKeys.save({ ...stored, revokedAt: 10 })).not.toBeNull()
  })

  test('an account is found by its user, in the same organization only', async () => {
    const { accounts } = (await open()).store
    for (const each of [account(1), account(2, 'user-1', 'org_2')]) await accounts.save(each)
    expect((await accounts.findByUser('org_2', 'user-1'))?.id).toBe(addressOf(2))
    expect(await accounts.findByUser('org_3', 'user-1')).toBeNull()
    expect(await accounts.findByUser('org_1', 'USER-1')).toBeNull()
  })

  test('accounts created since a time are listed oldest first, up to the limit', async () => {
    const { accounts } = (await open()).store
    for (const n of [3, 1, 2, 4]) await accounts.save(account(n, `user-${n}`))
    expect((await accounts.createdSince(2, 2)).map(({ createdAt }) => createdAt)).toEqual([2, 3])
  })

  test('the cached security list follows the stored one', async () => {
    const { blacklist } = (await open()).store
    const stored = (await blacklist.save(entry()))!
    let time = 100
    const list = cachedBlacklist(blacklist, () => time)
    await list.refresh()
    expect(list.isListed('TOKEN', 8453, addressOf(0xbad).toUpperCase().replace('X', 'x'))).toBe(true)
    expect(list.isListed('ADDRESS', 8453, addressOf(0xbad))).toBe(false)

    await blacklist.save(entry({ chainId: 137, listedAs: 'ALLOWED', updatedAt: 200 }))
    await list.refresh()
    expect([137, 8453].map((chain) => list.isListed('TOKEN', chain, addressOf(0xbad)))).toEqual([false, true])

    await blacklist.save({ ...stored, removedAt: 300, updatedAt: 300 })
    await blacklist.save(entry({ address: addressOf(0xbae), expiresAt: 500, updatedAt: 300 }))
    await list.refresh()
    expect(list.isListed('TOKEN', 8453, addressOf(0xbad))).toBe(false)
    expect(list.isListed('TOKEN', 8453, addressOf(0xbae))).toBe(true)
    time = 500
    expect(list.isListed('TOKEN', 8453, addressOf(0xbae))).toBe(false)
  })

  test('the audit log is read newest first, by tenant, verb and target', async () => {
    const { auditLog } = (await open()).store
    for (const each of [audit(1), audit(2), audit(3), audit(4, 'org_2')]) await auditLog.append(each)
    const ids = async (filter: object, page = { limit: 10 }) =>
      (await auditLog.list({ organizationId: 'org_1', ...filter }, page)).map(({ id }) => id)
    expect(await auditLog.list({ organizationId: 'org_1' }, { limit: 1 })).toMatchObject([{ ...audit(3), seq: 3 }])
    expect(await ids({ verb: 'execution.retry' })).toEqual(['aud_3', 'aud_1'])
    expect(await ids({ target: '8453:2', actorId: 'key_1' })).toEqual(['aud_2'])
    expect(await ids({ organizationId: null, createdFrom: 2, createdTo: 4 })).toEqual(['aud_3', 'aud_2'])
  })

  test('entries written by two processes form one chain, and a repeated entry is stored once', async () => {
    const { store, other } = await open()
    const numbers = Array.from({ length: 60 }, (_, n) => n)
    await Promise.all(numbers.map((n) => (n % 2 ? store : other).auditLog.append(audit(n))))
    await Promise.all([store, other].map(({ auditLog }) => auditLog.append({ ...audit(7), at: 99 })))
    await store.auditLog.append({
      ...audit(100, 'org_2'),
      details: { b: undefined, at: new Date(5), a: [{ z: 1, y: -0.5 }] },
    })
    for (const [organizationId, count] of [
      ['org_1', 60],
      ['org_2', 1],
    ] as const) {
      let head = emptyChain(organizationId)
      for (let page = await other.auditLog.chain(organizationId, 0, 25); page.length > 0; )
        for (const entry of page.splice(0, 25, ...(await other.auditLog.chain(organizationId, page.at(-1)!.seq, 25)))) {
          expect(chainFault(entry, head)).toBeNull()
          head = entry
        }
      expect(await store.auditLog.head(organizationId)).toEqual({ seq: count, hash: head.hash })
    }
    const [first, second] = [await store.auditLog.nextChain(''), await store.auditLog.nextChain('org_1')]
    expect([first, second, await store.auditLog.nextChain('org_2')]).toEqual(['org_1', 'org_2', null])
    const pages = [await store.auditLog.list({ organizationId: null }, { limit: 30 })]
    while (pages.at(-1)!.length > 0) {
      const last = pages.at(-1)!.at(-1)!
      const after = { createdAt: last.at, id: placeOf(last) }
      pages.push(await store.auditLog.list({ organizationId: null }, { limit: 30, after }))
    }
    expect(new Set(pages.flat().map(({ id }) => id)).size).toBe(pages.flat().length)
    expect(pages.flat().length).toBe(61)
  })
})
