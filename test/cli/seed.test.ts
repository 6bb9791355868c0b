import { expect, test } from 'bun:test'
import { isSandbox, seed } from '../../src/cli/demo/seed'
import { withStore } from '../../src/cli/installation/database'
import { apiKeyDigest, isApiKeyText } from '../../src/domain/tenant/api-key-format'
import { planOf } from '../../src/domain/tenant/organization'
import { mongoUrl } from '../support/servers'

test('the sandbox has the organizations and keys of the reference, and does not store the texts of the keys', () =>
  mongoUrl().then((url) =>
    withStore(url, async (store) => {
      await store.ensureIndexes()
      expect(await isSandbox(store)).toBe(false)
      const keys = await seed(store, await store.time())
      expect(await isSandbox(store)).toBe(true)
      const organizations = await store.organizations.all()
      expect(organizations.map(({ slug }) => slug).toSorted()).toEqual(
        ['other', 'platform', 'sandbox', 'sandbox-limited', 'sandbox-quota'].toSorted(),
      )
      expect(new Set(organizations.map(({ salt }) => salt)).size).toBe(organizations.length)
      const bySlug = new Map(organizations.map((organization) => [organization.slug, organization]))
      expect(planOf(bySlug.get('sandbox-quota')!).monthlyExecutions).toBe(0)
      expect(planOf(bySlug.get('sandbox-limited')!).rates.R).toEqual({ perSecond: 5, burst: 5 })
      expect(organizations.filter(({ isPlatform }) => isPlatform).map(({ slug }) => slug)).toEqual(['platform'])

      const found = async (text: string) => {
        expect(text).toStartWith('sy_test_')
        expect(isApiKeyText(text, true)).toBe(true)
        return (await store.apiKeys.findByDigest(apiKeyDigest(text)))!
      }
      expect(await found(keys.client)).toMatchObject({ role: 'CLIENT', organizationId: bySlug.get('sandbox')!.id })
      expect(await found(keys.operator)).toMatchObject({ role: 'OPERATOR', revokedAt: null })
      expect((await found(keys.revoked)).revokedAt).toBeNumber()
      expect(await found(keys.otherOrganization)).toMatchObject({ organizationId: bySlug.get('other')!.id })
      expect(await found(keys.platformOperator)).toMatchObject({ organizationId: bySlug.get('platform')!.id })
      expect(JSON.stringify(await Promise.all(Object.values(keys).map(found)))).not.toContain(keys.client)

      const scams = await store.blacklist.changedSince(0)
      expect(scams.length).toBeGreaterThanOrEqual(5)
    }),
  ))
