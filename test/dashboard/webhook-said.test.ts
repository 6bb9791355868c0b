import { expect, test } from 'bun:test'
import { account, hashOf, sightingOf } from '../support/deposits'
import { membersWorld } from './members-world'

async function world() {
  const made = await membersWorld()
  const { store } = made
  await store.accounts.save({
    ...{ id: account, version: 0, organizationId: 'org_a', userId: 'u', canonicalChainId: 8453, label: null },
    ...{ accountSalt: hashOf(1), createdAt: 0, updatedAt: 0 },
  })
  const seen = await store.sightings.save(sightingOf(1, { organizationId: 'org_a', userId: 'u' }))
  return { ...made, id: seen!.id, path: `/deposits/${encodeURIComponent(seen!.id)}/webhook` }
}

test('a webhook of a deposit is shown to its organization and to the platform’s operators, and to nobody else', async () => {
  const { as, store, id, path } = await world()
  const text = '{"event":{"activity":[{"asset":"<script>alert(1)</script>"}]}}'
  store.inboundWebhooks.note([{ id, chainId: 8453, account, at: 1_000, text }])
  const shown = { webhook: { receivedAt: '1970-01-01T00:00:01.000Z', text } }
  for (const name of ['owner', 'member', 'platform-operator']) expect((await as(name, path)).json).toEqual(shown)
  const refused = await Promise.all(['other-owner', 'platform-member', null].map((name) => as(name, path)))
  expect(refused.map(({ status }) => status)).toEqual([404, 404, 401])
})

test('a deposit that no webhook told of says so', async () => {
  const { as, path } = await world()
  expect((await as('member', path)).json).toEqual({ webhook: null })
})

test('what was said of another account in the same place is not shown', async () => {
  const { as, store, id, path } = await world()
  const other = `0x${'7'.repeat(40)}` as const
  const theirs = (await store.accounts.load(account))!
  await store.accounts.save({ ...theirs, id: other, version: 0, userId: 'v' })
  store.inboundWebhooks.note([{ id, chainId: 8453, account: other, at: 1, text: '{}' }])
  expect((await as('owner', path)).json).toEqual({ webhook: null })
})
