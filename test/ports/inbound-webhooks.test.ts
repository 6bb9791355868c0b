import { describe, expect, test } from 'bun:test'
import { zeroAddress } from '../../src/domain/chain/hex'
import type { InboundWebhook } from '../../src/ports/detection'
import { addressOf, hashOf } from '../support/deposits'
import { stores } from '../support/stores'
import { until } from '../support/until'

const [ours, theirs, nobodys] = [addressOf(1), addressOf(2), addressOf(3)]
const said = (n: number, change: Partial<InboundWebhook> = {}): InboundWebhook => ({
  id: `8453:${hashOf(n)}:0`,
  chainId: 8453,
  account: ours,
  token: addressOf(0x70),
  block: n,
  at: n,
  text: `{"n":${n}}`,
  ...change,
})

describe.each(stores)('%s', (_name, open) => {
  async function world() {
    const { store, other } = await open()
    for (const [id, organizationId] of [
      [ours, 'org_a'],
      [theirs, 'org_b'],
    ] as const)
      await store.accounts.save({
        id,
        version: 0,
        organizationId,
        userId: id,
        canonicalChainId: 8453,
        label: null,
        accountSalt: hashOf(1),
        createdAt: 0,
        updatedAt: 0,
      })
    const { inboundWebhooks } = store
    const kept = (id: string, organizationId = 'org_a', account = ours) =>
      until(`what was said of ${id}`, async (note) => note(await inboundWebhooks.find(organizationId, account, id)))
    return { inboundWebhooks, other: other.inboundWebhooks, kept }
  }

  test('a webhook about our account is stored unchanged, and one about other accounts is not', async () => {
    const { inboundWebhooks, kept } = await world()
    inboundWebhooks.note([said(1, { account: nobodys }), said(2), said(3, { text: null })])
    expect(await kept(said(2).id)).toEqual(said(2))
    expect(await kept(said(3).id)).toEqual(said(3, { text: null }))
    expect(await inboundWebhooks.find('org_a', nobodys, said(1).id)).toBeNull()
  })

  test('a webhook is found only by its organization and account', async () => {
    const { inboundWebhooks, kept } = await world()
    inboundWebhooks.note([said(1, { account: theirs })])
    expect(await kept(said(1).id, 'org_b', theirs)).toEqual(said(1, { account: theirs }))
    expect(await inboundWebhooks.find('org_a', theirs, said(1).id)).toBeNull()
    expect(await inboundWebhooks.find('org_b', ours, said(1).id)).toBeNull()
  })

  test('the first version of a webhook stays when it is repeated', async () => {
    const { inboundWebhooks, other, kept } = await world()
    inboundWebhooks.note([said(1), said(1, { at: 5 })])
    await kept(said(1).id)
    other.note([said(1, { at: 9, text: '{"later":true}' }), said(2)])
    await kept(said(2).id)
    expect(await kept(said(1).id)).toEqual(said(1))
  })

  test('webhooks about native coins are found by block range, oldest first, only by their organization', async () => {
    const { inboundWebhooks, kept } = await world()
    const coin = { token: zeroAddress } as const
    const elsewhere = [said(6, { ...coin, chainId: 137 }), said(7, { ...coin, block: null }), said(8, { block: 3 })]
    inboundWebhooks.note([...[5, 4, 3, 2, 1].map((n) => said(n, coin)), ...elsewhere])
    await kept(said(8).id)
    const of = (organizationId: string, after: number, to: number, limit = 10) =>
      inboundWebhooks.ofCoin(organizationId, { account: ours, chainId: 8453, after, to }, limit)
    expect(await of('org_a', 1, 4)).toEqual([2, 3, 4].map((n) => said(n, coin)))
    expect(await of('org_a', -1, 9, 2)).toEqual([1, 2].map((n) => said(n, coin)))
    expect(await of('org_b', -1, 9)).toEqual([])
  })

  test('a thousand simultaneous webhooks are all stored', async () => {
    const { inboundWebhooks, kept } = await world()
    const all = Array.from({ length: 1_200 }, (_, n) => said(n))
    inboundWebhooks.note(all)
    for (const { id } of [all[0]!, all[600]!, all.at(-1)!]) expect((await kept(id)).id).toBe(id)
  })
})
