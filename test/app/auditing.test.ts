import { expect, test } from 'bun:test'
import { VirtualTimeScheduler } from 'rxjs'
import { type Audited, auditing } from '../../src/app/audit/auditing'
import { type ChainId, chainIds } from '../../src/domain/chain/chain'
import { zeroAddress } from '../../src/domain/chain/hex'
import { RoutingError } from '../../src/domain/error'
import type { LaneFacts, RouteFact } from '../../src/ports/audit'
import { account, at, collector, type Drawn, laneOf } from '../support/audit-lanes'
import { watchedInstallation } from '../support/audited-installation'
import { addressOf, hashOf } from '../support/deposits'
import { storeInMemory } from '../support/stores'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const base = 8453
const ether = 10n ** 18n
const deposit = (end: Drawn['end']): Drawn => {
  return { amountRaw: 25_000_000n, end, gasFeeRaw: 20n, protocolFeeBps: 50, remainderRaw: 0n }
}
const lane = (): LaneFacts => laneOf([deposit('SUCCESS'), deposit('LEFT_BEHIND')])
const relayer = lane().routes[0]!.relayer

/** Processes that share a store, one installation, and a clock that only the test moves. */
function world(change: (audited: Audited) => void = () => {}) {
  const clock = { now: Date.UTC(2026, 10, 21) }
  const state = { facts: lane(), block: at as number, spent: false }
  const coins = new Map([
    [relayer.toLowerCase(), { balanceRaw: ether, nonces: 5 }],
    [collector.toLowerCase(), { balanceRaw: ether, nonces: 5 }],
  ])
  const requests: string[] = []
  const store = storeInMemory()
  const audited = watchedInstallation(() => state.facts, {}, { coins, block: () => state.block, requests })
  change(audited)
  const said: object[] = []
  const troubles: unknown[] = []
  const process = (name: string, scheduler?: VirtualTimeScheduler) =>
    auditing({
      ...(scheduler && { scheduler }),
      audited,
      observations: store.observations,
      books: store.semaphoreRecords,
      name,
      isSpent: (id: ChainId) => state.spent && id === base,
      log: { write: (line, about) => void said.push({ line, ...about }) },
      now: () => clock.now,
      onTrouble: (error) => void troubles.push(error),
    })
  const findings = async () =>
    (await store.observations.all())
      .filter(({ kind, okAt, at }) => kind === 'UNEXPLAINED' && okAt < at)
      .map(({ chainId, subject }): [ChainId, string] => [chainId!, subject!])
  const wholeAt = async (id: ChainId) =>
    (await store.observations.all()).find(({ kind, chainId }) => kind === 'AUDIT' && chainId === id)?.okAt
  const pass = (ms: number) => {
    clock.now += ms
    state.block += 10
    requests.length = 0
  }
  return { audited, clock, coins, findings, pass, process, requests, said, state, store, troubles, wholeAt }
}

const ofAccount: [ChainId, string] = [base, `account ${account}, token ${lane().token}`]
const count = (requests: readonly string[], what: string) => requests.filter((one) => one === what).length
const histories = ['moves', 'routes', 'recoveries']

test('of ten processes one audits, and another continues once it stops or dies', async () => {
  const { process, requests, pass } = world()
  const processes = Array.from({ length: 10 }, (_, n) => process(`p${n}`))
  for (const one of processes) await one.round()
  expect(count(requests, 'executed')).toBe(0) // the first round has nothing to compare with
  expect(count(requests, 'holdersOfEach')).toBe(chainIds.length)
  pass(30 * minuteMs)
  await Promise.all(processes.map((one) => one.round()))
  expect([count(requests, 'holdersOfEach'), count(requests, 'executed')]).toEqual([chainIds.length, chainIds.length])
  await processes[0]!.stop()
  pass(30 * minuteMs)
  for (const one of processes.slice(1)) await one.round()
  expect(count(requests, 'holdersOfEach')).toBe(chainIds.length)
  pass(hourMs) // the holder has died
  await processes[7]!.round()
  expect(count(requests, 'holdersOfEach')).toBe(chainIds.length)
})

test('a process that stops does not wait for its round, and another continues at once', async () => {
  const { process, requests, audited, pass, troubles } = world()
  const scheduler = new VirtualTimeScheduler(undefined, 30 * minuteMs)
  const reading = Promise.withResolvers<never>()
  const begun = Promise.withResolvers<void>()
  const { accounts } = audited.queries
  audited.queries.accounts = () => {
    begun.resolve()
    return reading.promise
  }
  const one = process('p', scheduler)
  one.start()
  scheduler.flush()
  await begun.promise
  await one.stop()
  reading.reject(new Error('The connection is closed'))
  audited.queries.accounts = accounts
  pass(minuteMs)
  await process('q').round()
  expect([count(requests, 'holdersOfEach'), troubles]).toEqual([chainIds.length, []])
})

test('every account is read once a day, and a round without changes sends a chain eight requests', async () => {
  const { process, requests, pass, wholeAt, clock, findings } = world()
  const one = process('p')
  await one.round()
  expect(histories.map((what) => count(requests, what) > 0)).toEqual([true, true, true])
  const first = clock.now
  for (let round = 1; round < 48; round++) {
    pass(30 * minuteMs)
    await one.round()
    expect(histories.map((what) => count(requests, what))).toEqual([0, 0, 0])
    expect(requests.length).toBe(8 * chainIds.length)
  }
  expect([await wholeAt(base), await findings()]).toEqual([first, []])
  pass(30 * minuteMs)
  await one.round()
  expect(count(requests, 'moves')).toBeGreaterThan(0)
  expect(await wholeAt(base)).toBe(clock.now)
})

test('a unit that leaves an account is named within half an hour, logged once, and over once it is explained', async () => {
  const { process, requests, pass, findings, said, state } = world()
  const one = process('p')
  await one.round()
  state.facts = { ...lane(), heldRaw: 24_999_000n }
  for (let round = 0; round < 3; round++) {
    pass(30 * minuteMs)
    await one.round()
    expect(await findings()).toEqual([ofAccount])
  }
  expect(count(requests, 'moves')).toBe(2) // one account on one chain, with its second look
  expect(said).toEqual([
    expect.objectContaining({
      line: 'MONEY_UNEXPLAINED',
      faults: ['The account holds 24999000, and its records explain 25000000: 1000 missing.'],
    }),
  ])
  state.facts = lane()
  pass(30 * minuteMs)
  await one.round()
  expect(await findings()).toEqual([])
})

test('a route without a record is named, although the balance is the same as before', async () => {
  const { process, pass, findings, state } = world()
  const one = process('p')
  await one.round()
  pass(30 * minuteMs)
  const facts = lane()
  const route: RouteFact = { ...facts.routes[0]!, routeId: hashOf(999), block: at + 5, txHash: hashOf(998) }
  state.facts = { ...facts, routes: [...facts.routes, route] }
  await one.round()
  expect(await findings()).toEqual([ofAccount])
})

test('a finding outlives its process, and stays open while its chain cannot be read', async () => {
  const { process, pass, findings, state, audited } = world()
  state.facts = { ...lane(), heldRaw: 24_999_000n }
  const first = process('p')
  await first.round()
  await first.stop()
  const next = process('q')
  const { confirmedNumber } = audited.chains[base].client
  audited.chains[base].client.confirmedNumber = async () => Promise.reject(new RoutingError('RPC_UNREACHABLE'))
  for (let round = 0; round < 4; round++) {
    pass(30 * minuteMs)
    await next.round()
    expect(await findings()).toEqual([ofAccount])
  }
  audited.chains[base].client.confirmedNumber = confirmedNumber
  state.facts = lane()
  pass(30 * minuteMs)
  await next.round()
  expect(await findings()).toEqual([])
})

test('an unexplained finding stays open even when too many newer ones keep it off the list', async () => {
  const { process, pass, findings, audited } = world()
  const one = process('p')
  const { records } = audited.queries
  let strangers = Array.from({ length: 20 }, (_, n) => addressOf(0x900 + n))
  audited.queries.records = async (from, to) => {
    const known = await records(from, to)
    const [record] = lane().records
    return from === '' ? [...strangers.map((account) => ({ ...record!, account })), ...known] : known
  }
  await one.round()
  const before = await findings()
  expect(before).toHaveLength(20)
  strangers = [addressOf(0x8ff), ...strangers]
  pass(24 * hourMs)
  await one.round()
  expect(await findings()).toEqual(expect.arrayContaining(before))
})

test('a chain that cannot be read is tried again each round, alone, and its last audit does not move', async () => {
  const { process, pass, audited, wholeAt, clock, requests, state } = world()
  const { confirmedNumber } = audited.chains[base].client
  audited.chains[base].client.confirmedNumber = async () => Promise.reject(new RoutingError('RPC_UNREACHABLE'))
  const one = process('p')
  await one.round()
  const [first, missed] = [clock.now, await wholeAt(base)]
  expect(missed).toBeLessThan(first)
  audited.chains[base].client.confirmedNumber = confirmedNumber
  state.spent = true
  pass(30 * minuteMs)
  await one.round()
  expect([await wholeAt(base), count(requests, 'moves')]).toEqual([missed, 0])
  state.spent = false
  pass(30 * minuteMs)
  await one.round()
  expect([await wholeAt(base), await wholeAt(1)]).toEqual([clock.now, first])
  expect(count(requests, 'moves')).toBe(3) // two pages of accounts and the collector, on one chain
})

/** Native coin of the relayer or the collector after half an hour, and whether that is explained. */
async function coinAfter(
  whose: string,
  after: { balanceRaw: bigint; nonces: number },
  routes: readonly Partial<RouteFact>[] = [],
  change?: (audited: Audited) => void,
): Promise<unknown> {
  const { process, pass, findings, coins, state, audited } = world(change)
  const one = process('p')
  await one.round()
  pass(30 * minuteMs)
  coins.set(whose.toLowerCase(), after)
  const added = routes.map((route, n) => ({
    ...state.facts.routes[0]!,
    block: at + 5,
    txHash: hashOf(900 + n),
    ...route,
  }))
  audited.chains[base].history.executed = async () => ({ routes: added, recovered: [] })
  await one.round()
  return (await findings()).map(([, subject]) => String(subject).split(' ')[0]).filter((kind) => kind !== 'account')
}
/** What the installation's receipts show for each transaction. */
const gasRaw = 10n ** 14n
/** A usual order at ten times the fee. */
const otherMostRaw = 10n * 600_000n * 10n ** 9n

test('a relayer’s coin is explained by its transactions with routes, their native fees, and a bound for others', async () => {
  const after = (balanceRaw: bigint, nonces: number, routes: Partial<RouteFact>[] = []) =>
    coinAfter(relayer, { balanceRaw, nonces }, routes)
  expect(await after(ether, 5)).toEqual([])
  expect(await after(2n * ether, 5)).toEqual([]) // topped up
  expect(await after(ether - 1n, 5)).toEqual(['relayer']) // no transaction
  expect(await after(ether - gasRaw, 6, [{}])).toEqual([])
  expect(await after(ether - 9n * gasRaw, 6, [{ nativeFeeRaw: 8n * gasRaw }])).toEqual([])
  expect(await after(ether - 2n * gasRaw, 6, [{}])).toEqual(['relayer'])
  // Two routes in one transaction pay its gas once.
  expect(await after(ether - 2n * gasRaw, 6, [{}, { txHash: hashOf(900) }])).toEqual(['relayer'])
  expect(await after(ether - otherMostRaw, 6)).toEqual([]) // a mint, for example
  expect(await after(0n, 6)).toEqual(['relayer']) // a thief took all
  expect(await after(ether - gasRaw, 6, [{ relayer: addressOf(0x999) }])).toEqual([]) // within the bound for others
})

test('a collector that sends no transaction holds every fee in native coin', async () => {
  const native = { token: zeroAddress, protocolFeeRaw: 5n, gasFeeRaw: 2n }
  const after = (balanceRaw: bigint, nonces: number, change?: (audited: Audited) => void) =>
    coinAfter(collector, { balanceRaw, nonces }, [native], change)
  expect(await after(ether + 7n, 5)).toEqual([])
  expect(await after(ether + 6n, 5)).toEqual(['collector'])
  expect(await after(ether + 6n, 6)).toEqual([]) // it paid out
  const isContract = ({ chains }: Audited) => Object.assign(chains[base].client, { isDeployed: async () => true })
  expect(await after(ether + 6n, 5, isContract)).toEqual([])
})
