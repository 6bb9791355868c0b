import { expect, test } from 'bun:test'
import { chains } from '../../src/domain/chain/chain'
import { RoutingError } from '../../src/domain/error'
import { deadlineOf } from '../../src/domain/execution/deadline'
import type { Execution } from '../../src/domain/execution/execution'
import { nextOf } from '../../src/http/views/next'
import type { Chains, SecondNode } from '../../src/ports/chain-client'
import type { DeliveryClaim } from '../../src/ports/executions'
import { confirmDelivery } from '../../src/routing/steps/confirm-delivery'
import { executionOf } from '../support/deposits'
import { executionsInMemory, recordsInMemory } from '../support/records'
import { testAll } from '../support/test-all'
import { unlimited } from '../support/unlimited'
import { intent, order, sent } from '../support/world'

/** A step without rival claims and without stored transactions. */
const confirming = () => ({
  aggregators: [],
  pollMs: () => 1_000,
  deliveries: recordsInMemory<DeliveryClaim>(),
  executions: executionsInMemory(),
  limits: unlimited,
  relayerRecords: { load: async () => null } as never,
  relayers: { forRoute: () => ({ id: 'base:0' }) } as never,
})

/** A time when the order's transaction may have been replaced. */
const longAfter = sent.at + 61_000

/** An order that has expired or was used, according to each of two nodes. */
function looked(first: boolean, second: boolean | null, isLarge: boolean, assureChain = async () => {}) {
  const used = async () => ({ hash: sent.hash, block: 50, spentRaw: 1_000n })
  const confirmed = async () => ({ number: 100, hash: '0x', time: order.deadline + 1 })
  const blocks = { confirmed, confirmedNumber: async () => 100, blockAt: confirmed, head: confirmed }
  const node = (isUsed: boolean) => ({ routeUsed: isUsed ? used : async () => null, ...blocks })
  const here = {
    ...node(first),
    assureChain,
    receipt: async () => null,
    second: second === null ? null : node(second),
  }
  const chains = { 8453: here } as unknown as Chains
  const step = confirmDelivery({
    chains,
    ...confirming(),
    now: () => longAfter,
    secondOpinion: async () => (isLarge ? (here.second as unknown as SecondNode) : null),
  })
  return step(
    executionOf(1, { state: 'RUNNING', facts: { intent, order, transactions: [sent] } } as Partial<Execution>),
  )
}

// Columns: whether the first and the second node show the route as used; then the outcomes of a small and a large
// deposit.
const moved = { type: 'transaction mined' }
const lapsed = { type: 'order failed', failure: { code: 'ORDER_LAPSED' } }
const asksAgain = { waitingFor: 'BLOCK' }
testAll<[boolean, boolean | null, object, object]>([
  [true, true, moved, moved],
  [true, false, moved, asksAgain],
  [true, null, moved, moved],
  [false, false, lapsed, lapsed],
  [false, true, asksAgain, asksAgain],
  [false, null, lapsed, lapsed],
])('an order has lapsed if the nodes agree', async (first, second, small, large) => {
  expect(await looked(first, second, false)).toMatchObject(small)
  expect(await looked(first, second, true)).toMatchObject(large)
})

test('an order has lapsed only if the node still serves its own chain', async () => {
  const isStranger = async () => {
    throw new RoutingError('RPC_FAILED')
  }
  const end = looked(false, null, false, isStranger).then(
    () => 'ended',
    (error) => error.code,
  )
  expect(await end).toBe('RPC_FAILED')
})

test('a second node is queried at a block that it still has, because nodes drop older state', async () => {
  const asked: number[] = []
  const spentAt = 50
  const node = (number: number) => ({
    confirmed: async () => ({ number, hash: '0x', time: 1 }),
    confirmedNumber: async () => number,
    routeUsed: async (_salt: string, _route: string, block: number) => {
      asked.push(block)
      if (block < number) throw new RoutingError('RPC_FAILED', { cause: new Error('missing trie node') })
      return { hash: sent.hash, block: spentAt, spentRaw: 1_000n }
    },
  })
  const chains = { 8453: { ...node(900), second: node(890) } } as unknown as Chains
  const step = confirmDelivery({
    chains,
    ...confirming(),
    now: () => longAfter,
    secondOpinion: async () => node(890) as unknown as SecondNode,
  })
  const facts = { intent, order, transactions: [sent] }
  expect(await step(executionOf(1, { state: 'RUNNING', facts } as Partial<Execution>))).toMatchObject({
    type: 'transaction mined',
    facts: { spent: { block: spentAt } },
  })
  expect(asked).toEqual([900, 890])
})

test('a worker without recent data of a chain waits for one confirmation, instead of a minute of blocks', async () => {
  const arbitrum = chains.arbitrum.id
  const at = 60_000
  let known = { number: 100, at: 0 }
  const here = {
    chainId: arbitrum,
    confirmations: 20,
    confirmedNumber: async (maxAgeMs = 0) => {
      if (at - known.at >= maxAgeMs) known = { number: 340, at }
      return known.number
    },
    receipt: async () => ({ block: 360, succeeded: true, time: 1 }),
    untilConfirmedMs: async () => null,
  }
  const step = confirmDelivery({
    chains: { [arbitrum]: here } as unknown as Chains,
    ...confirming(),
    pollMs: () => 250,
    now: () => sent.at + 1_000,
  })
  const facts = { intent, order: { ...order, deadline: 1_000 }, transactions: [sent] }
  const record = executionOf(1, { state: 'RUNNING', facts } as Partial<Execution>)
  const outcome = await step({ ...record, deposit: { ...record.deposit, chainId: arbitrum } })
  expect(outcome).toMatchObject({ retryInMs: 20 * 200, waitingFor: 'BLOCK' })
})

/** A chain that records the queries about a newly sent order. */
function tellingChain() {
  const asked: string[] = []
  const node = {
    receipt: null as null | { block: number; succeeded: boolean; time: number },
    untilMs: null as number | null,
    confirmed: 6,
  }
  const use = { hash: sent.hash, block: 11, spentRaw: 1_000n }
  const asking =
    <Answer>(name: string, answer: () => Answer) =>
    async () => {
      asked.push(name)
      return answer()
    }
  const here = {
    chainId: 8453,
    confirmations: 5,
    confirmedNumber: asking('confirmed', () => node.confirmed),
    receipt: asking('receipt', () => node.receipt),
    untilConfirmedMs: async () => node.untilMs,
    routeUsedIn: asking('event', () => (node.confirmed < use.block ? null : use)),
    routeUsed: asking('route', () => use),
  }
  const clock = { at: sent.at + 2_000 }
  const step = confirmDelivery({ chains: { 8453: here } as unknown as Chains, ...confirming(), now: () => clock.at })
  const facts = { intent, order: { ...order, deadline: 1_000 }, transactions: [sent] }
  const look = (known: object = {}) =>
    step(executionOf(1, { state: 'RUNNING', facts: { ...facts, ...known } } as Partial<Execution>))
  return { node, look, clock, asked: () => asked.splice(0) }
}

test('a newly sent order costs one request per poll until a block contains its transaction', async () => {
  const { node, look, asked } = tellingChain()
  for (let n = 0; n < 5; n++) expect(await look()).toMatchObject(asksAgain)
  expect(asked()).toEqual(Array(5).fill('receipt'))
  node.receipt = { block: 11, succeeded: true, time: 1 }
  const seen = await look()
  expect(seen).toMatchObject({ ...asksAgain, facts: { receipt: { hash: sent.hash, block: 11 } } })
  expect(asked()).not.toContain('route')
})

test('an order costs no request between its receipt and its confirmation, and then one read of its block', async () => {
  const { node, look, asked, clock } = tellingChain()
  Object.assign(node, { receipt: { block: 11, succeeded: true, time: 1 }, untilMs: 8_000 })
  const seen = await look()
  expect(seen).toMatchObject({ ...asksAgain, retryInMs: 8_000 })
  const facts = 'facts' in seen ? seen.facts : {}
  expect(asked()).toEqual(['receipt'])
  expect(await look(facts)).toMatchObject({ ...asksAgain, retryInMs: 8_000 })
  node.untilMs = null // another process estimates from the time of the receipt
  expect(await look(facts)).toMatchObject({ ...asksAgain, retryInMs: 4 * 1_600 })
  expect(asked()).toEqual([])
  clock.at += 8_000
  expect(await look(facts)).toMatchObject(asksAgain) // the chain is slower than that
  expect(asked()).toEqual(['event', 'confirmed', 'confirmed'])
  node.confirmed = 11
  expect(await look(facts)).toMatchObject(moved)
  expect(asked()).toEqual(['event'])
})

test('an order polls again within a minute and reads the chain within another, whatever a node reports', async () => {
  const { node, look, asked, clock } = tellingChain()
  Object.assign(node, { receipt: { block: 11, succeeded: true, time: 1 }, untilMs: 1e14 })
  const seen = await look()
  expect(seen).toMatchObject({ ...asksAgain, retryInMs: 60_000 })
  const facts = 'facts' in seen ? seen.facts : {}
  node.untilMs = null
  node.confirmed = -380_000_000 // the head of another chain
  clock.at += 8_000
  expect(await look(facts)).toMatchObject({ ...asksAgain, retryInMs: 60_000 })
  asked()
  clock.at += 52_000
  Object.assign(node, { untilMs: 1e14, confirmed: 11 })
  expect(await look(facts)).toMatchObject(moved)
  expect(asked()).toEqual(['event'])
})

test('a deposit whose order lapsed is overdue for operators, and shows its next attempt until that is late', () => {
  const moves = [
    ['order signed', 'PENDING', 0],
    ['order failed', 'FAILED', 700_000],
  ] as const
  const history = moves.map(([event, to, at], seq) => ({ seq, at, event, from: '', to, status: null, note: null }))
  const facts = { intent, dropped: [sent] }
  const record = executionOf(1, { state: 'FAILED', status: 'FAILED', facts, history, seq: 3, dueAt: 5_000_000 })
  expect(deadlineOf(record)).toMatchObject({ kind: 'SUBMITTED', by: 600_000 })
  const [dueAt, lateAt] = [5_000_000, 5_120_000]
  const [due, late] = [dueAt, lateAt].map((at) => new Date(at).toISOString())
  const retries = { actor: 'SERVICE', action: 'RETRY', expectedAt: due, by: late }
  expect(nextOf(record, 700_001)).toMatchObject({ ...retries, message: expect.stringContaining('last attempt failed') })
  expect(nextOf(record, lateAt + 1)).toMatchObject({ actor: 'OPERATOR', action: 'INVESTIGATE' })
  // The next order, once signed, is late at once.
  const signed = { ...record, state: 'PENDING', facts: { ...facts, order } }
  expect(nextOf(signed, lateAt)).toMatchObject({ actor: 'OPERATOR', action: 'INVESTIGATE', expectedAt: null })
})
