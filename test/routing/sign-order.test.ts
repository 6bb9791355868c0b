import { expect, test } from 'bun:test'
import { follow } from '../../machines/execution'
import { freshHead } from '../../src/adapters/evm/heads'
import type { Relayer } from '../../src/domain/chain/relayer'
import { RoutingError } from '../../src/domain/error'
import { type Execution, type Facts, failureOf } from '../../src/domain/execution/execution'
import { defaultPolicy } from '../../src/domain/execution/route'
import {
  RouteRefused,
  SignerSilent,
  SignerUnable,
  TemporarilyUnavailable,
  WorthUnknown,
} from '../../src/domain/unavailable'
import type { Chains } from '../../src/ports/chain-client'
import type { Limits } from '../../src/ports/limits'
import type { Payable, Payment, PaymentObjection } from '../../src/routing/engine/payable'
import { signOrder } from '../../src/routing/steps/sign-order'
import { addressOf } from '../support/deposits'
import { executionsInMemory, recordsInMemory } from '../support/records'
import { testAll } from '../support/test-all'
import { unlimited } from '../support/unlimited'
import { detected, intent, order } from '../support/world'

const key = { id: 'base:0', address: addressOf(1) }
const route = { provider: 'lifi', call: null, amountIn: '990', quotedAt: 0 } as never
const ready: Execution = { ...detected, facts: { intent, routeId: order.routeId, route, gasLimit: '21000' } }
const { block } = ready.deposit
const receipt = { block, succeeded: true, time: 0 }
type Slots = Relayer['slots']

/** The step on a scripted chain. `signed` counts signatures. */
type World = {
  chain?: object
  at?: number
  slots?: Slots
  limits?: Partial<Limits>
  nativeUsd?: bigint | null
  /** The signer's reason for refusing. */
  refusal?: Error
  /** Whether another process signs. */
  isSeparate?: true
  /** Until when the signer counts as unable to read the route's call. */
  unreadUntil?: number
  /** The provider's reason for withdrawing the route. */
  uncarried?: Error
  isPaused?: boolean
  /** Whether pricing waits, because the deposited token is stopped. */
  isStopped?: boolean
  /** The destination chain's verdict on the payment. */
  payable?: Payable
}
const strict = { ...defaultPolicy, minOutputBps: 9_900 }

function signing({
  chain = {},
  at = 0,
  slots = [],
  limits = {},
  nativeUsd = 10n ** 8n,
  refusal,
  uncarried,
  isPaused = false,
  isStopped = false,
  payable = async () => null,
  isSeparate,
  unreadUntil,
}: World = {}) {
  let signed = 0
  const asked: { deadline: number; quotedAt: number }[] = []
  const repriced: unknown[] = []
  const stored: { facts: Facts; before: number }[] = []
  const here = {
    chainId: 8453,
    head: async () => ({ number: 9, hash: '0x', time: Math.floor(at / 1_000) }),
    confirmed: async () => ({ number: 7, hash: '0x', time: 0 }),
    confirmedNumber: async () => 7,
    minedNonces: async () => 0,
    nativeBalance: async () => 10n ** 18n,
    fee: async () => ({ feeCap: 1n }),
    transfersTo: async () => [],
    arrived: async () => ({ parts: [] }),
    receipt: async () => receipt,
    assureChain: async () => {},
    ...chain,
  }
  const now = () => at
  const ports = {
    chains: new Proxy({}, { get: () => here }) as Chains,
    signer: {
      ...(isSeparate && { isSeparate }),
      ...(unreadUntil !== undefined && { unreadUntil: () => unreadUntil }),
      async sign({ facts }: Execution, deadline: number) {
        asked.push({ deadline, quotedAt: facts.route!.quotedAt })
        if (refusal) throw refusal
        signed += 1
        return order
      },
    } as never,
    relaying: {
      relayers: { forRoute: () => key } as never,
      relayerRecords: recordsInMemory<Relayer>({ id: key.id, version: 1, slots }),
      now,
    },
    freshHead: freshHead(here as never, 60_000, now),
    pauses: { find: (scopes: unknown[]) => (isPaused && scopes.length === 1 ? {} : null) } as never,
    screening: { blacklist: { isListed: () => false } as never, executions: executionsInMemory() },
    payable,
    onLowGas: () => {},
    limits: { ...unlimited, ...limits },
    quoting: {
      prices: { usd: async () => nativeUsd ?? Promise.reject(new Error('away')) },
      aggregators: [{ name: 'lifi', assureCarried: async () => Promise.reject(uncarried) }].slice(
        uncarried ? 0 : 1,
      ) as never,
    },
    orderSeconds: 150,
    now,
  }
  const step = signOrder(ports, async ({ facts: { policy } }) => {
    repriced.push(policy)
    if (isStopped) return { retryInMs: 30_000, waitingFor: 'TOKEN' }
    return { type: 'fees priced', facts: { route: { ...(route as object), quotedAt: at } as never } }
  })
  const store = async (facts: Facts) => void stored.push({ facts, before: asked.length })
  const outcome = async (execution = ready) =>
    step(execution, store).catch((error) => (error instanceof RoutingError ? error.code : error))
  return { outcome, repriced, asked, stored, signed: () => signed }
}
const slotOf = (nonce: number): Slots[number] => ({
  nonce,
  orderId: `0x${nonce}`,
  order: null,
  deadline: 60,
  hashes: [],
  attempts: [{ hash: '0x', bytes: '0x', feeCap: '8', tip: '1', at: 0 }],
})

// Inclusion is checked again right before signing, because the balance was read earlier.
testAll<[string, object, { place: string }[], string]>([
  ['failed', { ...receipt, succeeded: false }, [], 'DEPOSIT_NOT_ON_CHAIN'],
  ['pays the account nothing in a later block', { ...receipt, block: block + 1 }, [], 'DEPOSIT_NOT_ON_CHAIN'],
  ['pays at another place of a later block', { ...receipt, block: block + 1 }, [{ place: 'other' }], 'DEPOSIT_MOVED'],
])(
  'a deposit whose transaction is no longer in the chain unchanged is not signed',
  async (_case, found, parts, code) => {
    const { outcome, signed } = signing({ chain: { receipt: async () => found, arrived: async () => ({ parts }) } })
    expect(await outcome()).toBe(code)
    expect(signed()).toBe(0)
  },
)

test('a deposit waits while two nodes differ about the place of its payment', async () => {
  const { txHash, logIndex } = ready.deposit
  const moved = { receipt: async () => ({ ...receipt, block: block + 1 }) }
  const [here, elsewhere, none] = [[{ place: `${txHash}:${logIndex}` }], [{ place: `${txHash}:9` }], []]
  for (const [first, second] of [
    [elsewhere, here],
    [elsewhere, none],
    [none, elsewhere],
  ]) {
    const at = (parts: object[] | undefined) => ({ ...moved, arrived: async () => ({ parts }) })
    const { outcome, signed } = signing({ chain: { ...at(first), second: at(second) } })
    expect([await outcome(), signed()]).toEqual([expect.objectContaining({ waitingFor: 'NODE' }), 0])
  }
})

test('a deposit that is still in the chain is signed by the chain’s clock and for the key that will send it', async () => {
  const { outcome } = signing()
  expect(await outcome()).toMatchObject({ type: 'order signed', facts: { order: { ...order, sender: key.id } } })
  const swept = { ...ready, deposit: { ...ready.deposit, txHash: null } } // found by its balance
  const unknown = signing({ chain: { receipt: async () => null } })
  expect(await unknown.outcome(swept)).toMatchObject({ type: 'order signed' })
})

test('a deposit whose transaction no node shows waits for a node without a retry, however long', async () => {
  const { outcome, signed } = signing({ chain: { receipt: async () => null } })
  expect(await outcome()).toMatchObject({ waitingFor: 'NODE' })
  const since = (at: number) => {
    const quoted = { ...(route as object), quotedAt: at } as never
    const facts: Facts = { ...ready.facts, route: quoted, waiting: { for: 'NODE', since: 0 } }
    return signing({ at, chain: { receipt: async () => null } }).outcome({ ...ready, facts })
  }
  for (const waitedMs of [60_000, 3_600_000]) expect(await since(waitedMs)).toMatchObject({ waitingFor: 'NODE' })
  expect(signed()).toBe(0)
})

test('a deposit is missing only if a second node shows the same', async () => {
  const failed = { ...receipt, succeeded: false }
  const [agreed, ...others] = [failed, receipt, null].map((said) =>
    signing({ chain: { receipt: async () => failed, second: { receipt: async () => said } } }).outcome(),
  )
  expect(await agreed).toBe('DEPOSIT_NOT_ON_CHAIN')
  for (const other of others) expect(await other).toMatchObject({ waitingFor: 'NODE' })
})

test('a deposit that a reorganization moved to a later block is signed once its balance was verified there', async () => {
  const { txHash, logIndex } = ready.deposit
  const moved = block + 2
  const at = (confirmed: number, verified: number, facts: Facts = {}) =>
    signing({
      at: 1_000,
      chain: {
        confirmedNumber: async () => confirmed,
        receipt: async () => ({ ...receipt, block: moved }),
        transfersTo: async (_to: unknown, from: number) => (from === moved ? [{ txHash, logIndex, block: moved }] : []),
      },
    }).outcome({
      ...ready,
      facts: { ...ready.facts, balance: { totalReceivedRaw: '990', block: verified }, ...facts },
    })
  const waiting: Facts = { waiting: { for: 'BLOCK', since: 0 } }
  expect(await at(moved - 1, block, waiting)).toMatchObject({ waitingFor: 'BLOCK' })
  expect(await at(moved, block)).toMatchObject({ waitingFor: 'BLOCK' }) // the scanner may not have read it yet
  expect(await at(moved, block, waiting)).toEqual({ type: 'balance outdated' })
  expect(await at(moved, moved)).toMatchObject({ type: 'order signed' })
})

test('a deposit that moved to a later block waits for a node that fails to read its logs, unless its transaction shows it', async () => {
  const { txHash, logIndex } = ready.deposit
  const moved = { receipt: async () => ({ ...receipt, block: block + 2 }) }
  const failing = { ...moved, transfersTo: () => Promise.reject(new RoutingError('RPC_FAILED')) }
  const there = { parts: [{ place: `${txHash}:${logIndex}` }] }
  for (const [first, second, waitingFor] of [
    [null, null, 'NODE'],
    [there, null, 'NODE'],
    [there, { parts: [] }, 'NODE'],
    [there, there, 'BLOCK'],
  ] as const) {
    const chain = { ...failing, arrived: async () => first, second: { ...moved, arrived: async () => second } }
    const { outcome, signed } = signing({ chain })
    expect([await outcome(), signed()]).toEqual([expect.objectContaining({ waitingFor }), 0])
  }
})

test('no old quote is signed while the token’s issuer has stopped it', async () => {
  const { outcome, signed } = signing({ at: 60_001, isStopped: true })
  expect(await outcome()).toMatchObject({ waitingFor: 'TOKEN' })
  expect(signed()).toBe(0)
})

test('a deposit still shown by its block needs no receipt, and any other needs one', async () => {
  const { account, txHash, logIndex } = ready.deposit
  const asked: unknown[] = []
  const shown = (...transfers: object[]) => ({
    transfersTo: async (...args: unknown[]) => asked.push(args) && transfers,
    receipt: async () => null,
  })
  const alone = signing({ chain: shown({ txHash: '0x9', logIndex, block }, { txHash, logIndex, block }) })
  expect(await alone.outcome()).toMatchObject({ type: 'order signed' })
  expect(asked).toEqual([[[account], block, block]])
  const others = [{ txHash: '0x9' }, { logIndex: logIndex! + 1 }, { block: block + 1 }]
  for (const other of others) {
    const { outcome, signed } = signing({ chain: shown({ txHash, logIndex, block, ...other }) })
    expect([await outcome(), signed()]).toEqual([expect.objectContaining({ waitingFor: 'NODE' }), 0])
  }
  const failing = { transfersTo: () => Promise.reject(new RoutingError('RPC_FAILED')) }
  expect(await signing({ chain: failing }).outcome()).toMatchObject({ type: 'order signed' })
})

test('a route that its provider would no longer accept is not signed before all providers are queried again', async () => {
  const facts = { ...ready.facts, policy: strict }
  const { outcome, repriced } = signing({
    uncarried: new RouteRefused('Nobody mints it.'),
    limits: { policyOf: async () => strict },
  })
  expect(await outcome({ ...ready, facts })).toMatchObject({ type: 'order signed', facts: { policy: strict } })
  expect(repriced).toEqual([strict])
  const kept = signing()
  await kept.outcome({ ...ready, facts })
  expect(kept.repriced).toEqual([])
})

test('a route whose call the signer cannot read is not requested again before all providers are queried again', async () => {
  const facts = { ...ready.facts, policy: strict }
  const limits = { policyOf: async () => strict }
  const unable = new SignerUnable(2_000)
  const first = signing({ isSeparate: true, refusal: unable, limits })
  expect(await first.outcome({ ...ready, facts })).toMatchObject({ waitingFor: 'SIGNER', facts: { asked: null } })
  expect(first.repriced).toEqual([])
  const second = signing({ isSeparate: true, unreadUntil: 60_000, limits })
  expect(await second.outcome({ ...ready, facts })).toMatchObject({ type: 'order signed' })
  expect(second.repriced).toEqual([strict])
})

test('nothing is signed if the node serves a different chain now, whatever it showed before', async () => {
  const assureChain = () => Promise.reject(new RoutingError('RPC_FAILED'))
  const { outcome, signed } = signing({ chain: { assureChain } })
  expect(await outcome()).toBe('RPC_FAILED')
  expect(signed()).toBe(0)
})

test('nothing is signed on a node with an old head, and the deposit waits for a current node', async () => {
  const { outcome, signed } = signing({
    at: 3_600_000,
    chain: { head: async () => ({ number: 5, hash: '0x', time: 0 }) },
  })
  expect(await outcome()).toMatchObject({ waitingFor: 'NODE' })
  expect(signed()).toBe(0)
})

test('nothing is signed for a key with sixteen unmined transactions, and the wait is not a retry', async () => {
  const slots = Array.from({ length: 16 }, (_, nonce) => slotOf(nonce))
  const busy = signing({ slots })
  expect(await busy.outcome()).toMatchObject({ waitingFor: 'GAS' })
  expect(busy.signed()).toBe(0)
  const mined = signing({ slots, chain: { minedNonces: async (_key: unknown, block?: number) => (block ? 0 : 1) } })
  expect(await mined.outcome()).toMatchObject({ type: 'order signed' })
})

test('hundreds of executions waiting for one key share occasional requests to the chain', async () => {
  let asked = 0
  const minedNonces = async () => {
    asked += 1
    return 0
  }
  const busy = signing({ slots: Array.from({ length: 16 }, (_, nonce) => slotOf(nonce)), chain: { minedNonces } })
  for (let n = 0; n < 100; n++) expect(await busy.outcome()).toMatchObject({ waitingFor: 'GAS' })
  expect(asked).toBe(2) // at the newest block and at a confirmed one
})

const sponsored = { ...ready, facts: { ...ready.facts, intent: { ...intent, sponsoredGas: true } } }
const dear = { ...sponsored, facts: { ...sponsored.facts, gasCostWei: String(10n ** 18n) } } // 1.20 USD with the buffer

test('sponsored gas is charged to the day’s budget at its value right before signing, and stored with it', async () => {
  const taken: [string, number | null][] = []
  const maySponsorGas = async (...asked: [string, number | null]) => taken.push(asked) > 0
  const { outcome } = signing({ limits: { maySponsorGas } })
  expect(await outcome(dear)).toMatchObject({ type: 'order signed', facts: { sponsoredMicroUsd: '1200000' } })
  const again = { ...dear, facts: { ...dear.facts, sponsoredMicroUsd: '1000000' } }
  expect(await outcome(again)).toMatchObject({ facts: { sponsoredMicroUsd: '1200000' } })
  expect(await outcome({ ...dear, facts: { ...dear.facts, sponsoredMicroUsd: '1200000' } })).not.toHaveProperty(
    'failure',
  )
  expect(await outcome(ready)).toMatchObject({ type: 'order signed' })
  expect(taken).toEqual([
    [ready.organizationId, 1_200_000],
    [ready.organizationId, 200_000],
  ])
})

testAll([
  ['is away', new TemporarilyUnavailable('the signer', 2_000, 'SIGNER')],
  ['knows no worth', new WorthUnknown('no price')],
])(
  'the budget is charged once while the signer is unreachable or refuses, however often signing is repeated',
  async (_why, refusal) => {
    const taken: (number | null)[] = []
    const maySponsorGas = async (_id: string, microUsd: number | null) => taken.push(microUsd) > 0
    const { outcome } = signing({ refusal, limits: { maySponsorGas } })
    let waiting = dear
    for (let n = 0; n < 5; n++) {
      const error = await outcome(waiting)
      expect(error).toMatchObject({ name: refusal.name, waitingFor: refusal.waitingFor })
      waiting = { ...waiting, facts: { ...waiting.facts, ...(error as TemporarilyUnavailable).facts } }
    }
    expect(taken).toEqual([1_200_000])
  },
)

test('a repriced route is kept while the signer is unreachable, and requested again only when it is old', async () => {
  const refusal = new TemporarilyUnavailable('the signer', 2_000, 'SIGNER')
  const at = 10 * 60_000
  const error = (await signing({ refusal, at }).outcome()) as TemporarilyUnavailable
  expect(error.facts.route).toMatchObject({ quotedAt: at })
})

test('a sponsored deposit without budget waits unsigned, and is neither charged nor paid for', async () => {
  const { outcome, signed } = signing({ limits: { maySponsorGas: async () => false } })
  expect(await outcome(dear)).toMatchObject({ name: 'TemporarilyUnavailable', waitingFor: 'BUDGET' })
  expect(signed()).toBe(0)
  expect(await outcome(ready)).toMatchObject({ type: 'order signed' })
})

test('sponsored gas of unknown value uses one of the day’s forgiven estimates', async () => {
  const taken: (number | null)[] = []
  const maySponsorGas = async (_id: string, microUsd: number | null) => taken.push(microUsd) > 0
  expect(await signing({ nativeUsd: null, limits: { maySponsorGas } }).outcome(dear)).toMatchObject({
    type: 'order signed',
  })
  expect(taken).toEqual([null])
})

testAll([
  ['SOON', { waitingFor: 'QUOTA' }],
  ['NO', 'MONTHLY_QUOTA_REACHED'],
] as const)('a deposit that waited for its turn requests its monthly quota again', async (place, expected) => {
  const { outcome, signed } = signing({ limits: { hasQuota: async () => place } })
  const seen: unknown = await outcome()
  if (typeof expected === 'string') expect(seen).toBe(expected)
  else expect(seen).toMatchObject(expected)
  expect(signed()).toBe(0)
  expect(await outcome({ ...ready, facts: { ...ready.facts, quotaKey: 'org_1:2026-11' } })).toMatchObject({
    type: 'order signed',
  })
})

test('a new quote uses today’s policy, which the signer applies', async () => {
  const { outcome, repriced } = signing({ at: 60_001, limits: { policyOf: async () => strict } })
  const found = await outcome({ ...ready, facts: { ...ready.facts, policy: defaultPolicy } })
  expect(repriced).toEqual([strict])
  expect(found).toMatchObject({ type: 'order signed', facts: { policy: strict } })
})

test('a refund by the RecoveryExecutor uses one of the day’s refunds, keeps it while the signer is unreachable, or waits', async () => {
  const refund = { ...ready, facts: { ...ready.facts, route: { ...(route as object), kind: 'REFUND' } as never } }
  const taken: unknown[] = []
  const mayGiveBack = async (...asked: unknown[]) => taken.push(asked) <= 1
  const away = new TemporarilyUnavailable('the signer', 10_000, 'SIGNER')
  const waiting = await signing({ limits: { mayGiveBack }, refusal: away }).outcome(refund)
  expect(waiting).toMatchObject({ waitingFor: 'SIGNER', facts: { givenBackOn: '1970-01-01' } })
  const kept = { ...refund, facts: { ...refund.facts, givenBackOn: '1970-01-01' } }
  expect(await signing({ limits: { mayGiveBack } }).outcome(kept)).toMatchObject({ type: 'order signed' })
  expect(taken).toEqual([['org_1', 8453]])
  const next = signing({ limits: { mayGiveBack } })
  expect(await next.outcome(refund)).toMatchObject({ waitingFor: 'BUDGET' })
  expect(next.signed()).toBe(0)
})

test('an unanswered order is requested again while it is valid, and a different one only afterwards', async () => {
  const silent = new SignerSilent(2_000)
  const atMs = 1_000_000
  const first = signing({ at: atMs, refusal: silent, limits: { policyOf: async () => strict } })
  const offered = { ...ready, facts: { ...ready.facts, policy: strict } }
  const unanswered = (await first.outcome(offered)) as TemporarilyUnavailable
  expect(first.asked).toEqual([{ deadline: 1_150, quotedAt: atMs }])
  const quoted = { ...unanswered.facts.route!, amountIn: '990' }
  const waiting: Execution = { ...offered, facts: { ...offered.facts, ...unanswered.facts, route: quoted } }
  const same = { deadline: 1_150, quotedAt: atMs }
  const another = (at: number) => ({ deadline: at / 1_000 + 150, quotedAt: at })
  const late = atMs + 110_000 // the quote has exceeded its maximum age
  const rows: [string, World, object][] = [
    ['at once', { at: atMs + 2_000 }, same],
    ['when the quote is old', { at: late }, same],
    ['when too little of its time is left', { at: late + 20_000 }, another(late + 20_000)],
    ['when it has lapsed', { at: late + 50_000 }, another(late + 50_000)],
    ['when its provider is paused', { at: late, isPaused: true }, another(late)],
    ['when its provider would no longer accept it', { at: late, uncarried: new RouteRefused('no') }, another(late)],
  ]
  const wrong: unknown[] = []
  for (const [when, world, expected] of rows) {
    const { outcome, asked } = signing({ limits: { policyOf: async () => strict }, ...world })
    const facts = (await outcome(waiting)) as { facts: object }
    if (!Bun.deepEquals([asked, facts.facts], [[expected], { ...facts.facts, asked: null }])) wrong.push([when, asked])
  }
  expect(wrong).toEqual([])

  // The facts after each response. The question stays open until the signer confirms that it did not sign.
  const cap = new TemporarilyUnavailable('the signer', 10_000, 'SIGNER')
  const keptAfter = async (refusal: Error, execution: Execution) =>
    ((await signing({ at: late, refusal }).outcome(execution)) as TemporarilyUnavailable).facts.asked
  expect(await keptAfter(silent, waiting)).toEqual({ deadline: 1_150 })
  expect(await keptAfter(cap, waiting)).toEqual({ deadline: 1_150 })
  expect(await keptAfter(new WorthUnknown('no price'), waiting)).toBeNull()
  expect(await keptAfter(cap, ready)).toBeNull()
  expect(await keptAfter(new RoutingError('RPC_TIMEOUT'), ready)).toBeNull()
  const failure = failureOf(new RoutingError('PROVIDER_FAILED'))
  const failed = follow(
    { ...waiting, state: 'signing order' },
    { type: 'step failed', at: late, failure, retryAt: late },
  )
  expect([failed.state, failed.facts.asked]).toEqual(['FAILED', undefined])
})

test('the order for a separate signer is stored before the request, and a successor requests the same', async () => {
  const atMs = 1_000_000
  const limits = { policyOf: async () => strict }
  const first = signing({ at: atMs, isSeparate: true, limits })
  const offered = { ...ready, facts: { ...ready.facts, policy: strict } }
  expect(await first.outcome(offered)).toMatchObject({ type: 'order signed', facts: { asked: null } })
  const [{ facts, before }, ...more] = first.stored as [(typeof first.stored)[0]]
  expect(more).toEqual([])
  expect([before, facts.asked, facts.route!.quotedAt]).toEqual([0, { deadline: 1_150 }, atMs])
  // The first worker was killed during its request. The quote is too old by now for a new order.
  const route = { ...facts.route!, amountIn: '990' }
  const successor = signing({ at: atMs + 110_000, isSeparate: true, limits })
  await successor.outcome({ ...offered, facts: { ...offered.facts, ...facts, route } })
  expect([successor.asked, successor.stored]).toEqual([first.asked, []])
  // A signer in the worker's own process signs nothing that survives the worker.
  const here = signing({ at: atMs, limits })
  await here.outcome(offered)
  expect([here.signed(), here.stored]).toEqual([1, []])
})

test('a payment that the recipient would refuse is not signed and shows the reason, tested with the exact amount', async () => {
  const paid: Payment[] = []
  const said = (answer: () => Promise<PaymentObjection | null>) =>
    signing({
      payable: (payment) => {
        paid.push(payment)
        return answer()
      },
    })
  const seen: Record<string, unknown> = {}
  for (const objection of ['UNSPENDABLE', 'BLOCKED', 'REFUSED'] as const) {
    const { outcome, signed } = said(async () => objection)
    seen[objection] = [await outcome(), signed()]
  }
  expect(seen).toEqual({
    UNSPENDABLE: ['RECIPIENT_UNSPENDABLE', 0],
    BLOCKED: ['RECIPIENT_BLOCKED', 0],
    REFUSED: ['RECIPIENT_REFUSES', 0],
  })
  const exact = said(async () => null)
  const quoted = { ...(route as object), amountOutExpected: '987' } as never
  expect(await exact.outcome({ ...ready, facts: { ...ready.facts, route: quoted } })).toMatchObject({
    type: 'order signed',
  })
  const { targetChainId: chainId, targetTokenAddress: token, targetAddress: recipient } = intent
  expect(paid.at(-1)).toEqual({ chainId, token, recipient, amountRaw: 987n })
})

test('a token paused by its issuer, and a chain that does not respond, are awaited without a retry', async () => {
  const stopped = signing({ payable: async () => 'PAUSED' })
  expect(await stopped.outcome()).toMatchObject({ waitingFor: 'TOKEN' })
  const unanswered = (at: number) =>
    signing({ at, payable: () => Promise.reject(new RoutingError('RPC_TIMEOUT')) }).outcome({
      ...ready,
      facts: {
        ...ready.facts,
        waiting: { for: 'NODE', since: 0 },
        route: { ...(route as object), quotedAt: at } as never,
      },
    })
  expect(await unanswered(9 * 60_000)).toMatchObject({ waitingFor: 'NODE' })
  // No node can simulate this call alone, so the chain decides.
  expect(await unanswered(11 * 60_000)).toMatchObject({ type: 'order signed' })
  const away = signing({ payable: () => Promise.reject(new TemporarilyUnavailable('Arbitrum', 1, 'NODE')) })
  expect(await away.outcome()).toMatchObject({ name: 'TemporarilyUnavailable', waitingFor: 'NODE' })
  expect([stopped.signed(), away.signed()]).toEqual([0, 0])
})
