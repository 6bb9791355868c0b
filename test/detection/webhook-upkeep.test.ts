import { afterEach, expect, test } from 'bun:test'
import { Subject } from 'rxjs'
import { webhookSubscriptions } from '../../src/detection/webhooks/subscriptions'
import { type ChainId, chainIds, chainOf } from '../../src/domain/chain/chain'
import type { Address } from '../../src/domain/chain/hex'
import type { Notify, NotifyWebhook } from '../../src/ports/detection'
import { addressOf } from '../support/deposits'
import { limitCountersInMemory } from '../support/limit-counters'
import { until } from '../support/until'

const webhookUrl = 'https://switchyard.example/webhooks/alchemy'
const base = 8453
const hourMs = 3_600_000
const urlOn = (chainId: ChainId) => `${webhookUrl}?network=${chainOf(chainId).alchemyNetwork}`
const addressesOf = (from: number, count: number): Address[] =>
  Array.from({ length: count }, (_, n) => addressOf(from + n))

const running: { stop(): void }[] = []
afterEach(() => {
  for (const one of running.splice(0)) one.stop()
})

/** Alchemy's webhooks in memory. Every chain but Base has a webhook that lacks nothing. */
function upkeep(...known: Address[]) {
  const clock = { now: 10 * hourMs }
  const book = [...known]
  const joined = new Subject<Address[]>()
  const webhooks: NotifyWebhook[] = []
  const registered = new Map<string, Set<string>>()
  const state = { lists: 0, isDown: false }
  const asked: [verb: string, webhook: string, count: number][] = []
  const troubles: string[] = []
  const paused: ChainId[] = []
  const limitCounters = limitCountersInMemory()
  const have = (id: string, chainId: ChainId, addresses: readonly string[], changed: Partial<NotifyWebhook> = {}) => {
    const webhook = {
      id,
      chainId,
      url: urlOn(chainId),
      isActive: true,
      signingKey: `key ${id}`,
      createdAt: 5,
      ...changed,
    }
    webhooks.push(webhook)
    registered.set(id, new Set(addresses.map((each) => each.toLowerCase())))
    return webhook
  }
  const notify: Notify = {
    async webhooks() {
      state.lists += 1
      if (state.isDown) throw new Error('Alchemy is down')
      return [...webhooks]
    },
    async *addresses(id) {
      yield [...registered.get(id)!]
    },
    async create(chainId, url, addresses) {
      asked.push(['create', url, addresses.length])
      return have(`new ${webhooks.length}`, chainId, addresses, { url, createdAt: clock.now })
    },
    async add(id, addresses) {
      asked.push(['add', id, addresses.length])
      for (const each of addresses) registered.get(id)!.add(each.toLowerCase())
    },
    async activate(id) {
      asked.push(['activate', id, 0])
    },
  }
  const subscriptions = webhookSubscriptions({
    ...{ notify, webhookUrl, limitCounters, now: () => clock.now },
    onTrouble: (work) => troubles.push(work),
    onPaused: (chainId) => paused.push(chainId),
  })
  running.push(subscriptions)
  for (const id of chainIds) if (id !== base) have(`w${id}`, id, known)
  const start = () =>
    subscriptions.start({ refresh: async () => {}, slice: (from, to) => book.slice(from, to), joined })
  const join = (...added: Address[]) => {
    book.push(...added)
    joined.next(added)
  }
  const complete = () =>
    until('the webhooks of all chains are complete', (note) =>
      note(chainIds.filter((id) => subscriptions.isComplete(id)).length === chainIds.length),
    )
  return {
    ...subscriptions,
    start,
    join,
    complete,
    have,
    clock,
    state,
    asked,
    troubles,
    paused,
    limitCounters,
    registered,
  }
}

test('missing addresses are added 500 at a time to the oldest webhook with room, and those of others stay', async () => {
  const { have, start, complete, asked, registered, troubles } = upkeep(...addressesOf(1, 6_200))
  have('young', base, [], { createdAt: 9 })
  have('old', base, addressesOf(1, 5_000).concat(addressOf(9_999)), { createdAt: 1 })
  have('theirs', base, [], { url: 'https://elsewhere.example/hook' })
  start()
  await complete()
  const added = [500, 500, 200].map((count) => ['add', 'old', count])
  expect(asked).toEqual(added as never)
  expect([registered.get('old')!.size, registered.get('young')!.size, troubles]).toEqual([6_201, 0, []])
})

test('a webhook takes 100,000 addresses, and another one the rest', async () => {
  const { have, start, join, complete, asked, registered } = upkeep()
  have('full', base, addressesOf(1, 99_900))
  start()
  await complete()
  join(...addressesOf(200_000, 300))
  await complete()
  const created = urlOn(base)
  expect(asked.filter(([, webhook]) => webhook === 'full' || webhook === created)).toEqual([
    ['add', 'full', 100],
    ['create', created, 200],
  ])
  expect(registered.get('full')!.size).toBe(100_000)
})

test('a webhook of an earlier release without the network in its URL is ours too, on its own chain', async () => {
  const { start, join, complete, asked, signingKeys, have } = upkeep()
  have('former', base, [], { url: webhookUrl })
  start()
  await complete()
  join(addressOf(1))
  await complete()
  expect(asked.filter(([, webhook]) => webhook === 'former')).toEqual([['add', 'former', 1]])
  expect([signingKeys()[base], signingKeys()[1]]).toEqual([['key former'], ['key w1']])
})

test('a webhook is created on a chain without one, by the process that has the turn', async () => {
  const { start, join, complete, asked, signingKeys, limitCounters, clock } = upkeep()
  const turn = `alchemy-webhook:${base}:${Math.floor(clock.now / 600_000)}`
  start()
  await complete()
  expect(asked).toEqual([])
  await limitCounters.take(turn, 1, 0)
  join(addressOf(1))
  await until('the other chains have the address', (note) => note(asked).length === chainIds.length - 1)
  expect(asked.every(([verb]) => verb === 'add')).toBe(true)
  await limitCounters.giveBack(turn)
  await complete()
  expect(asked.at(-1)).toEqual(['create', urlOn(base), 1])
  expect([signingKeys()[base]!.length, await limitCounters.used(turn)]).toEqual([1, 0])
})

test('a paused webhook is switched on again and reported, and a running one is left alone', async () => {
  const { have, start, complete, asked, paused } = upkeep()
  have('paused', base, [], { isActive: false })
  start()
  await complete()
  expect([asked, paused]).toEqual([[['activate', 'paused', 0]], [base]])
})

test('the webhooks are compared again each hour, and count as complete for two', async () => {
  const { have, start, join, complete, state, clock, isComplete, asked } = upkeep(addressOf(1))
  have('w', base, [addressOf(1)])
  expect(isComplete(base)).toBe(false)
  start()
  await complete()
  const { lists } = state
  clock.now += hourMs - 1
  join(addressOf(2))
  await until('each chain has the address', (note) => note(asked).length === chainIds.length)
  expect(state.lists).toBe(lists)
  clock.now += hourMs
  expect(isComplete(base)).toBe(true)
  clock.now += 1
  expect(isComplete(base)).toBe(false)
  join()
  await complete()
  expect(state.lists).toBe(lists + chainIds.length)
})

test('keys are read for an unknown signature, at most every ten seconds, and a failure is reported', async () => {
  const { have, learnSoon, signingKeys, state, clock, troubles } = upkeep()
  have('w', base, [])
  learnSoon()
  await until('the key is known', (note) => note(signingKeys()[base] ?? []).length === 1)
  expect(signingKeys()[base]).toEqual(['key w'])
  clock.now += 9_999
  learnSoon()
  expect(state.lists).toBe(1)
  clock.now += 1
  state.isDown = true
  learnSoon()
  await until('the failure is reported', (note) => note(troubles).length === 1)
  expect([state.lists, troubles, signingKeys()[base]]).toEqual([2, ['webhook keys'], ['key w']])
})

test('without an address book only the keys are read', async () => {
  const { have, signingKeys, asked } = upkeep(addressOf(1))
  have('w', base, [])
  const { start } = running[0] as unknown as { start(book: null): void }
  start(null)
  await until('the key is known', (note) => note(signingKeys()[base] ?? []).length === 1)
  expect(asked).toEqual([])
})
