import { expect, test } from 'bun:test'
import { chainIds, perChain } from '../../src/domain/chain/chain'
import { relayerBalances } from '../../src/http/dashboard/relayers'
import { stateDurations } from '../../src/http/dashboard/state-durations'
import { executionOf } from '../support/deposits'
import { membersWorld } from './sign-in/members-world'

const entry = (seq: number, at: number, from: string | null, to: string) => ({
  seq,
  at,
  event: 'moved',
  from,
  to,
  status: null,
  note: null,
})

test('a stay lasts from the entry that began it to the entry that left the state', () => {
  const history = [entry(1, 100, null, 'a'), entry(2, 150, 'a', 'b'), entry(3, 170, 'b', 'b'), entry(4, 250, 'b', 'c')]
  expect(stateDurations([history], 0, true)).toEqual([
    { state: 'a', left: 1, isWhole: true, medianMs: 50, p95Ms: 50 },
    { state: 'b', left: 1, isWhole: true, medianMs: 100, p95Ms: 100 },
  ])
})

test('a line of a state opens as an execution if it is shown or re-driven, and else as a deposit', async () => {
  const world = await membersWorld()
  const routing = { organizationId: 'org_a', state: 'finding route', status: null } as const
  const records = [
    executionOf(1, { ...routing, createdAt: null }),
    executionOf(2, { ...routing, createdAt: 5 }),
    { ...executionOf(3, { ...routing, createdAt: null, redriveOf: executionOf(3).id }), id: `${executionOf(3).id}:r1` },
  ]
  for (const record of records) await world.store.executions.save(record)
  const { json } = await world.as('member', '/states/finding%20route')
  expect(json.map(({ id, isShown }: { id: string; isShown: boolean }) => [id, isShown]).toSorted()).toEqual(
    records.map(({ id }, n) => [id, n > 0]).toSorted(),
  )
})

test('half of the stays are at most the median, 19 of 20 at most p95, and old ones do not count', () => {
  const histories = Array.from({ length: 20 }, (_, n) => [entry(1, 1_000, null, 'a'), entry(2, 1_001 + n, 'a', 'b')])
  const old = [entry(1, 0, null, 'a'), entry(2, 900, 'a', 'b')]
  expect(stateDurations([...histories, old], 1_000, true)).toEqual([
    { state: 'a', left: 20, isWhole: true, medianMs: 10, p95Ms: 19 },
  ])
})

test('a relayer’s balance is queried once in ten seconds, and an unresponsive chain hides no other', async () => {
  let [now, asked] = [0, 0]
  const nativeBalance = async () => {
    asked++
    return 7n
  }
  const away = async () => {
    throw new Error('away')
  }
  const chains = perChain((_id, key) => ({ nativeBalance: key === 'base' ? away : nativeBalance }))
  const balances = relayerBalances(chains, { onChain: () => [{ address: '0x4' as const }] }, () => now)
  const read = await balances()
  expect(read).toHaveLength(chainIds.length)
  expect(read.filter(({ balanceWei }) => balanceWei === null)).toHaveLength(1)
  await balances()
  expect(asked).toBe(chainIds.length - 1)
  now = 10_000
  await balances()
  expect(asked).toBe(2 * (chainIds.length - 1))
})

test('the platform’s operators see every relayer with its coin', async () => {
  const world = await membersWorld()
  const { json } = await world.as('platform-operator', '/relayers')
  expect(json).toEqual([
    { chainId: 8453, chainKey: 'base', symbol: 'ETH', address: `0x${'4'.repeat(40)}`, balance: '2000000000000000000' },
  ])
})

test('the platform’s operators see the requests to each chain’s nodes by day', async () => {
  const world = await membersWorld()
  const { json } = await world.as('platform-operator', '/node-requests')
  expect(json.days).toHaveLength(14)
  expect(json.days.at(-1)).toBe('2026-11-21')
  const nothing = Array(13).fill(0)
  expect(json.chains.find(({ chainKey }: { chainKey: string }) => chainKey === 'base')).toEqual({
    chainId: 8453,
    chainKey: 'base',
    budget: 100,
    requests: [...nothing, 13],
    computeUnits: [...nothing, 10 * 26 + 2 * 60],
    methods: [
      { method: 'eth_call', requests: 10, computeUnits: 260 },
      { method: 'eth_getLogs', requests: 2, computeUnits: 120 },
      { method: 'eth_chainId', requests: 1, computeUnits: 0 },
    ],
  })
  expect(json.chains).toHaveLength(chainIds.length)
})

test('usage covers the member’s own organization, or all for the platform’s operators', async () => {
  const world = await membersWorld()
  const whose = async (name: string) => (await world.as(name, '/usage')).json.days[0].apiKeyId
  expect(await whose('owner')).toBe('org_a')
  expect(await whose('other-member')).toBe('org_b')
  expect(await whose('platform-member')).toBe('org_p')
  expect(await whose('platform-operator')).toBe('everybody')
})
