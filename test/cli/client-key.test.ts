import { expect, test } from 'bun:test'
import { seed } from '../../src/cli/demo/seed'
import { clientKey } from '../../src/cli/installation/client-key'
import { newApiKey, newOrganization } from '../../src/http/dashboard/new-tenants'
import { storeInMemory } from '../support/stores'
import { testAll } from '../support/test-all'

const store = storeInMemory()
const seeded = await seed(store as never, 1)
const acme = (await store.organizations.save(newOrganization({ name: 'Acme', slug: 'acme' }, 1)))!
const made = async (role: 'CLIENT' | 'OPERATOR') => {
  const { text, apiKey } = newApiKey({ organizationId: acme.id, label: 'made', role }, 1)
  await store.apiKeys.save(apiKey)
  return text
}
const [client, operator] = [await made('CLIENT'), await made('OPERATOR')]
const chosen = (named: string | undefined, given?: string) =>
  clientKey(store, seeded, named, { SWITCHYARD_API_KEY: given }).then(
    ({ key, organization }) => [organization, key],
    (error) => (error as Error).message,
  )

test('deposits belong to the organization of the given key, to the named one, or to sandbox', async () => {
  expect(await chosen(undefined)).toEqual(['sandbox', seeded.client])
  expect(await chosen('other')).toEqual(['other', seeded.otherOrganization])
  expect(await chosen(undefined, client)).toEqual(['acme', client])
  expect(await chosen('acme', client)).toEqual(['acme', client])
})

// Columns: the named organization, the given key, and a part of the error.
testAll<[string | undefined, string | undefined, string]>([
  ['acme', undefined, 'keys create --organization acme'],
  ['nobody', undefined, 'There is no organization nobody'],
  ['other', client, 'is a key of acme, not of other'],
  [undefined, operator, 'a deposit needs a CLIENT key'],
  [undefined, seeded.revoked, 'or it is revoked'],
  [undefined, 'sy_live_x', 'is not a key of the demo'],
])('a missing or unsuitable key is reported with the action', async (named, given, sentence) => {
  expect(await chosen(named, given)).toContain(sentence)
})
