import { expect, test } from 'bun:test'
import { type Address, type Hash, zeroAddress } from '../../src/domain/chain/hex'
import type { Execution, Facts } from '../../src/domain/execution/execution'
import { defaultPolicy } from '../../src/domain/execution/route'
import { sumOf } from '../../src/domain/money/amount'
import { nextOf } from '../../src/http/views/next'
import type { Chains, SecondNode } from '../../src/ports/chain-client'
import type { Deliveries, DeliveryClaim, Executions } from '../../src/ports/executions'
import type { BridgeOutcome } from '../../src/ports/gate'
import type { WorthOf } from '../../src/ports/limits'
import { callOf } from '../../src/routing/delivery/evidence'
import { confirmDelivery } from '../../src/routing/steps/confirm-delivery'
import { account, addressOf, executionOf, hashOf, token } from '../support/deposits'
import { executionsInMemory, recordsInMemory } from '../support/records'
import { testAll } from '../support/test-all'
import { unlimited } from '../support/unlimited'
import { intent, order, spent } from '../support/world'

const out = hashOf(0xdd)
const other = addressOf(0x99)
const { targetTokenAddress: wanted, targetAddress: recipient } = intent

/** Time of the block with all arrivals, in seconds. */
const blockTime = 10_000
/** Transfers of a transaction by hash. Null if it is not mined at the required depth. */
type Moves = Record<Hash, { token: Address; to: Address; amountRaw: bigint }[] | null>

function chainOf(moves: Moves, second: Moves | null = null) {
  const arrivedIn = (all: Moves) => async (hash: Hash, of: Address, to: Address) => {
    const found = all[hash]
    const parts = (found ?? []).flatMap((move, n) =>
      move.token === of && move.to === to ? [{ place: `${hash}:${n}`, amountRaw: move.amountRaw }] : [],
    )
    return found ? { amountRaw: sumOf(parts.map((part) => part.amountRaw)), block: 7, time: blockTime, parts } : null
  }
  return {
    chainId: 8453,
    confirmations: 10,
    arrived: arrivedIn(moves),
    untilConfirmedMs: async () => null,
    transaction: async (hash: Hash) =>
      moves[hash] && { transfers: moves[hash].filter((one) => one.token !== zeroAddress) },
    second: second && ({ arrived: arrivedIn(second) } as unknown as SecondNode),
  }
}

type World = {
  says: BridgeOutcome | ((id: string) => BridgeOutcome)
  there?: Moves
  here?: Moves
  second?: Moves | null
  secondHere?: Moves | null
  kind?: 'BRIDGE' | 'SWAP'
  deliveries?: Deliveries
  of?: Partial<Execution>
  quotedAt?: number
  spentIn?: number
  records?: Pick<Executions, 'load'>
  at?: number
  /** Further facts of the record. */
  known?: Facts
  worth?: WorthOf
}
function ask({ says, there = {}, here = {}, second = null, kind = 'BRIDGE', of: record = {}, ...world }: World) {
  const {
    deliveries = recordsInMemory<DeliveryClaim>(),
    quotedAt = 0,
    spentIn = spent.block,
    records = executionsInMemory(),
    at = 2,
    known = {},
    secondHere = null,
    worth,
  } = world
  const chains = { 8453: chainOf(here, secondHere), 42161: chainOf(there, second) } as unknown as Chains
  const target = kind === 'BRIDGE' ? intent : { ...intent, targetChainId: 8453 as const }
  const step = confirmDelivery({
    chains,
    aggregators: [
      {
        name: 'one',
        outcome: async ({ reference }: { reference: string }) => (typeof says === 'function' ? says(reference) : says),
      },
    ] as never,
    now: () => at,
    relayerRecords: {} as never,
    relayers: {} as never,
    pollMs: () => 1_000,
    deliveries,
    executions: records,
    limits: unlimited,
    ...(worth && { worth }),
    secondOpinion: async (_execution, of) => (of === undefined ? null : (chains[of].second ?? null)),
  })
  const route = { provider: 'one', kind, reference: record.id ?? null, quotedAt } as never
  const facts = { intent: target, order, spent: { ...spent, block: spentIn }, route, ...known }
  return step(executionOf(1, { state: 'RUNNING', facts, ...record } as Partial<Execution>))
}

const paid = (of: Address, amountRaw: bigint, to = recipient) => ({ token: of, to, amountRaw })
const waits = { waitingFor: 'PROVIDER' }
const partly = (of: Address, amountRaw: string) => ({
  type: 'order failed',
  failure: { code: 'PARTIAL_DELIVERY' },
  facts: { delivery: { hash: out, chainId: 42161, token: of, amountRaw, block: 7 } },
})
const delivered: BridgeOutcome = { kind: 'DELIVERED', hash: out }
const allowedMs = defaultPolicy.maxDurationSeconds * 1_000
/** The provider has named the transaction for as long as a route may take. */
const named = { at: allowedMs, known: { doubted: { hash: out, since: 0 } } }
const otherwise: BridgeOutcome = { kind: 'DELIVERED_OTHERWISE', hash: out }

testAll([delivered, otherwise])(
  'a delivery in full is a success, whatever status the provider reports',
  async (says) => {
    const found = await ask({ says, there: { [out]: [paid(wanted, 980n)] } })
    expect(found).toMatchObject({ type: 'funds delivered', facts: { delivery: { amountRaw: '980' } } })
  },
)

test('a provider’s report alone never ends a deposit, however often it is repeated', async () => {
  const back: BridgeOutcome = { kind: 'RETURNED', hash: out }
  // Unseen, unmined, failed, or paid to another recipient.
  const shows = [{}, { [out]: null }, { [out]: [] }, { [out]: [paid(wanted, 980n, addressOf(0x77))] }]
  for (const at of [2, 3_600_000, 86_400_000, 30 * 86_400_000])
    for (const says of [delivered, otherwise, back])
      for (const there of shows) {
        // an earlier delivery below the minimum ends nothing either
        const known = { doubted: { hash: out, since: 2 } }
        const found = await ask({ says, there, here: there, at, known })
        expect(found, `${says.kind} after ${at} ms`).not.toHaveProperty('type')
      }
})

const little = [
  [wanted, 979n],
  [other, 5n],
  [zeroAddress, 5n],
] as const

test('a delivery below the minimum or in another token ends the deposit with evidence if the provider reports it so for a minute', async () => {
  for (const [of, amountRaw] of little) {
    const deliveries = recordsInMemory<DeliveryClaim>()
    const look = (at: number, known: Facts = {}) =>
      ask({ says: otherwise, there: { [out]: [paid(of, amountRaw)] }, deliveries, at, known })
    const first = await look(2)
    expect(first).toMatchObject({ ...waits, facts: { doubted: { hash: out, since: 2 } } })
    expect(await look(1 + 60_000, first.facts)).not.toHaveProperty('type')
    expect(deliveries.all()).toEqual([])
    expect(await look(2 + 60_000, first.facts)).toMatchObject(partly(of, String(amountRaw)))
  }
})

test('a too small delivery that the provider calls complete ends nothing and is not claimed until the route’s time is over', async () => {
  for (const [of, amountRaw] of little) {
    const deliveries = recordsInMemory<DeliveryClaim>()
    const look = (at: number, facts: Facts = {}, hash = out) =>
      ask({ says: { kind: 'DELIVERED', hash }, there: { [hash]: [paid(of, amountRaw)] }, deliveries, at, known: facts })
    const first = await look(2)
    expect(first).toMatchObject({ ...waits, facts: { doubted: { hash: out, since: 2 } } })
    expect(await look(1 + allowedMs, first.facts)).not.toHaveProperty('type')
    // Another transaction starts a new period.
    const another = hashOf(0xee)
    expect(await look(2 + allowedMs, first.facts, another)).toMatchObject({ facts: { doubted: { hash: another } } })
    expect(deliveries.all()).toEqual([])
    expect(await look(2 + allowedMs, first.facts)).toMatchObject(partly(of, String(amountRaw)))
  }
})

test('an execution and its rival are both delivered after a provider named the rival’s transaction for it', async () => {
  const [outA, outB] = [hashOf(0xa), hashOf(0xb)]
  // Columns: the provider's report of transaction B, its amount, and the minimum of B. A needs 980 and is delivered by
  // transaction A.
  for (const [kind, brought, least] of [
    ['DELIVERED', 480n, '480'],
    ['DELIVERED', 980n, '980'],
    ['DELIVERED_OTHERWISE', 480n, '480'],
    ['DELIVERED_OTHERWISE', 980n, '980'],
  ] as const) {
    const there = { [outA]: [paid(wanted, 985n)], [outB]: [paid(wanted, brought)] }
    const [deliveries, corrected] = [recordsInMemory<DeliveryClaim>(), new Map<string, Hash>()]
    const says = (id: string): BridgeOutcome => {
      const hash = corrected.get(id)
      return hash ? { kind: 'DELIVERED', hash } : { kind, hash: outB }
    }
    const records = new Map<string, Execution>()
    const look = async (id: string, minOut: string) => {
      const of = { id, facts: { order: { ...order, intent: { ...order.intent, minOut } } } }
      const load = async (one: string) => records.get(one) ?? null
      const outcome = await ask({ says, there, deliveries, of: { id }, known: of.facts, records: { load } })
      const type = 'type' in outcome ? outcome.type : null
      const state = type === 'funds delivered' ? 'SUCCESS' : 'RUNNING'
      const route = { provider: 'one', kind: 'BRIDGE', reference: id } as never
      records.set(id, executionOf(1, { id, state, facts: { ...of.facts, intent, spent, route, ...outcome.facts } }))
      return type
    }
    const first = await look('a', '980')
    expect(first).toBe(brought >= 980n ? 'funds delivered' : null)
    corrected.set('a', outA) // a second later the provider has corrected it
    const both = [await look('b', least), first ?? (await look('a', '980'))]
    expect(both).toEqual(['funds delivered', 'funds delivered'])
    expect(new Set(deliveries.all().map(({ executionId }) => executionId))).toEqual(new Set(['a', 'b']))
  }
})

test('a too small transaction that a provider named for the rival ends an execution after the route’s time', async () => {
  const [outA, outB] = [hashOf(0xa), hashOf(0xb)]
  const there = { [outA]: [paid(wanted, 979n)], [outB]: [paid(wanted, 980n)] }
  const says = (id: string): BridgeOutcome => ({ kind: 'DELIVERED', hash: id === 'rival' ? outA : outB })
  const route = { provider: 'one', kind: 'BRIDGE', reference: 'rival' } as never
  const delivery = { hash: outB, chainId: 42161, token: wanted, amountRaw: '980', block: 7 } as const
  const facts = { order, spent, route, intent, delivery }
  const records = executionsInMemory(executionOf(2, { id: 'rival', state: 'SUCCESS', facts }))
  const deliveries = recordsInMemory<DeliveryClaim>({ id: `42161:${outB}:0`, version: 1, executionId: 'rival' })
  let known: Facts = {}
  const look = async (at: number) => {
    const outcome = await ask({ says, there, deliveries, of: { id: 'own' }, records, at, known })
    known = { ...known, ...outcome.facts }
    return outcome
  }
  for (const at of [2, 1_000, 2_000, 1 + allowedMs]) expect(await look(at)).not.toHaveProperty('type')
  expect(await look(2 + allowedMs)).toMatchObject({
    failure: { code: 'PARTIAL_DELIVERY' },
    facts: { delivery: { hash: outA } },
  })
})

test('a rival’s claim does not count if it is owed another token, chain or recipient', async () => {
  const [outA, outB] = [hashOf(0xa), hashOf(0xb)]
  const there = { [outA]: [paid(wanted, 985n)], [outB]: [paid(wanted, 980n)] }
  const says = (id: string): BridgeOutcome => ({ kind: 'DELIVERED', hash: id === 'a' ? outA : outB })
  const route = { provider: 'one', kind: 'BRIDGE', reference: 'a' } as never
  const delivery = { hash: outB, chainId: 42161, token: wanted, amountRaw: '980', block: 7 } as const
  const typeWith = async (change: Partial<typeof intent>) => {
    const facts = { order, spent, route, delivery, intent: { ...intent, ...change } }
    const load = async () => executionOf(2, { id: 'a', state: 'SUCCESS', facts })
    const deliveries = recordsInMemory<DeliveryClaim>({ id: `42161:${outB}:0`, version: 1, executionId: 'a' })
    const outcome = await ask({ says, there, deliveries, of: { id: 'b' }, records: { load } })
    return 'type' in outcome ? outcome.type : null
  }
  expect(await typeWith({})).toBe('funds delivered')
  for (const change of [{ targetTokenAddress: other }, { targetChainId: 137 }, { targetAddress: other }] as const)
    expect(await typeWith(change), Object.keys(change)[0]).toBeNull()
})

test('a same-chain swap that paid the recipient nothing ends with PARTIAL_DELIVERY', async () => {
  const found = await ask({ says: delivered, kind: 'SWAP', here: { [spent.hash]: [] } })
  expect(found).toMatchObject({ type: 'order failed', failure: { code: 'PARTIAL_DELIVERY' } })
})

const back: BridgeOutcome = { kind: 'RETURNED', hash: out }
const returned = { type: 'order failed', failure: { code: 'FUNDS_RETURNED' }, facts: { returned: { hash: out } } }
/** The id of the deposit that the first transfer of a refund is recorded as. */
const recordedAs = `8453:${out}:0`

test('a refund ends the deposit once the chain shows money in the account, in any token, and it is recorded as this deposit’s', async () => {
  const of = { continuedBy: recordedAs }
  expect(await ask({ says: back, of })).toMatchObject(waits)
  expect(await ask({ says: back, of, here: { [out]: [] } })).toMatchObject(waits)
  expect(await ask({ says: back, of, here: { [out]: [paid(token, 9n, recipient)] } })).toMatchObject(waits)
  for (const each of [token, other, zeroAddress])
    expect(await ask({ says: back, of, here: { [out]: [paid(each, 9n, account)] } })).toMatchObject(returned)
})

test('a refund of native coin is recorded by a balance that names no transaction', async () => {
  const id = `8453:sweep:${account}:${zeroAddress}:1`
  const recorded = async (deposit: Partial<Execution['deposit']>) => {
    const found = executionOf(2, { id }, { token: zeroAddress, txHash: null, amountRaw: '9', ...deposit })
    const here = { [out]: [paid(zeroAddress, 9n, account)] }
    return ask({ says: back, of: { continuedBy: id }, here, records: executionsInMemory(found) })
  }
  expect(await recorded({})).toMatchObject(returned)
  for (const change of [{ amountRaw: '8' }, { token }, { txHash: hashOf(9) }])
    expect(await recorded(change)).not.toHaveProperty('type')
})

test('a refund that is not recorded as this deposit’s ends it only after the provider named it for a route’s time, and is not claimed before', async () => {
  const deliveries = recordsInMemory<DeliveryClaim>()
  const look = (at: number, known: Facts = {}, hash = out) =>
    ask({ says: { kind: 'RETURNED', hash }, here: { [hash]: [paid(token, 9n, account)] }, deliveries, at, known })
  const first = await look(2)
  expect(first).toMatchObject({ ...waits, facts: { doubted: { hash: out, since: 2 } } })
  expect(await look(1 + allowedMs, first.facts)).not.toHaveProperty('type')
  const another = hashOf(0xee)
  expect(await look(2 + allowedMs, first.facts, another)).toMatchObject({ facts: { doubted: { hash: another } } })
  expect(deliveries.all()).toEqual([])
  expect(await look(2 + allowedMs, first.facts)).toMatchObject(returned)
})

test('a provider that names the refund of one execution for another ends neither wrongly', async () => {
  const deliveries = recordsInMemory<DeliveryClaim>()
  const [here, there] = [{ [out]: [paid(token, 9n, account)] }, { [out]: [paid(wanted, 980n)] }]
  const [a, b] = [{ id: 'a' }, { id: 'b', continuedBy: recordedAs }]
  // The provider names B's refund once for A, whose money arrives later.
  const first = await ask({ says: back, here, deliveries, of: a })
  expect(first).not.toHaveProperty('type')
  expect(await ask({ says: back, here, deliveries, of: b })).toMatchObject(returned)
  expect(await ask({ says: delivered, there, deliveries, of: a, known: first.facts! })).toMatchObject({
    type: 'funds delivered',
  })
  // The provider names the refund for A until A ends by it. The refund is still B's.
  const claims = recordsInMemory<DeliveryClaim>()
  expect(await ask({ says: back, here, deliveries: claims, of: a, ...named })).toMatchObject(returned)
  const records = executionsInMemory(executionOf(1, { ...a, state: 'DEAD_LETTER', facts: returned.facts }))
  expect(await ask({ says: back, here, deliveries: claims, of: b, records })).toMatchObject(returned)
  expect(claims.all()).toMatchObject([{ executionId: 'b' }])
})

test('each of two refunds in one transaction ends the deposit that it is recorded as', async () => {
  const deliveries = recordsInMemory<DeliveryClaim>()
  const both = [paid(token, 9n, account), paid(token, 7n, account)]
  const ended = (id: string, n: number) =>
    ask({ says: back, here: { [out]: both }, deliveries, of: { id, continuedBy: `8453:${out}:${n}` } })
  for (const [id, n] of [
    ['a', 1],
    ['b', 0],
  ] as const)
    expect(await ended(id, n)).toMatchObject(returned)
  expect(new Set(deliveries.all().map((one) => `${one.executionId} ${one.id}`))).toEqual(
    new Set([`a 8453:${out}:1`, `b 8453:${out}:0`]),
  )
})

test('money that reached the account before the order left is not a refund', async () => {
  const leftIn = (block: number) =>
    ask({ says: back, here: { [out]: [paid(token, 1_000n, account)] }, spentIn: block, ...named })
  expect(await leftIn(8)).toMatchObject(waits)
  expect(await leftIn(7)).toMatchObject(returned)
})

test('a large delivery counts when a second node of the destination confirms it', async () => {
  const there = { [out]: [paid(wanted, 980n)] }
  expect(await ask({ says: delivered, there, second: there })).toMatchObject({ type: 'funds delivered' })
  expect(await ask({ says: delivered, there, second: { [out]: null } })).toMatchObject(waits)
  expect(await ask({ says: delivered, there, second: { [out]: [paid(wanted, 981n)] } })).toMatchObject(waits)
  const less = { [out]: [paid(other, 5n)] }
  expect(await ask({ says: otherwise, there: less, second: { [out]: [] }, ...named })).toMatchObject(waits)
  expect(await ask({ says: otherwise, there: less, second: less, ...named })).toMatchObject(partly(other, '5'))
})

test('an execution whose named delivery another execution claims shows that', async () => {
  const there = { [out]: [paid(wanted, 980n)] }
  const ended = { intent, spent, route: { provider: 'one', kind: 'BRIDGE', reference: 'a' } as never }
  const delivery = { hash: out, chainId: 42161, token: wanted, amountRaw: '980', block: 7 } as const
  const first = executionOf(1, { id: 'a', state: 'SUCCESS', facts: { ...ended, delivery } })
  const deliveries = recordsInMemory<DeliveryClaim>({ id: `42161:${out}:0`, version: 1, executionId: 'a' })
  // The provider reports that the money of the first was refunded, so this delivery is the second's.
  const says = (id: string): BridgeOutcome => (id === 'a' ? { kind: 'RETURNED', hash: hashOf(0xa) } : delivered)
  const records = executionsInMemory(first)
  const look = (known: Facts = {}) => ask({ says, there, deliveries, records, of: { id: 'b' }, known })
  const { facts = {} } = await look()
  expect(facts).toEqual({ doubted: { hash: out, since: 2, isTaken: true } })
  expect(await look(facts)).toMatchObject(waits)
  expect((await look(facts)).facts).toBeUndefined()
  const { message } = nextOf(executionOf(2, { state: 'RUNNING', facts: { ...ended, ...facts } }), 3)
  expect(message).toContain(`names transaction ${out} as the delivery, which another execution claims`)
})

test('one transfer proves one delivery, even if two executions are owed the same amount', async () => {
  const deliveries = recordsInMemory<DeliveryClaim>()
  const there = { [out]: [paid(wanted, 980n)] }
  const ours = (id: string) => ask({ says: delivered, there, deliveries, of: { id } })
  const first = await ours('first')
  expect(first).toMatchObject({ type: 'funds delivered' })
  expect(await ours('second')).toMatchObject(waits)
  expect(await ours('first')).toEqual(first) // the claim can be repeated
  const less = { [out]: [paid(wanted, 5n)] }
  const said = await ask({ says: otherwise, there: less, deliveries, of: { id: 'second' }, ...named })
  expect(said).toMatchObject(waits)
})

test('a delivery whose transfer another execution has claimed may be a smaller one of the same transaction, after a minute', async () => {
  const there = { [out]: [paid(wanted, 990n), paid(wanted, 480n)] }
  const deliveries = recordsInMemory<DeliveryClaim>({ id: `42161:${out}:0`, version: 1, executionId: 'other' })
  const records = executionsInMemory(executionOf(1, { id: 'other', state: 'RUNNING' }))
  const look = (at: number, known: Facts = {}) => ask({ says: otherwise, there, deliveries, records, at, known })
  const first = await look(2)
  expect(first).toMatchObject({ ...waits, facts: { doubted: { hash: out, since: 2 } } })
  expect(await look(2 + 60_000, first.facts)).toMatchObject(partly(wanted, '480'))
})

test('a payment by our own transaction proves its delivery, even after another execution claimed it', async () => {
  const deliveries = recordsInMemory<DeliveryClaim>()
  const here = { [spent.hash]: [paid(wanted, 980n)] }
  const own = { says: delivered, kind: 'SWAP', here, deliveries } as const
  expect(await ask({ ...own, of: { id: 'own' } })).toMatchObject({ type: 'funds delivered' })
  expect(deliveries.all()).toMatchObject([{ executionId: 'own' }])
  expect(await ask({ ...own, of: { id: 'again' } })).toMatchObject({ type: 'funds delivered' })
})

test('a transfer clearly older than the quote is not its delivery, allowing for clock differences', async () => {
  const there = { [out]: [paid(wanted, 980n)] }
  const arrivedAt = blockTime * 1_000
  const at = (quotedAt: number) => ask({ says: delivered, there, quotedAt })
  expect(await at(arrivedAt + 5 * 60_000)).toMatchObject({ type: 'funds delivered' })
  expect(await at(arrivedAt + 5 * 60_000 + 1)).toMatchObject(waits)
})

test('a large refund ends the deposit when a second node of its chain confirms it', async () => {
  const here = { [out]: [paid(token, 9n, account)] }
  const of = { continuedBy: recordedAs }
  expect(await ask({ says: back, here, of, secondHere: { [out]: [] } })).toMatchObject(waits)
  expect(await ask({ says: back, here, of, secondHere: here })).toMatchObject(returned)
})

test('one transfer is the refund of one execution', async () => {
  const deliveries = recordsInMemory<DeliveryClaim>()
  const here = { [out]: [paid(token, 9n, account)] }
  const backTo = (id: string) => ask({ says: back, here, deliveries, of: { id }, ...named })
  for (const _again of [1, 2]) expect(await backTo('first')).toMatchObject(returned)
  expect(await backTo('second')).toMatchObject(waits)
})

test('one transfer is the refund of one execution, even if it is recorded as the refund of two', async () => {
  const deliveries = recordsInMemory<DeliveryClaim>()
  const here = { [out]: [paid(token, 9n, account)] }
  const [first, second] = ['first', 'second'].map((id) => ({ id, continuedBy: recordedAs }))
  expect(await ask({ says: back, here, deliveries, of: first! })).toMatchObject(returned)
  const facts = {
    ...returned.facts,
    intent,
    spent,
    route: { provider: 'one', kind: 'BRIDGE', reference: 'first' } as never,
  }
  const records = executionsInMemory(executionOf(1, { ...first, state: 'DEAD_LETTER', facts }))
  expect(await ask({ says: back, here, deliveries, of: second!, records })).toMatchObject(waits)
})

test('a refund that ended another execution ends its own once the provider reports another end for the other', async () => {
  const here = { [out]: [paid(token, 9n, account)] }
  const route = { provider: 'one', kind: 'BRIDGE', reference: 'a' } as never
  const facts = { ...returned.facts, intent, spent, route }
  const records = executionsInMemory(executionOf(1, { id: 'a', state: 'DEAD_LETTER', continuedBy: recordedAs, facts }))
  const ends: BridgeOutcome[] = [
    { kind: 'DELIVERED', hash: hashOf(0xa) },
    { kind: 'RETURNED', hash: hashOf(0xa) },
  ]
  // If the provider names no transaction, it means the deposit that is recorded as the first execution's.
  for (const continuedBy of [null, recordedAs])
    for (const other of [...ends, back, { kind: 'RETURNED', hash: null }, { kind: 'PENDING' }] as const) {
      const deliveries = recordsInMemory<DeliveryClaim>({ id: recordedAs, version: 1, executionId: 'a' })
      const says = (id: string): BridgeOutcome => (id === 'a' ? other : back)
      const found = await ask({ says, here, deliveries, records, of: { id: 'b', continuedBy }, ...named })
      const isIts = ends.includes(other)
      expect(found).toMatchObject(isIts ? returned : waits)
      expect(deliveries.all()).toMatchObject([{ executionId: isIts ? 'b' : 'a' }])
    }
})

test('a refund without a transaction ends the deposit once two nodes show the deposit that is recorded as it', async () => {
  const says: BridgeOutcome = { kind: 'RETURNED', hash: null }
  expect(await ask({ says })).toMatchObject(waits)
  const found = executionOf(2, { id: recordedAs }, { txHash: out, amountRaw: '9' })
  const here = { [out]: [paid(token, 9n, account)] }
  const deliveries = recordsInMemory<DeliveryClaim>()
  const about = { says, of: { continuedBy: recordedAs }, records: executionsInMemory(found), deliveries }
  const unsure: Partial<World>[] = [{}, { here }, { here, secondHere: { [out]: [paid(token, 8n, account)] } }]
  for (const shown of unsure) expect(await ask({ secondHere: { [out]: [] }, ...about, ...shown })).toMatchObject(waits)
  expect(deliveries.all()).toEqual([])
  expect(await ask({ ...about, here, secondHere: here })).toMatchObject(returned)
  // A provider that names the same transaction for another execution does not end that one as well.
  expect(await ask({ says: back, here, secondHere: here, deliveries, of: { id: 'b' }, ...named })).toMatchObject(waits)
})

test('a refund without a transaction that only a balance shows ends the deposit once that balance is verified', async () => {
  const id = `8453:sweep:${account}:${zeroAddress}:1`
  const ended = (facts: Facts) => {
    const found = executionOf(2, { id, facts }, { token: zeroAddress, txHash: null, amountRaw: '9' })
    const says: BridgeOutcome = { kind: 'RETURNED', hash: null }
    return ask({ says, of: { continuedBy: id }, records: executionsInMemory(found) })
  }
  expect(await ended({})).not.toHaveProperty('type')
  expect(await ended({ balance: { totalReceivedRaw: '9', block: 8 } })).toMatchObject({
    failure: { code: 'FUNDS_RETURNED' },
  })
})

testAll<[string, { hash: Hash; orders?: number }[], boolean]>([
  ['listed, alone', [{ hash: out }], false],
  ['listed, with others', [{ hash: out, orders: 2 }], true],
  ['listed, with others, after one alone', [{ hash: hashOf(1) }, { hash: out, orders: 2 }], true],
  ['replacing one that was alone', [{ hash: hashOf(1) }], false],
  ['replacing one in a batch', [{ hash: hashOf(1), orders: 2 }], true],
  ['without further facts', [], true],
])(
  'the provider is also queried by calldata unless the transaction identifies the order alone',
  (_, transactions, isByCall) => {
    const call = { target: other, spender: other, data: '0x1234', nativeFee: '0' }
    const execution = executionOf(1, { facts: { transactions, route: { call } } } as never)
    expect(callOf(execution, out)).toEqual({ account, call: '0x1234', isAlone: !isByCall })
  },
)

test('a delivery stores its value at that moment, and nothing if the price is unknown', async () => {
  const there = { [out]: [{ token: wanted, to: recipient, amountRaw: 1_500_000n }] }
  const says = { kind: 'DELIVERED', hash: out } as const
  const deliveryWith = async (worth?: WorthOf) => {
    const outcome = await ask({ says, there, ...(worth && { worth }) })
    return (outcome as { type: string; facts: Facts }).facts.delivery
  }
  const unknown = { hash: out, chainId: 42161, token: wanted, amountRaw: '1500000', block: 7 } as const
  expect(await deliveryWith(async () => ({ usd: 99_990_000n, decimals: 6 }))).toEqual({
    ...unknown,
    valueUsd: '149985000',
  })
  expect(await deliveryWith()).toEqual(unknown)
  expect(await deliveryWith(async () => null)).toEqual(unknown)
  expect(await deliveryWith(() => Promise.reject(new Error('away')))).toEqual(unknown)
  expect(await deliveryWith(() => new Promise(() => {}))).toEqual(unknown)
})
