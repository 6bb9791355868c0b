import { expect, test } from 'bun:test'
import { type ChainId, chainIds, perChain } from '../../src/domain/chain/chain'
import { type Relayer, relayerNeed, unusedRelayer, usualOrder } from '../../src/domain/chain/relayer'
import type { Component, Observation, OverdueKind } from '../../src/domain/execution/overdue'
import type { ProviderHealth } from '../../src/ports/gate'
import { observeComponents } from '../../src/routing/overdue/observe'
import { addressOf, depositOf } from '../support/deposits'
import { observationsInMemory } from '../support/observations'
import { recordsOf } from '../support/records'

const minuteMs = 60_000
const base: ChainId = 8453
const begun = 1_800_000_000_000
const key = { id: `${base}:0`, address: addressOf(0xa) }
const feeCap = 10n
const need = relayerNeed(null, 0, feeCap, usualOrder)

/** Five chains with healthy nodes, and one relayer on Base. A test changes what they answer. */
function world() {
  const clock = { now: begun }
  const state = {
    balance: need,
    isDelegated: false,
    headAge: 0 as number | null,
    health: [] as Partial<ProviderHealth>[],
    deposits: [] as object[],
    isDown: '' as '' | 'nodes' | 'providers' | 'deposits',
  }
  const asked: string[] = []
  const filters: unknown[][] = []
  const troubles: string[] = []
  const observations = observationsInMemory()
  const relayerRecords = recordsOf<Relayer>('senders')
  const asking = <Answer>(what: string, answer: Answer) => {
    asked.push(what)
    if (state.isDown === 'nodes') throw new Error('down')
    return answer
  }
  const chains = perChain((id) => ({
    head: async (ms: number) => {
      if (state.headAge === null) throw new Error('down')
      return asking(`head ${id} ${ms}`, { time: (clock.now - state.headAge) / 1_000 })
    },
    fee: async () => asking(`fee ${id}`, { feeCap }),
    nativeBalance: async () => asking(`balance ${id}`, state.balance),
    minedNonces: async () => asking(`nonces ${id}`, 3),
    isDelegated: async () => asking(`delegation ${id}`, state.isDelegated),
  }))
  const observe = observeComponents({
    ...{ chains, relayerRecords, observations, now: () => clock.now },
    relayers: { onChain: (id: ChainId) => (id === base ? [key] : []) },
    depositQueries: {
      list: async (...given: unknown[]) => {
        filters.push(given)
        if (state.isDown === 'deposits') throw new Error('down')
        return state.deposits
      },
    },
    providerHealth: async () => {
      if (state.isDown === 'providers') throw new Error('down')
      return state.health
    },
    onTrouble: (what: string) => troubles.push(what),
  } as never)
  const seen = async (kind: OverdueKind, of: Partial<Component> = {}) =>
    (await observations.all()).filter(
      (one) =>
        one.kind === kind && Object.entries(of).every(([name, value]) => one[name as keyof Observation] === value),
    )
  /** Observes after a time. Returns what the nodes were asked. */
  const after = async (ms: number) => {
    clock.now += ms
    asked.length = 0
    await observe()
    return [...asked]
  }
  /** How long ago the only such component was well, and when it was checked. */
  const agesOf = async (kind: OverdueKind, of: Partial<Component> = {}) =>
    (await seen(kind, of)).map(({ okAt, at }) => [clock.now - okAt, clock.now - at])
  return { ...{ clock, state, asked, filters, troubles, observations, relayerRecords }, after, seen, agesOf }
}
const asks = (all: readonly string[], what: string) => all.filter((each) => each.startsWith(what)).length

test('the sweep of each chain is expected from the first round on, and a later report stands', async () => {
  const { after, seen, observations, agesOf } = world()
  await after(0)
  expect((await seen('SWEEP')).map(({ chainId }) => chainId).toSorted()).toEqual([...chainIds].toSorted())
  await observations.note({ kind: 'SWEEP', chainId: base, provider: null, subject: null }, begun + 9, begun + 9)
  await after(minuteMs)
  expect(await agesOf('SWEEP', { chainId: base })).toEqual([[minuteMs - 9, minuteMs - 9]])
})

test('the head of a healthy chain is read every hundred seconds, and of an unhealthy one every thirty', async () => {
  const { after, state, agesOf } = world()
  expect(asks(await after(0), 'head')).toBe(chainIds.length)
  expect(asks(await after(99_999), 'head')).toBe(0)
  expect(await after(1)).toContain(`head ${base} 30000`)
  state.headAge = null
  await after(100_000)
  expect(await agesOf('HEAD', { chainId: base })).toEqual([[100_000, 0]])
  state.headAge = 7_000
  await after(100_000) // since the last check that the chain was well
  expect(await agesOf('HEAD', { chainId: base })).toEqual([[7_000, 0]])
  state.headAge = 20 * minuteMs
  await after(100_000)
  await after(29_999)
  const checked = await agesOf('HEAD', { chainId: base })
  expect(checked).toEqual([[136_999, 29_999]])
  state.headAge = -5_000 // the clock of the chain is ahead
  await after(100_000)
  expect(await agesOf('HEAD', { chainId: base })).toEqual([[0, 0]])
})

test('a relayer is checked every five minutes, and every thirty seconds while it holds too little', async () => {
  const { after, state, agesOf, seen } = world()
  await after(0)
  expect(await seen('RELAYER_GAS')).toMatchObject([{ chainId: base, subject: key.address, balanceRaw: String(need) }])
  expect(await agesOf('RELAYER_GAS')).toEqual([[0, 0]])
  expect(asks(await after(5 * minuteMs - 1), 'balance')).toBe(0)
  state.balance = need - 1n
  expect(asks(await after(1), 'balance')).toBe(1)
  expect(await agesOf('RELAYER_GAS')).toEqual([[5 * minuteMs, 0]])
  expect([asks(await after(29_999), 'balance'), asks(await after(1), 'balance')]).toEqual([0, 1])
  state.balance = need
  await after(30_000)
  expect(await agesOf('RELAYER_GAS')).toEqual([[0, 0]])
})

test('a relayer needs enough for its unmined transactions, whose number is read only if there are any', async () => {
  const { after, relayerRecords, agesOf } = world()
  expect(asks(await after(0), 'nonces')).toBe(0)
  const attempt = { bytes: '0x', hash: '0x', feeCap: '10', tip: '1', at: 1 }
  const slot = { nonce: 5, orderId: '0x', attempts: [attempt], gasLimit: '600000', nativeFee: '0', order: null }
  await relayerRecords.save({ ...unusedRelayer(key.id), slots: [slot] } as never)
  expect(asks(await after(5 * minuteMs), 'nonces')).toBe(1)
  expect(await agesOf('RELAYER_GAS')).toEqual([[5 * minuteMs, 0]])
})

test('a key that lets other code act for it is noted in its record, and again when it no longer does', async () => {
  const { after, state, relayerRecords, agesOf } = world()
  await after(0)
  expect(await relayerRecords.load(key.id)).toBeNull()
  state.isDelegated = true
  await after(5 * minuteMs)
  expect((await relayerRecords.load(key.id))!.isDelegated).toBe(true)
  expect(await agesOf('RELAYER_DELEGATED')).toEqual([[5 * minuteMs, 0]])
  await after(30_000)
  expect((await relayerRecords.load(key.id))!.version).toBe(1)
  state.isDelegated = false
  await after(30_000)
  expect((await relayerRecords.load(key.id))!.isDelegated).toBeUndefined()
  expect(await agesOf('RELAYER_DELEGATED')).toEqual([[0, 0]])
})

test('what cannot be checked is reported by its name, and everything else is still checked', async () => {
  const { after, state, troubles, agesOf } = world()
  state.isDown = 'nodes'
  await after(0)
  const relayer = [`checking RELAYER_DELEGATED:${base}:${key.address}`, `checking RELAYER_GAS:${base}:${key.address}`]
  expect(troubles.toSorted()).toEqual(relayer)
  expect((await agesOf('HEAD', { chainId: base })).length).toBe(1)
  for (const [part, said] of [
    ['providers', 'checking the providers'],
    ['deposits', 'checking the webhooks'],
  ] as const) {
    troubles.length = 0
    state.isDown = part
    await after(10 * minuteMs)
    expect(troubles).toEqual([said])
  }
})

const found = (n: number, detectedBy: string[], changed: object = {}) => ({
  execution: { deposit: { ...depositOf(n), detectedBy, ...changed } },
})
const missed = (count: number) => Array.from({ length: count }, (_, n) => found(n, ['SCANNER']))

test('a webhook that reported before is silent once it misses five deposits in a row', async () => {
  const { after, state, filters, agesOf, clock } = world()
  state.deposits = missed(5)
  await after(0)
  expect(await agesOf('WEBHOOK')).toEqual([]) // it never reported anything
  expect(filters).toEqual([[{ organizationId: null, createdFrom: begun - 60 * minuteMs }, { limit: 100 }]])
  state.deposits = [...missed(4), found(9, ['SCANNER', 'WEBHOOK'])]
  await after(5 * minuteMs - 1)
  expect(filters.length).toBe(1)
  await after(1)
  expect(await agesOf('WEBHOOK', { chainId: base })).toEqual([[0, 0]])
  state.deposits = missed(4)
  await after(5 * minuteMs)
  expect(await agesOf('WEBHOOK')).toEqual([[5 * minuteMs, 5 * minuteMs]])
  state.deposits = [...missed(5), found(9, ['WEBHOOK'])]
  await after(5 * minuteMs)
  expect(await agesOf('WEBHOOK')).toEqual([[10 * minuteMs, 0]])
  const looks = filters.length
  await after(29_999)
  expect(filters.length).toBe(looks)
  state.deposits = [found(9, ['WEBHOOK'])]
  await after(1)
  expect([filters.length, await agesOf('WEBHOOK')]).toEqual([looks + 1, [[0, 0]]])
  expect(clock.now).toBeGreaterThan(begun)
})

test('only deposits of the chain that a transaction brought show whether its webhook reports them', async () => {
  const { after, state, seen } = world()
  const elsewhere = [
    found(1, ['WEBHOOK'], { chainId: 1 }),
    found(2, ['WEBHOOK'], { txHash: null }),
    { execution: null },
  ]
  state.deposits = elsewhere
  await after(0)
  expect((await seen('WEBHOOK')).map(({ chainId }) => chainId)).toEqual([1])
})

const healthy: Partial<ProviderHealth> = {
  ...{ provider: 'lifi', credentialsRefusedAt: null, unreadable: null, failingSince: null, failsBetween: [] },
  ...{ breaker: 'CLOSED', updatedAt: begun },
}

test('a provider that refuses our credentials or cannot be read is observed until it no longer does', async () => {
  const { after, state, agesOf, clock } = world()
  const note = async (ms: number, changed: Partial<ProviderHealth>) => {
    state.health = [{ ...healthy, updatedAt: clock.now + ms, ...changed }]
    await after(ms)
  }
  await note(0, {})
  expect([await agesOf('PROVIDER_REFUSES'), await agesOf('PROVIDER_UNREADABLE')]).toEqual([[], []])
  await note(minuteMs, { credentialsRefusedAt: begun + 5, unreadable: 'x', failingSince: begun + 7 })
  expect([await agesOf('PROVIDER_REFUSES'), await agesOf('PROVIDER_UNREADABLE')]).toEqual([
    [[minuteMs - 5, 0]],
    [[minuteMs - 7, 0]],
  ])
  await note(minuteMs, {})
  expect([await agesOf('PROVIDER_REFUSES'), await agesOf('PROVIDER_UNREADABLE')]).toEqual([[[0, 0]], [[0, 0]]])
  await note(minuteMs, {})
  expect(await agesOf('PROVIDER_REFUSES')).toEqual([[minuteMs, minuteMs]])
})

test('an unreadable provider fails since it first did between two chains, and at least since a moment ago', async () => {
  const { after, state, agesOf } = world()
  const between = [{ from: 1, to: 10, since: begun - 9 }] as never
  state.health = [{ ...healthy, unreadable: 'x', failsBetween: between }]
  await after(0)
  expect(await agesOf('PROVIDER_UNREADABLE')).toEqual([[9, 0]])
  state.health = [{ ...healthy, provider: 'relay', unreadable: 'x', credentialsRefusedAt: begun + 99 }]
  await after(0)
  expect(await agesOf('PROVIDER_UNREADABLE', { provider: 'relay' })).toEqual([[1, 0]])
  expect(await agesOf('PROVIDER_REFUSES', { provider: 'relay' })).toEqual([[1, 0]])
})

test('a provider that is shut is observed by a process that queries it, from the first time it is seen shut', async () => {
  const { after, state, agesOf, clock } = world()
  const note = async (ms: number, changed: Partial<ProviderHealth>) => {
    state.health = [{ ...healthy, updatedAt: clock.now + ms, breaker: 'OPEN', ...changed }]
    await after(ms)
    return agesOf('PROVIDER_RESTS')
  }
  expect(await note(0, { updatedAt: null })).toEqual([])
  expect(await note(0, { updatedAt: begun - 10 * minuteMs })).toEqual([])
  expect(await note(0, {})).toEqual([[0, 0]])
  expect(await note(minuteMs, {})).toEqual([[minuteMs, 0]])
  expect(await note(minuteMs, { unreadable: 'x' })).toEqual([[0, 0]]) // its own alert says so
  expect(await note(minuteMs, { credentialsRefusedAt: begun })).toEqual([[0, 0]])
  expect(await note(minuteMs, { breaker: 'CLOSED' })).toEqual([[0, 0]])
  expect(await note(10 * minuteMs, {})).toEqual([[0, 0]]) // nobody saw when it was shut
})

test('a shut provider that nothing has checked for ten minutes counts as over', async () => {
  const { after, state, agesOf, observations } = world()
  const component = { kind: 'PROVIDER_RESTS', chainId: null, provider: 'lifi', subject: null } as const
  await observations.note(component, begun, begun - 60 * minuteMs)
  state.health = [{ ...healthy, breaker: 'OPEN', updatedAt: null }]
  await after(10 * minuteMs - 1)
  expect(await agesOf('PROVIDER_RESTS')).toEqual([[70 * minuteMs - 1, 10 * minuteMs - 1]])
  await after(1)
  expect(await agesOf('PROVIDER_RESTS')).toEqual([[0, 0]])
})
