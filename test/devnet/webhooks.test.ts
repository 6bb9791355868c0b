import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { chains } from '../../src/domain/chain/chain'
import { eventually } from '../support/until'
import { newAddress, route, signature, startWorld, type World } from './world'

type Delivery = {
  signature: string
  raw: string
  body: { id: string; type: string; event: { network: string; activity: Item[] } }
}
type Item = {
  toAddress: string
  hash: string
  category: string
  asset: string
  rawContract: { rawValue: string; address: string | null; decimals: number }
  log?: { logIndex: string; removed: boolean; topics: string[] }
}

let world: World
let deliveries: Delivery[] = []
let refuse = 0
const receiver = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  fetch: async (request) => {
    const raw = await request.text()
    if (refuse-- > 0) return new Response('busy', { status: 503 })
    deliveries.push({ signature: request.headers.get('x-alchemy-signature') ?? '', raw, body: JSON.parse(raw) })
    return new Response('ok')
  },
})

beforeAll(async () => {
  world = await startWorld(`http://127.0.0.1:${receiver.port}/`)
})
afterAll(async () => {
  await world?.end()
  await receiver.stop(true)
})
beforeEach(() => {
  deliveries = []
  refuse = 0
})

const about = (address: string) => () =>
  deliveries.filter(({ body }) => body.event.activity.some(({ toAddress }) => toAddress === address.toLowerCase()))

const deliveriesTo = (address: string, count: number) =>
  eventually(`${count} deliveries for ${address}`, about(address), (found) => found.length >= count)

const deposit = (to: `0x${string}`, token = 'USDC', amountRaw = 25_000_000n) =>
  world.sendDeposit({ chainKey: 'base', token, amountRaw, to })

const control = (method: string, path: string, body?: unknown) =>
  fetch(`${world.controlUrl}/${path}`, { method, ...(body ? { body: JSON.stringify(body) } : {}) })

test('a token deposit is posted as by Alchemy, signed over the raw body with the key of its chain', async () => {
  const to = newAddress()
  const hash = await deposit(to)
  const [delivery] = await deliveriesTo(to, 1)
  expect(delivery!.signature).toBe(signature(world.webhookSigningKeys.base, delivery!.raw))
  expect(delivery!.signature).not.toBe(signature(world.webhookSigningKeys.polygon, delivery!.raw))
  expect(delivery!.body).toMatchObject({ type: 'ADDRESS_ACTIVITY', event: { network: 'BASE_MAINNET' } })
  const item = delivery!.body.event.activity.find(({ toAddress }) => toAddress === to)!
  expect(item).toMatchObject({ hash, category: 'token', asset: 'USDC', log: { removed: false } })
  expect(BigInt(item.rawContract.rawValue)).toBe(25_000_000n)
  expect(item.rawContract.address).toBe('0x833589fcd6edb6e08f4c7c32d4f71b54bda02913')
  expect(item.log!.topics[2]).toEndWith(to.slice(2))
})

test('a native deposit is posted as external activity without a contract', async () => {
  const to = newAddress()
  await deposit(to, 'native', 10n ** 16n)
  const [delivery] = await deliveriesTo(to, 1)
  const item = delivery!.body.event.activity.find(({ toAddress }) => toAddress === to)!
  expect(item).toMatchObject({ category: 'external', rawContract: { address: null, rawValue: '0x2386f26fc10000' } })
})

test('a webhook that is not accepted is posted again with the same bytes', async () => {
  refuse = 2
  const to = newAddress()
  await deposit(to)
  const [delivery] = await deliveriesTo(to, 1)
  expect(refuse).toBeLessThan(0)
  expect(delivery!.signature).toBe(signature(world.webhookSigningKeys.base, delivery!.raw))
})

test('a dropped webhook never arrives, and a duplicated one arrives as often as requested', async () => {
  await control('PUT', 'faults/webhooks', { fault: 'DROP', times: 1 })
  const lost = newAddress()
  await world.waitForReceipt('base', await deposit(lost))
  await control('PUT', 'faults/webhooks', { fault: 'DUPLICATE', times: 1, copies: 50 })
  const doubled = newAddress()
  await deposit(doubled)
  const all = await deliveriesTo(doubled, 50)
  expect(all).toHaveLength(50)
  expect(new Set(all.map(({ body }) => body.id)).size).toBe(1)
  expect(about(lost)()).toHaveLength(0)
})

test('transfers to the devnet’s own accounts are not posted, and refunds are', async () => {
  const to = { from: 'base', to: 'polygon', toToken: 'USDC', amount: 5_000_000n } as const
  const { account } = await route(world, { ...to, token: 'SY-REFUND', recipient: newAddress() })
  await deliveriesTo(account, 2)
  const collector = world.keys.collector.toLowerCase()
  const items = deliveries.flatMap(({ body }) => body.event.activity)
  expect(items.some(({ toAddress }) => toAddress === collector)).toBe(false)
})

test('only the transfers of registered addresses are posted after a registration through the Notify API', async () => {
  const token = { 'x-alchemy-token': world.alchemyToken, 'content-type': 'application/json' }
  const list = await (await fetch(`${world.alchemyUrl}/team-webhooks`, { headers: token })).json()
  const webhook = list.data.find((each: { network: string }) => each.network === chains.base.alchemyNetwork)
  expect(webhook.signing_key).toBe(world.webhookSigningKeys.base)
  expect((await fetch(`${world.alchemyUrl}/team-webhooks`)).status).toBe(401)

  const [known, stranger] = [newAddress(), newAddress()]
  const body = JSON.stringify({ webhook_id: webhook.id, addresses_to_add: [known], addresses_to_remove: [] })
  const updated = await fetch(`${world.alchemyUrl}/update-webhook-addresses`, { method: 'PATCH', headers: token, body })
  expect(await updated.json()).toEqual({})
  await world.waitForReceipt('base', await deposit(stranger))
  await deposit(known)
  await deliveriesTo(known, 1)
  expect(about(stranger)()).toHaveLength(0)
})
