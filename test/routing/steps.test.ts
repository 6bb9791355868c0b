import { expect, test } from 'bun:test'
import { follow } from '../../machines/execution'
import { contractErrors, isOurRefusal } from '../../src/domain/chain/contract-refusals'
import type { Relayer } from '../../src/domain/chain/relayer'
import { RoutingError } from '../../src/domain/error'
import { type Execution, type Facts, holdsLane } from '../../src/domain/execution/execution'
import type { Lane } from '../../src/domain/execution/lane'
import { defaultPolicy, type Route } from '../../src/domain/execution/route'
import type { Fees } from '../../src/domain/money/fees'
import { NotSeconded } from '../../src/domain/unavailable'
import { nextOf } from '../../src/http/views/next'
import type { Acceptance, Chains } from '../../src/ports/chain-client'
import type { WorthOf } from '../../src/ports/limits'
import type { StepOutcome } from '../../src/routing/engine/step'
import { believing } from '../support/appraisers'
import { addressOf, executionOf } from '../support/deposits'
import { executionsInMemory, recordsInMemory } from '../support/records'
import { unknownGas } from '../support/route-gas'
import { anyIntent, anySeal } from '../support/seals'
import { stepsIn } from '../support/steps'
import { testAll } from '../support/test-all'
import { unlimited } from '../support/unlimited'
import { detected, intent, order, sent, spent } from '../support/world'

const hour = 3_600_000

const route: Route = {
  provider: 'lifi',
  kind: 'BRIDGE',
  amountIn: '990',
  amountOutExpected: '985',
  amountOutMin: '980',
  expectedSeconds: 10,
  hops: 1,
  slippageBps: 50,
  call: null,
  reference: null,
  quotedAt: 0,
}
const facts: Execution['facts'] = {
  intent: { ...intent, sponsoredGas: true },
  routeId: order.routeId,
  route,
  policy: defaultPolicy,
  balance: { totalReceivedRaw: '1000', block: 1 },
}

/** The steps on a scripted world. */
function on({ at = 0, chain = {}, ports = {} }: { at?: number; chain?: object; ports?: object }) {
  const here = {
    chainId: 8453,
    head: async () => ({ number: 9, hash: '0x', time: 0 }),
    confirmed: async () => ({ number: 9, hash: '0x', time: 0 }),
    confirmedNumber: async () => 9,
    blockAt: async () => ({ number: 9, hash: '0x', time: 0 }),
    nativeBalance: async () => 10n ** 20n,
    minedNonces: async () => 0,
    fee: async () => ({ feeCap: 8n, tip: 1n }),
    routeUsed: async () => null,
    routeUsedIn: async () => null,
    untilConfirmedMs: async () => null,
    assureChain: async () => {},
    acceptance: async () => 'ACCEPTED',
    ...chain,
  }
  const key = { id: sent.sender, address: order.account }
  return stepsIn({
    chains: new Proxy({}, { get: () => here }) as Chains,
    executions: executionsInMemory(),
    lanes: recordsInMemory<Lane>(),
    relayerRecords: recordsInMemory<Relayer>(),
    relayers: { forRoute: () => key, transaction: async () => ({ hash: sent.hash, bytes: '0x' }) } as never,
    signer: { draft: async ({ facts: { route: drafted } }: Execution) => drafted } as never,
    aggregators: [],
    seals: anySeal,
    verifyIntent: anyIntent,
    quoting: {
      aggregators: [{ name: 'lifi', quote: async () => ({ ...route, quotedAt: at, reference: 'fresh' }) }] as never,
      prices: { usd: async () => 10n ** 8n },
      appraiser: believing,
      quoteTimeoutMs: 1_000,
      now: () => at,
    },
    limits: unlimited,
    mayForgiveGas: async () => true,
    routeGas: unknownGas,
    scannedTo: async () => 9,
    payable: async () => null,
    pollMs: () => 250,
    now: () => at,
    ...ports,
  } as never)
}

const record = (other: Partial<Execution> = {}): Execution => ({ ...detected, facts, ...other })
const codeOf = (doing: Promise<unknown>) => doing.then(() => 'done').catch((error: RoutingError) => error.code ?? error)

test('matchIntent: an intent stored for another user or another organization is never used, even with a good seal', async () => {
  const { organizationId, userId } = detected
  for (const other of [{}, { userId: 'another' }, { organizationId: 'another' }]) {
    const load = async () => ({ ...intent, organizationId, userId, ...other })
    const { matchIntent } = on({ ports: { intents: { load }, accounts: { load: async () => null } } })
    const code = await codeOf(matchIntent(record({ facts: {} })))
    expect({ other, code }).toEqual({ other, code: Object.keys(other).length > 0 ? 'INTENT_NOT_SEALED' : 'done' })
  }
})

test('priceFees: an old quote is requested again before its gas is estimated', async () => {
  const estimate = async ({ quotedAt }: Route) => {
    if (quotedAt === 0) throw new RoutingError('SIMULATION_REVERTED') // the bridge's own deadline is over
    return { gasLimit: 100n, costWei: 1n }
  }
  const { priceFees } = on({ at: hour, chain: { estimate } })
  expect(await priceFees(record())).toMatchObject({ type: 'fees priced', facts: { route: { reference: 'fresh' } } })
})

test('a deposit whose best route the signer cannot read takes the route of another provider in each step that quotes', async () => {
  const offers = [route, { ...route, provider: 'relay', amountOutExpected: '984' }]
  const quoting = {
    aggregators: offers.map((offer) => ({ name: offer.provider, quote: async () => offer })) as never,
    prices: { usd: async () => 10n ** 8n },
    appraiser: believing,
    quoteTimeoutMs: 1_000,
    now: () => hour,
  }
  const taken = async (unreadUntil?: (of: Route) => number | null) => {
    const signer = { draft: async () => order, sign: async () => order, ...(unreadUntil && { unreadUntil }) }
    const estimate = async () => ({ gasLimit: 100n, costWei: 1n })
    const { findRoute, priceFees } = on({ at: hour, chain: { estimate }, ports: { signer, quoting } })
    const outcomes = await Promise.all([findRoute(record()), priceFees(record())])
    return outcomes.map((outcome) => outcome.facts!.route!.provider)
  }
  expect(await taken()).toEqual(['lifi', 'lifi'])
  expect(await taken(({ provider }) => (provider === 'lifi' ? hour + 1 : null))).toEqual(['relay', 'relay'])
})

test('findRoute: a deposit that was counted is not refused by its own count', async () => {
  const limits = { policyOf: async () => defaultPolicy, hasQuota: async () => 'NO' as const, dustFloorUsd: 0n }
  const { findRoute } = on({ ports: { limits } })
  expect(await codeOf(findRoute(record()))).toBe('MONTHLY_QUOTA_REACHED')
  expect(await codeOf(findRoute(record({ facts: { ...facts, quotaKey: 'org_1:2026-11' } })))).toBe('done')
})

/** A block after the order's deadline. */
const over = { number: 9, hash: '0x', time: order.deadline + 1 }

test('confirmDelivery: an order refused by our contracts lapses, and one that failed elsewhere ends the deposit', async () => {
  const running = record({ state: 'RUNNING', facts: { ...facts, order, transactions: [sent] } })
  for (const reason of [null, ...contractErrors]) {
    const chain = {
      revertReason: async () => reason,
      head: async () => over,
      blockAt: async () => over,
      receipt: async () => ({ block: 5, succeeded: false, time: order.deadline }),
    }
    const code = isOurRefusal(reason) ? 'ORDER_LAPSED' : 'TRANSACTION_REVERTED'
    const outcome = await on({ chain }).confirmDelivery(running)
    expect({ reason, outcome }).toMatchObject({ reason, outcome: { failure: { code } } })
    // After the deadline, any revert that gives no reason when it is run again has this one.
    expect({ reason, isStop: 'isStop' in outcome }).toEqual({
      reason,
      isStop: isOurRefusal(reason) && reason !== 'Expired',
    })
  }
})

// Columns: the difference; then the outcome, or that it waits.
const refusedAt = { block: 8, succeeded: false, time: order.deadline - 60 }
const taken = { number: 9, hash: '0x', time: order.deadline - 50 }
const running = record({ state: 'RUNNING', facts: { ...facts, order: { ...order, sender: sent.sender } } })
running.facts.transactions = [sent]
const refusedOn = (other: object) => ({
  confirmed: async () => taken,
  receipt: async () => refusedAt,
  revertReason: async () => null,
  acceptance: async () => 'ACCEPTED',
  ...other,
})
testAll<[string, object, object]>([
  ['in a confirmed block of one node', {}, { failure: { code: 'TRANSACTION_REVERTED' } }],
  [
    'in an unconfirmed block',
    { confirmed: async () => ({ ...taken, number: 7 }) },
    { historyEntry: expect.any(String) },
  ],
  ['and the second node agrees', { second: refusedOn({ routeUsed: async () => null }) }, { type: 'order failed' }],
  [
    'and the second node has not confirmed it',
    { second: refusedOn({ confirmed: async () => ({ ...taken, number: 7 }) }) },
    { waitingFor: 'BLOCK' },
  ],
  [
    'and the second node knows no such block',
    { second: refusedOn({ receipt: async () => null }) },
    { waitingFor: 'BLOCK' },
  ],
  [
    'and the second node saw it succeed',
    { second: refusedOn({ receipt: async () => ({ ...refusedAt, succeeded: true }) }) },
    { waitingFor: 'BLOCK' },
  ],
  ['because our own contract was stopped', { revertReason: async () => 'Paused' }, { waitingFor: 'BLOCK' }],
  ['because one rule was stopped', { revertReason: async () => 'NoRule' }, { waitingFor: 'BLOCK' }],
])(
  'confirmDelivery: a revert ends the deposit only in a confirmed block of every queried node',
  async (_case, chain, ends) => {
    expect(await on({ chain: refusedOn(chain) }).confirmDelivery(running)).toMatchObject(ends)
  },
)

test('confirmDelivery: an order that a token’s issuer stopped lapses at its deadline without a retry, whichever node shows the stop', async () => {
  const pay = { ...intent, targetChainId: detected.deposit.chainId, targetAddress: addressOf(0x77) }
  const record = { ...running, facts: { ...running.facts, intent: pay } }
  const stopping = (said: Acceptance, who: string) => async (_token: string, holder: string) =>
    holder.toLowerCase() === who.toLowerCase() ? said : 'ACCEPTED'
  const accepts = async () => 'ACCEPTED'
  const late = { head: async () => over, blockAt: async () => over, confirmed: async () => over }
  for (const said of ['PAUSED', 'BLOCKED', 'REFUSED', 'UNTRIED'] as const)
    for (const who of [detected.deposit.account, pay.targetAddress])
      for (const [first, other] of [
        [stopping(said, who), accepts],
        [accepts, stopping(said, who)],
      ])
        for (const time of [{}, late]) {
          const second = refusedOn({ routeUsed: async () => null, acceptance: other, ...time })
          const outcome = await on({ chain: refusedOn({ acceptance: first, second, ...time }) }).confirmDelivery(record)
          const isStop = said === 'PAUSED' || said === 'BLOCKED'
          const stopped = time === late ? { failure: { code: 'ORDER_LAPSED' }, isStop } : { waitingFor: 'TOKEN' }
          const ends = isStop ? stopped : { failure: { code: 'TRANSACTION_REVERTED' } }
          expect({ said, who, outcome }).toMatchObject({ said, who, outcome: ends })
          expect('isStop' in outcome).toBe(isStop && time === late)
        }
})

test('a deposit whose order a token’s issuer stopped keeps it until its deadline, and then goes on without a retry', async () => {
  const stopped = {
    acceptance: async () => 'PAUSED',
    estimate: () => Promise.reject(new RoutingError('SIMULATION_REVERTED')),
  }
  const ended = { estimate: async () => ({ gasLimit: 100n, costWei: 1n }) }
  const late = { head: async () => over, blockAt: async () => over, confirmed: async () => over }
  const after = async (chain: object, before: Execution) => {
    const outcome = await on({ chain: refusedOn(chain) }).confirmDelivery(before)
    if ('type' in outcome) return follow(before, { ...outcome, at: 1, retryAt: 2 } as never)
    return { ...before, facts: { ...before.facts, ...outcome.facts, waiting: { for: outcome.waitingFor, since: 0 } } }
  }
  // The order may still be executed, so the deposit neither ends nor gets another order.
  const waiting = await after(ended, await after(stopped, running))
  expect(waiting).toMatchObject({ state: 'RUNNING', facts: { order: running.facts.order, waiting: { for: 'TOKEN' } } })
  const failed = await after({ ...ended, ...late }, waiting)
  expect(failed).toMatchObject({ state: 'FAILED', retryCount: 0, dueAt: 2, cause: { code: 'ORDER_LAPSED' } })
  expect(failed.facts.order).toBeUndefined()
  expect(await on({ chain: refusedOn(stopped) }).priceFees(failed)).toMatchObject({ waitingFor: 'TOKEN' })
  expect(await on({ chain: refusedOn(ended) }).priceFees(failed)).toMatchObject({ type: 'fees priced' })
})

test('confirmDelivery: a revert ends no deposit while a node cannot try its token, for ten minutes', async () => {
  const acceptance = () => Promise.reject(new RoutingError('RPC_FAILED'))
  const since = (at: number) => ({
    ...running,
    facts: { ...running.facts, waiting: { for: 'NODE', since: at } as const },
  })
  const confirmed = (at: number) => on({ at, chain: refusedOn({ acceptance }) }).confirmDelivery(since(0))
  const early = await confirmed(10 * 60_000 - 1).catch(({ waitingFor }) => waitingFor)
  expect([early, await confirmed(10 * 60_000)]).toMatchObject(['NODE', { failure: { code: 'TRANSACTION_REVERTED' } }])
})

test('confirmDelivery: a deposit waits while no node can run its reverted transaction again, and then takes another order', async () => {
  const unanswered = { revertReason: () => Promise.reject(new RoutingError('RPC_FAILED')) }
  const late = { head: async () => over, blockAt: async () => over, confirmed: async () => over }
  const second = refusedOn({ routeUsed: async () => null, ...late })
  const silent = { ...second, revertReason: () => Promise.reject(new NotSeconded(8453, 1)) }
  const since = { ...running, facts: { ...running.facts, waiting: { for: 'NODE', since: 0 } as const } }
  const after = async (at: number, chain: object) => {
    const outcome = await on({ at, chain: refusedOn(chain) }).confirmDelivery(since)
    return 'type' in outcome ? follow(since, { ...outcome, at, retryAt: at } as never) : outcome
  }
  const receipt = { hash: sent.hash, succeeded: false }
  for (const chain of [unanswered, { ...unanswered, second }, { second: silent }]) {
    const waits = { waitingFor: 'NODE', historyEntry: 'transaction reverted', facts: { receipt } }
    // Before its deadline the order is not void, so nothing else can be decided.
    for (const at of [0, 10 * 60_000]) expect(await after(at, chain)).toMatchObject(waits)
    const { facts } = await after(0, chain)
    const { message } = nextOf({ ...since, facts: { ...since.facts, ...facts } }, 0)
    expect(message).toMatch(/rejected the transaction.*cannot be read reliably/)
    expect(await after(10 * 60_000 - 1, { ...chain, ...late })).toMatchObject(waits)
    const lapsed = await after(10 * 60_000, { ...chain, ...late })
    expect(lapsed).toMatchObject({ state: 'FAILED', cause: { code: 'ORDER_LAPSED' } })
    // A stop by the token's issuer is reason enough.
    const paused = { ...chain, acceptance: async () => 'PAUSED' }
    expect(await after(0, paused)).toMatchObject({ ...waits, waitingFor: 'TOKEN' })
    expect(await after(0, { ...paused, ...late })).toMatchObject({ state: 'FAILED', retryCount: 0 })
  }
})

test('confirmDelivery: a deposit waits no longer for the reason of a revert although its wait begins again and again', async () => {
  const unanswered = { revertReason: () => Promise.reject(new RoutingError('RPC_FAILED')) }
  const late = { head: async () => over, blockAt: async () => over, confirmed: async () => over }
  const after = (at: number, facts: Facts = {}) =>
    on({ at, chain: refusedOn({ ...unanswered, ...late }) }).confirmDelivery({
      ...running,
      facts: { ...running.facts, ...facts },
    })
  const { facts } = await after(0)
  expect(await after(30 * 60_000 - 1, facts)).toMatchObject({ waitingFor: 'NODE', facts: { receipt: { at: 0 } } })
  expect(await after(30 * 60_000, facts)).toMatchObject({ failure: { code: 'ORDER_LAPSED' } })
})

test('confirmDelivery: a stop by the token’s issuer that was seen counts after its end, whatever the deposit waited for in between', async () => {
  const stopped = await on({ chain: refusedOn({ acceptance: async () => 'PAUSED' }) }).confirmDelivery(running)
  expect(stopped).toMatchObject({ waitingFor: 'TOKEN' })
  const facts = { ...running.facts, ...stopped.facts, waiting: { for: 'NODE', since: 0 } as const }
  const found = await on({ chain: refusedOn({}) }).confirmDelivery({ ...running, facts })
  expect(found).toMatchObject({ waitingFor: 'TOKEN' })
})

test('confirmDelivery: a stop that only the second node can show spends no retry', async () => {
  const late = { head: async () => over, blockAt: async () => over, confirmed: async () => over }
  const second = refusedOn({ routeUsed: async () => null, revertReason: async () => 'NoRule', ...late })
  const outcome = await on({ chain: refusedOn({ ...late, second }) }).confirmDelivery(running)
  expect(outcome).toMatchObject({ failure: { code: 'ORDER_LAPSED' }, isStop: true })
})

test('confirmDelivery: money that leaves and its fees store their value then, and nothing if the price is unknown', async () => {
  const used = { hash: sent.hash, block: 8, spentRaw: 1_000n }
  const chain = { ...refusedOn({}), routeUsed: async () => used }
  const fees = { protocolFeeEffective: '1500000', gasFeeRaw: '20000' } as Fees
  const spentWith = async (worth: WorthOf) => {
    const outcome = await on({ chain, ports: { worth } }).confirmDelivery({
      ...running,
      facts: { ...running.facts, fees },
    })
    return (outcome as { facts: Facts }).facts.spent!
  }
  expect(await spentWith(async () => ({ usd: 99_990_000n, decimals: 6 }))).toMatchObject({
    ...{ amountRaw: '1000', valueUsd: '99990' },
    feesUsd: { protocolFee: '149985000', gasFee: '1999800' },
  })
  for (const unknown of [async () => null, () => Promise.reject(new Error('away'))])
    for (const field of ['valueUsd', 'feesUsd']) expect(await spentWith(unknown)).not.toHaveProperty(field)
})

test('confirmDelivery: an order that failed in a batch ends at its deadline, unless another transaction carried it', async () => {
  const asked: unknown[] = []
  const failedAlone = (hash: string, routeId?: string) => {
    asked.push([hash, routeId])
    return routeId === order.routeId
  }
  const chain = refusedOn({
    receipt: async (hash: string, routeId?: string) => ({ ...refusedAt, succeeded: !failedAlone(hash, routeId) }),
    revertReason: async (hash: string, routeId?: string) => (failedAlone(hash, routeId) ? 'OutputTooLow' : null),
  })
  const shared = { ...running, facts: { ...running.facts, transactions: [{ ...sent, orders: 5 }] } }
  const both = { ...chain, second: { ...chain, routeUsed: async () => null } }
  expect(await on({ chain: both }).confirmDelivery(shared)).toMatchObject({
    waitingFor: 'BLOCK',
    historyEntry: 'transaction reverted',
  })
  const late = { head: async () => over, blockAt: async () => over }
  const second = { ...both.second, confirmed: async () => over }
  expect(await on({ chain: { ...both, ...late, second } }).confirmDelivery(shared)).toMatchObject({
    failure: { code: 'TRANSACTION_REVERTED' },
  })
  expect(new Set(asked.map(String))).toEqual(new Set([String([sent.hash, order.routeId])]))
  const used = { hash: sent.hash, block: 8, spentRaw: 1_000n }
  const carried = { ...refusedOn({}), routeUsed: async () => used }
  expect(await on({ chain: carried }).confirmDelivery(shared)).toMatchObject({ type: 'transaction mined' })
})

test('confirmDelivery: a revert decides nothing for an order signed before keys were recorded', async () => {
  const { sender: _, ...nobodys } = running.facts.order!
  const older = { ...running, facts: { ...running.facts, order: nobodys } }
  expect(await on({ chain: refusedOn({}) }).confirmDelivery(older)).toMatchObject({ waitingFor: 'BLOCK' })
})

test('confirmDelivery: a revert is reported once, and withdrawn if the chain removes its block', async () => {
  const receipt = { hash: sent.hash, block: 8, succeeded: false, at: 0 }
  const unconfirmed = { confirmed: async () => ({ ...taken, number: 7 }) }
  const told = { ...running, facts: { ...running.facts, receipt } }
  expect(await on({ chain: refusedOn(unconfirmed) }).confirmDelivery(running)).toMatchObject({
    historyEntry: 'transaction reverted',
    facts: { receipt },
  })
  const again = await on({ chain: refusedOn(unconfirmed) }).confirmDelivery(told)
  expect(again).toEqual({ facts: {}, retryInMs: 250, waitingFor: 'BLOCK' })
  const gone = await on({ chain: refusedOn({ ...unconfirmed, receipt: async () => null }) }).confirmDelivery(told)
  expect(gone).toMatchObject({ historyEntry: 'revert taken back', facts: { receipt: null } })
})

test('confirmDelivery: a node without receipts blocks nothing', async () => {
  const chain = refusedOn({ receipt: () => Promise.reject(new RoutingError('RPC_FAILED')) })
  expect(await on({ chain }).confirmDelivery(running)).toMatchObject({ waitingFor: 'BLOCK' })
})

test('submitOrder: an expired order is signed again if it never had a nonce, and otherwise has lapsed', async () => {
  const chain = { head: async () => over, blockAt: async () => over, receipt: async () => null }
  const pending = record({ state: 'PENDING', facts: { ...facts, order } })
  expect(await on({ chain }).submitOrder(pending)).toEqual({ type: 'order expired' })

  // An order that a node rejected had a nonce, but its slot may be filled and removed by now.
  const signed = { seq: 1, at: 5, event: 'order signed', from: null, to: 'PENDING', status: null, note: null } as const
  const cause = { code: 'RPC_FAILED', category: 'PROVIDER_5XX', message: '', at: 6 } as const
  expect(await on({ chain }).submitOrder({ ...pending, history: [signed], cause })).toMatchObject({
    failure: { code: 'ORDER_LAPSED' },
  })
  const earlier = { ...pending, history: [{ ...signed, at: 7 }], cause }
  expect(await on({ chain }).submitOrder(earlier)).toEqual({ type: 'order expired' })

  const slots = [{ ...slotOf(0), orderId: order.id, hashes: [{ hash: sent.hash, at: 1 }] }]
  const relayerRecords = recordsInMemory<Relayer>({ id: sent.sender, version: 1, slots })
  expect(await on({ chain, ports: { relayerRecords } }).submitOrder(pending)).toMatchObject({
    failure: { code: 'ORDER_LAPSED' },
  })
  const unconfirmed = { ...chain, blockAt: async () => ({ ...over, time: order.deadline }) }
  expect(await on({ chain: unconfirmed }).submitOrder(pending)).toMatchObject({ waitingFor: 'GAS' })
})

test('submitOrder: a pause stops an order that was never sent, while one with a nonce continues', async () => {
  const paused = { find: () => ({}) as never }
  const chain = { send: async () => {} }
  const pending = record({ state: 'PENDING', facts: { ...facts, order } })
  expect(await on({ chain, ports: { pauses: paused } }).submitOrder(pending)).toMatchObject({ waitingFor: 'PAUSE' })
  const relayerRecords = recordsInMemory<Relayer>({
    id: sent.sender,
    version: 1,
    slots: [{ ...slotOf(0), orderId: order.id }],
  })
  expect(await on({ chain, ports: { pauses: paused, relayerRecords } }).submitOrder(pending)).toMatchObject({
    type: 'transaction submitted',
  })
})

test('an execution that takes a lane reads only balances after the last holder’s money left', async () => {
  const wrong: object[] = []
  // Columns: the last known block of the lane, the block where the holder's money left, and the first clear block.
  for (const [clearFrom, spentAt, expected] of [
    [0, null, 0],
    [7, null, 7],
    [0, 9, 9],
    [7, 9, 9],
    [12, 9, 12],
  ] as const) {
    const ended = spentAt === null ? { state: 'DEAD_LETTER' } : { state: 'RUNNING' }
    const holder = executionOf(1, { ...ended, ...(spentAt && { facts: { spent: { ...spent, block: spentAt } } }) })
    const lane = { id: detected.deposit.lane, version: 1, holder: holder.id, clearFrom }
    const lanes = recordsInMemory<Lane>(lane)
    const steps = on({ at: 1, ports: { executions: executionsInMemory(holder), lanes } })
    const outcome = await steps.takeLane(executionOf(2))
    const stored = lanes.get(lane.id).clearFrom
    if (outcome.facts?.laneClearFrom !== expected || stored !== expected) wrong.push({ clearFrom, spentAt, outcome })
  }
  expect(wrong).toEqual([])
})

// A wait that may last hours must not be written four times a second.
testAll<[string, Execution['facts'], (steps: ReturnType<typeof on>, execution: Execution) => Promise<StepOutcome>]>([
  ['a deposit behind another', { ...facts, waiting: { for: 'LANE', since: 0 } }, (steps, it) => steps.takeLane(it)],
  ['a stopped scanner', { ...facts, waiting: { for: 'BLOCK', since: 0 } }, (steps, it) => steps.verifyBalance(it)],
  [
    'a halted chain',
    { ...facts, order, waiting: { for: 'BLOCK', since: 0 } },
    (steps, it) => steps.confirmDelivery(it),
  ],
])('a waiting execution is polled at growing intervals', async (_case, waiting, look) => {
  const holder = record({ id: '8453:0x1:1' })
  expect(holdsLane(holder)).toBe(true)
  const lane = { id: detected.deposit.lane, version: 1, holder: holder.id, clearFrom: 0 }
  const ports = {
    executions: executionsInMemory(holder),
    lanes: recordsInMemory<Lane>(lane),
    scannedTo: async () => -1,
  }
  const outcome = await look(on({ at: hour, ports }), record({ facts: waiting }))
  expect(outcome).toMatchObject({ retryInMs: hour / 20 })
  expect(await look(on({ at: 1_000, ports }), record({ facts: waiting }))).not.toMatchObject({
    retryInMs: hour / 20,
  })
})

const slotOf = (nonce: number): Relayer['slots'][number] => ({
  nonce,
  orderId: `0x${nonce}`,
  order: null,
  deadline: 60,
  hashes: [],
  attempts: [{ hash: '0x', bytes: '0x', feeCap: '8', tip: '1', at: 0 }],
})
