import { expect, test } from 'bun:test'
import { zeroAddress } from '../../src/domain/chain/hex'
import { sweptDepositIdOf } from '../../src/domain/execution/execution'
import { account, executionOf, hashOf, sightingOf, token } from '../support/deposits'
import { membersWorld } from './sign-in/members-world'

async function world() {
  const made = await membersWorld()
  const { store } = made
  await store.accounts.save({
    id: account,
    version: 0,
    organizationId: 'org_a',
    userId: 'u',
    canonicalChainId: 8453,
    label: null,
    accountSalt: hashOf(1),
    createdAt: 0,
    updatedAt: 0,
  })
  const seen = await store.sightings.save(sightingOf(1, { organizationId: 'org_a', userId: 'u' }))
  return { ...made, id: seen!.id, path: `/deposits/${encodeURIComponent(seen!.id)}/webhooks` }
}

test('a deposit’s webhook is shown only to its organization and to the platform’s operators', async () => {
  const { as, store, id, path } = await world()
  const text = '{"event":{"activity":[{"asset":"<script>alert(1)</script>"}]}}'
  store.inboundWebhooks.note([{ id, chainId: 8453, account, token, block: 1, at: 1_000, text }])
  const shown = [{ receivedAt: '1970-01-01T00:00:01.000Z', text }]
  for (const name of ['owner', 'member', 'platform-operator']) expect((await as(name, path)).json).toEqual(shown)
  const refused = await Promise.all(['other-owner', 'platform-member', null].map((name) => as(name, path)))
  expect(refused.map(({ status }) => status)).toEqual([404, 404, 401])
})

test('a deposit without a webhook is shown as such', async () => {
  const { as, path } = await world()
  expect((await as('member', path)).json).toEqual([])
})

test('a webhook about another account in the same place is not shown', async () => {
  const { as, store, id, path } = await world()
  const other = `0x${'7'.repeat(40)}` as const
  const theirs = (await store.accounts.load(account))!
  await store.accounts.save({ ...theirs, id: other, version: 0, userId: 'v' })
  store.inboundWebhooks.note([{ id, chainId: 8453, account: other, token, block: 1, at: 1, text: '{}' }])
  expect((await as('owner', path)).json).toEqual([])
})

test('a deposit found by balance shows only the payments since the previous measurement', async () => {
  const { as, store } = await world()
  const swept = async (find: number, block: number) => {
    const coin = { token: zeroAddress, txHash: null, logIndex: null, block, detectedAt: find }
    const id = sweptDepositIdOf(8453, account, zeroAddress, find)
    await store.executions.save({ ...executionOf(1, { organizationId: 'org_a', userId: 'u' }, coin), id })
    return `/deposits/${encodeURIComponent(id)}/webhooks`
  }
  const paths = [await swept(1, 10), await swept(2, 20), await swept(3, 30)]
  store.inboundWebhooks.note(
    [9, 10, 11, 20, 31].map((block) => ({
      id: `8453:${hashOf(block)}:external:${account}`,
      chainId: 8453,
      account,
      token: zeroAddress,
      block,
      at: block,
      text: `${block}`,
    })),
  )
  const shown = await Promise.all(paths.map(async (path) => (await as('member', path)).json))
  expect(shown.map((said) => said.map(({ text }: { text: string }) => text))).toEqual([['9', '10'], ['11', '20'], []])
})
