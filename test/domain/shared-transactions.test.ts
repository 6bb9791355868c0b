import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { zeroAddress } from '../../src/domain/chain/hex'
import {
  carries,
  gasNeedOf,
  ordersOf,
  type Relayer,
  transactionOf,
  withSettled,
  withSlot,
} from '../../src/domain/chain/relayer'
import {
  batchedOrders,
  hasAssignedSlot,
  isInvited,
  type SlotOrder,
  withSlotsAssigned,
} from '../../src/domain/chain/slot-queue'
import type { Order } from '../../src/domain/execution/route'
import { addressOf, hashOf } from '../support/deposits'
import { order as anyOrder } from '../support/world'

const gas = 8_000_000n
const orderOf = (n: number, other: Partial<Order> = {}): Order => ({
  ...anyOrder,
  id: hashOf(n),
  routeId: hashOf(0x1000 + n),
  account: addressOf(0xac00 + n),
  ...other,
})
const asks = (n: number, organizationId = 'org_1', other: Partial<Order> = {}): SlotOrder<Order> => ({
  order: orderOf(n, other),
  request: { executionId: `8453:0x${n}:0`, bucket: 0, since: n, organizationId, share: 1_000 },
})
const goingWith = (first: SlotOrder<Order>, others: SlotOrder<Order>[], orders = 10, most = gas, canPay = () => true) =>
  batchedOrders(first, others, { orders, gas: most }, canPay).map(({ request }) => request.since)

const gasLimit = fc.integer({ min: 100_000, max: 900_000 }).map(String)
const nativeFee = fc.bigInt({ min: 0n, max: 10n ** 18n }).map(String)

test('gasNeedOf: a single order needs its own gas, and several need the contract’s minimum for each plus their bytes', () => {
  expect(gasNeedOf([orderOf(1)])).toEqual({ gasLimit: '300000', nativeFee: '0' })
  fc.assert(
    fc.property(fc.array(fc.record({ gasLimit, nativeFee }), { minLength: 2, maxLength: 20 }), (each) => {
      const asking = gasNeedOf(each.map((one, n) => orderOf(n, one)))
      // RouteExecutor.executeBatch requires this before its first order.
      const demanded = each.reduce((sum, one) => sum + BigInt(one.gasLimit) + BigInt(one.gasLimit) / 63n + 20_000n, 0n)
      // In its own transaction, each order would also pay for its bytes and for the transaction.
      const bytes = each.reduce((sum, one) => sum + BigInt(one.gasLimit), 0n)
      expect(BigInt(asking.gasLimit)).toBeGreaterThanOrEqual(demanded + bytes)
      expect(BigInt(asking.nativeFee)).toBe(each.reduce((sum, one) => sum + BigInt(one.nativeFee), 0n))
    }),
  )
})

test('batch: as many orders are included as a transaction may carry, longest wait first', () => {
  const others = [5, 3, 4, 2].map((n) => asks(n))
  expect(goingWith(asks(9), others)).toEqual([2, 3, 4, 5])
  expect(goingWith(asks(9), others, 3)).toEqual([2, 3])
  expect(goingWith(asks(9), others, 1)).toEqual([])
  expect(goingWith(asks(9), [])).toEqual([])
})

test('batch: organizations take turns regardless of how many orders each has', () => {
  const many = Array.from({ length: 20 }, (_, n) => asks(n + 1, 'org_busy'))
  const few = [asks(101, 'org_a'), asks(102, 'org_b'), asks(103, 'org_a')]
  expect(goingWith(asks(99, 'org_busy'), [...many, ...few], 6)).toEqual([101, 102, 1, 103, 2])
})

test('batch: the orders stay within a block’s gas share, the nodes’ size limit, and the key’s balance', () => {
  const others = [asks(1), asks(2, 'org_1', { gasLimit: '7000000' }), asks(3)]
  expect(goingWith(asks(9), others)).toEqual([1, 3])
  const long = [
    asks(1, 'org_1', { data: `0x${'0'.repeat(99_000)}` }),
    asks(2, 'org_1', { data: `0x${'0'.repeat(999)}` }),
  ]
  expect(goingWith(asks(9), [...long, asks(3)])).toEqual([1, 3])
  expect(goingWith(asks(9), others, 10, gas, () => false)).toEqual([])
})

test('batch: an order beside a payment neither pays its recipient nor is paid by it, as its transaction is the evidence', () => {
  const here = { kind: 'DIRECT' as const }
  const paid = (who: number) => ({ ...here, intent: { ...anyOrder.intent, recipient: addressOf(who) } })
  const first = asks(9, 'org_1', paid(1))
  expect(goingWith(first, [asks(1, 'org_1', paid(1)), asks(2, 'org_1', paid(2))])).toEqual([2])
  expect(goingWith(first, [asks(1, 'org_1', { account: addressOf(1) }), asks(2)])).toEqual([2])
  expect(goingWith(first, [asks(1, 'org_1', { target: addressOf(1) }), asks(2)])).toEqual([2])
  const bridged = { intent: { ...anyOrder.intent, recipient: addressOf(1) } } // pays on another chain
  expect(goingWith(first, [asks(1, 'org_1', bridged)])).toEqual([1])
})

/** Every kind of order that an executor has, with its token and whether it can call a tenant's code. */
const kindsOfOrder = [
  ['a bridge of a token', { kind: 'BRIDGE', token: addressOf(0xe20) }, false],
  ['a bridge of the coin', { kind: 'BRIDGE', token: zeroAddress }, false],
  ['a payment of a token', { kind: 'DIRECT', token: addressOf(0xe20) }, false],
  ['a payment of the coin', { kind: 'DIRECT', token: zeroAddress }, true],
  ['a swap of a token', { kind: 'SWAP', token: addressOf(0xe20) }, true],
  ['a swap of the coin', { kind: 'SWAP', token: zeroAddress }, true],
  ['a refund of the coin', { kind: 'REFUND', token: zeroAddress }, true],
] as const

test('batch: a swap shares no transaction with an order that calls foreign code, in either order', () => {
  const paying = (n: number, terms: Partial<Order>) =>
    asks(n, `org_${n}`, { ...terms, intent: { ...anyOrder.intent, recipient: addressOf(0xd0 + n) } })
  const wrong: string[] = []
  for (const [first, one, control] of kindsOfOrder)
    for (const [second, other, otherControl] of kindsOfOrder) {
      const hasSwap = one.kind === 'SWAP' || other.kind === 'SWAP'
      const mayShare = !(hasSwap && control && otherControl)
      // A bridge between them is compatible with both and must not matter.
      const between = paying(2, { kind: 'BRIDGE', token: zeroAddress })
      const along = goingWith(paying(1, one), [between, paying(3, other)])
      if (String(along) !== (mayShare ? '2,3' : '2')) wrong.push(`${first} with ${second}: ${along}`)
    }
  expect(wrong).toEqual([])
})

test('batch: never contains two orders of one route or more orders than requested, and stays within all bounds', () => {
  const one = fc.record({
    n: fc.integer({ min: 1, max: 30 }),
    route: fc.integer({ min: 1, max: 15 }),
    organization: fc.constantFrom('a', 'b', 'c'),
    gasLimit,
    recipient: fc.integer({ min: 1, max: 6 }),
    kind: fc.constantFrom('DIRECT' as const, 'BRIDGE' as const),
  })
  fc.assert(
    fc.property(fc.array(one, { minLength: 1, maxLength: 25 }), fc.integer({ min: 1, max: 20 }), (all, most) => {
      const [first, ...others] = all.map(({ n, route, organization, recipient, ...rest }) =>
        asks(n, organization, {
          ...rest,
          routeId: hashOf(route),
          intent: { ...anyOrder.intent, recipient: addressOf(recipient) },
        }),
      )
      const along = batchedOrders(first!, others, { orders: most, gas }, () => true)
      const orders = [first!, ...along].map(({ order }) => order)
      expect(along.every((each) => others.includes(each))).toBe(true)
      expect(orders.length).toBeLessThanOrEqual(most)
      expect(new Set(orders.map(({ routeId }) => routeId)).size).toBe(orders.length)
      if (orders.length > 1) expect(BigInt(gasNeedOf(orders).gasLimit)).toBeLessThanOrEqual(gas)
      const paidHere = orders.filter(({ kind }) => kind === 'DIRECT').map(({ intent }) => intent.recipient)
      expect(new Set(paidHere).size).toBe(paidHere.length)
    }),
  )
})

const attempt = { hash: hashOf(0xaa), bytes: '0x' as const, feeCap: '8', tip: '1', at: 5 }
const key: Relayer = { id: 'base:0', version: 1, slots: [] }
const shared = withSlot(key, 7, orderOf(1, { deadline: 60 }), attempt, 'org_1', [
  { order: orderOf(2, { deadline: 90 }), organizationId: 'org_2' },
])

test('a slot keeps each order that it carries until the last of them expires', () => {
  const [slot] = shared.slots
  expect(slot!.deadline).toBe(90)
  expect([1, 2, 3].map((n) => carries(slot!, hashOf(n)))).toEqual([true, true, false])
  expect(ordersOf(slot!).map(({ id }) => id)).toEqual([hashOf(1), hashOf(2)])
  expect(transactionOf(attempt, slot!, key.id)).toEqual({
    hash: attempt.hash,
    at: 5,
    nonce: 7,
    sender: key.id,
    orders: 2,
  })

  expect(ordersOf(withSettled(shared, 7, 80).slots[0]!)).toHaveLength(2) // one has expired, the other has not
  expect(ordersOf(withSettled(shared, 7, 91).slots[0]!)).toEqual([])
  const [mined] = withSettled(shared, 8, 80).slots
  expect([ordersOf(mined!), mined!.attempts, carries(mined!, hashOf(2))]).toEqual([[], [], true])
  expect(withSettled(shared, 8, 91).slots).toEqual([])
})

const request = (n: number, organizationId = 'org_1') => ({ ...asks(n, organizationId).request })
const waiting = (count: number): Relayer => ({
  ...key,
  line: Array.from({ length: count }, (_, n) => ({ ...request(n + 1), share: 1, handedUntil: null })),
})
const full: Relayer['slots'] = Array.from({ length: 15 }, (_, nonce) => ({ nonce }) as Relayer['slots'][number])

test('withSlotsAssigned: each free slot invites as many executions as could share its transaction', () => {
  const record = { ...waiting(15), slots: full }
  const alone = withSlotsAssigned(record, 0, 0)!
  expect(alone.called.map(({ since }) => since)).toEqual([1])
  const { relayer, called } = withSlotsAssigned(record, 0, 0, 10)!
  expect(called.map(({ since }) => since)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
  const idOf = (n: number) => request(n).executionId
  expect([1, 2, 10, 11].map((n) => hasAssignedSlot(relayer, idOf(n), 1))).toEqual([true, false, false, false])
  expect([1, 2, 10, 11].map((n) => isInvited(relayer, idOf(n), 1))).toEqual([true, true, true, false])
  expect(isInvited(relayer, idOf(2), 6_001)).toBe(false)
  expect(withSlotsAssigned(relayer, 0, 1, 10)).toBeNull() // only one slot was free
})

test('withSlotsAssigned: waiting organizations have equally many executions invited', () => {
  const line = [
    ...waiting(30).line!,
    ...[41, 42, 43].map((n) => ({ ...request(n, 'org_2'), share: 1, handedUntil: null })),
  ]
  const { called } = withSlotsAssigned({ ...key, slots: full, line }, 0, 0, 6)!
  expect(called.filter(({ organizationId }) => organizationId === 'org_2')).toHaveLength(3)
})
