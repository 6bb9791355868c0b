import { afterEach, beforeEach, expect, test } from 'bun:test'
import { Subject } from 'rxjs'
import { notify } from '../../src/adapters/alchemy/notify'
import { webhookSubscriptions } from '../../src/detection/webhooks/subscriptions'
import { startAlchemyServer } from '../../src/devnet/alchemy/alchemy-server'
import { AlchemyWebhooks, alchemyToken } from '../../src/devnet/alchemy/alchemy-webhooks'
import { AssetTransfers } from '../../src/devnet/alchemy/asset-transfers'
import { chainKeys, chains } from '../../src/domain/chain/chain'
import type { Address } from '../../src/domain/chain/hex'
import { addressOf } from '../support/deposits'
import { limitCountersInMemory } from '../support/limit-counters'
import { eventually } from '../support/until'

const webhookUrl = 'https://switchyard.example/webhooks/alchemy'

let webhooks: AlchemyWebhooks
let server: ReturnType<typeof startAlchemyServer>
let running: ReturnType<typeof webhookSubscriptions>
let book: ReturnType<typeof bookOf>
let paused: number[]
let troubles: string[]
let limitCounters = limitCountersInMemory()

beforeEach(() => {
  limitCounters = limitCountersInMemory()
  webhooks = new AlchemyWebhooks('', false)
  webhooks.all.length = 0
  server = startAlchemyServer(webhooks, new AssetTransfers())
  begin(server.url)
})
afterEach(async () => {
  running.stop()
  await server.stop()
})

function begin(url: string, addresses: Address[] = []): void {
  paused = []
  troubles = []
  book = bookOf(addresses)
  running = webhookSubscriptions({
    notify: notify({ url, authToken: alchemyToken }),
    webhookUrl,
    limitCounters,
    now: Date.now,
    onTrouble: (work) => troubles.push(work),
    onPaused: (chainId) => paused.push(chainId),
  })
}

function bookOf(addresses: Address[]) {
  const joined = new Subject<Address[]>()
  return {
    joined,
    refresh: async () => {},
    slice: (from: number, to: number) => addresses.slice(from, to).map((each) => each.toLowerCase() as Address),
    join(...added: Address[]) {
      addresses.push(...added)
      joined.next(added)
    },
  }
}

const registered = (network: string): string[] =>
  webhooks.all.filter((each) => each.network === network).flatMap(({ addresses }) => [...(addresses ?? [])])
const everywhere = (count: number) => () =>
  chainKeys.filter((key) => registered(chains[key].alchemyNetwork).length === count)
const onAllChains = (count: number) =>
  eventually(
    `${count} addresses in the webhook of each chain`,
    async () => everywhere(count)(),
    (keys) => keys.length === 5,
  )

test('the first account creates a webhook on each of the five chains, and all their keys are loaded', async () => {
  running.start(book)
  await eventually(
    'no webhook',
    async () => webhooks.all.length,
    (count) => count === 0,
  )
  book.join(addressOf(1))
  await onAllChains(1)
  await eventually(
    'five signing keys',
    async () => Object.values(running.signingKeys()).flat().length,
    (count) => count === 5,
  )
  expect(registered('BASE_MAINNET')).toEqual([addressOf(1).toLowerCase()])
  expect(webhooks.all.map(({ webhook_url }) => webhook_url)).toContain(`${webhookUrl}?network=MATIC_MAINNET`)
  expect(running.signingKeys()[8453]).toEqual([
    webhooks.all.find((each) => each.network === 'BASE_MAINNET')!.signing_key,
  ])
})

test('missing addresses are added in batches, and additional ones are kept', async () => {
  const stranger = addressOf(0xdead).toLowerCase()
  for (const key of chainKeys)
    webhooks.create(chains[key].alchemyNetwork, webhookUrl, [stranger, addressOf(1).toLowerCase()])
  begin(
    server.url,
    Array.from({ length: 1_200 }, (_, n) => addressOf(n + 1)),
  )
  running.start(book)
  await onAllChains(1_201)
  expect(webhooks.all).toHaveLength(5)
  expect(registered('AVAX_MAINNET')).toContain(stranger)
  book.join(addressOf(5_000))
  await onAllChains(1_202)
  expect(troubles).toEqual([])
})

test('a paused webhook is switched on again and reported', async () => {
  const webhook = webhooks.create('ARB_MAINNET', webhookUrl, [addressOf(1)])
  webhook.is_active = false
  running.start(book)
  await eventually(
    'a report of the paused webhook',
    async () => paused.length,
    (count) => count === 1,
  )
  expect(webhook.is_active).toBe(true)
  expect(paused).toEqual([42161])
})

test('foreign webhooks are left alone', async () => {
  const theirs = webhooks.create('BASE_MAINNET', 'https://elsewhere.example/hook', [addressOf(9)])
  running.start(book)
  book.join(addressOf(1))
  await eventually(
    'six webhooks',
    async () => webhooks.all.length,
    (count) => count === 6,
  )
  expect([...theirs.addresses!]).toEqual([addressOf(9).toLowerCase()])
  expect(running.signingKeys()[8453]).not.toContain(theirs.signing_key)
})

test('an outage of Alchemy is reported once per kind of error, and the webhooks are repaired afterwards', async () => {
  running.stop()
  const port = new URL(server.url).port
  await server.stop()
  begin(server.url)
  running.start(book)
  book.join(addressOf(1))
  await eventually(
    'six reported troubles',
    async () => troubles.length,
    (count) => count === 6,
  )
  server = startAlchemyServer(webhooks, new AssetTransfers(), Number(port))
  await onAllChains(1)
})

test('five processes that find the webhooks missing at one moment create one on each chain', async () => {
  const addresses = [addressOf(1), addressOf(2)]
  const processes = Array.from({ length: 5 }, () =>
    webhookSubscriptions({
      notify: notify({ url: server.url, authToken: alchemyToken }),
      webhookUrl,
      limitCounters,
      now: Date.now,
      onTrouble: (work) => troubles.push(work),
    }),
  )
  for (const one of processes) one.start(bookOf([...addresses]))
  await onAllChains(2)
  // Each process has every key, so each has read the webhooks that one of them created.
  for (const one of processes)
    await eventually(
      'five signing keys',
      async () => Object.values(one.signingKeys()).flat().length,
      (count) => count === 5,
    )
  for (const one of processes) one.stop()
  expect(webhooks.all.map(({ network }) => network).toSorted()).toEqual(
    chainKeys.map((key) => chains[key].alchemyNetwork).toSorted(),
  )
})
