import { expect, test } from 'bun:test'
import { Glob } from 'bun'
import { describeToken } from '../../src/detection/intake/incoming-transfer'
import { zeroAddress } from '../../src/domain/chain/hex'
import { type ErrorCode, errorCodes, errorRow, RoutingError } from '../../src/domain/error'
import type { Execution, Facts } from '../../src/domain/execution/execution'
import { defaultPolicy, type Route } from '../../src/domain/execution/route'
import { TokenList } from '../../src/domain/money/token'
import { NotSeconded, TemporarilyUnavailable } from '../../src/domain/unavailable'
import type { Chains } from '../../src/ports/chain-client'
import type { DeliveryClaim } from '../../src/ports/executions'
import type { RouteRequest } from '../../src/ports/gate'
import { payable, paymentBlocker } from '../../src/routing/engine/payable'
import { inclusionBlocker } from '../../src/routing/engine/sign-blockers'
import type { StepOutcome } from '../../src/routing/engine/step'
import { confirmDelivery } from '../../src/routing/steps/confirm-delivery'
import { priceFees } from '../../src/routing/steps/price-fees'
import { screenDeposit } from '../../src/routing/steps/screen-deposit'
import { verifyBalance } from '../../src/routing/steps/verify-balance'
import { believing } from '../support/appraisers'
import { executionOf, hashOf, token } from '../support/deposits'
import { openGate } from '../support/gates'
import { executionsInMemory, recordsInMemory } from '../support/records'
import { unknownGas } from '../support/route-gas'
import { seals } from '../support/seals'
import { testAll } from '../support/test-all'
import { unlimited } from '../support/unlimited'
import { intent, order, sent, spent } from '../support/world'

type Node = Record<string, (...asked: never[]) => Promise<unknown>>
/** Lets a node, and a second one if any, answer. Returns the outcome of the step that decides. */
type Ending = (first: Node, second: Node | null) => Promise<string>

/** `bad`: a node whose response ends the deposit. `good`: a node that keeps it. `ends`: the step that decides. */
type Case = { ends: Ending; bad: Node; good: Node }
/** Why one node cannot cause the end: where the reason is, and a text of it. */
type Argument = { because: string; file: string; shows: string }
/** `named`: the files that name the code, in the folders below. A further file needs a second witness, too. */
type Row = { named: string[]; cases?: Case[]; argued?: Argument }

const at = 1_000_000
const say =
  <Answer>(answer: Answer) =>
  async (): Promise<Answer> =>
    answer
const refuse = (code: ErrorCode) => () => Promise.reject(new RoutingError(code))
const silent = new Proxy({}, { get: () => () => Promise.reject(new NotSeconded(8453, 1)) }) as Node

const outcomeOf = (doing: Promise<StepOutcome | null>): Promise<string> =>
  doing.then(
    (outcome) => {
      if (outcome === null) return 'goes on'
      if ('failure' in outcome) return outcome.failure.code
      const { fees } = outcome.facts ?? {}
      if (fees && BigInt(fees.amountForSwapRaw) <= 0n) return 'FEES_EXCEED_DEPOSIT'
      return 'waitingFor' in outcome ? outcome.waitingFor : outcome.type
    },
    (error) => {
      if (error instanceof TemporarilyUnavailable) return error.waitingFor
      return error instanceof RoutingError ? error.code : Promise.reject(error)
    },
  )

/** The same two nodes on every chain. */
const chainsOf = (first: Node, second: Node | null): Chains =>
  new Proxy({}, { get: (_, chainId) => ({ chainId: Number(chainId), confirmations: 1, ...first, second }) }) as Chains

const blocks = {
  head: say({ number: 10, hash: '0x', time: 100, baseFee: 1n }),
  confirmed: say({ number: 10, hash: '0x', time: 100 }),
  blockAt: say({ number: 10, hash: '0x', time: 100 }),
  confirmedNumber: say(10),
  untilConfirmedMs: say(null),
  assureChain: say(undefined),
}

const bridge = ({ amountIn }: Pick<RouteRequest, 'amountIn'>): Route => ({
  provider: 'a',
  kind: 'BRIDGE',
  amountIn: String(amountIn),
  amountOutExpected: String(amountIn),
  amountOutMin: String(amountIn),
  expectedSeconds: 1,
  hops: 1,
  slippageBps: 0,
  reference: null,
  quotedAt: at,
  call: { target: order.target, spender: order.spender, data: '0x01020304', nativeFee: '0' },
})

type Pricing = {
  /** A route exists for this much and more. */
  least?: bigint
  /** The offer for a smaller amount. */
  below?: Partial<Route> | null
  quotedAt?: number
  /** The amounts that gas leaves, as measured before. */
  amounts?: ReadonlyMap<string, bigint>
}
/** Prices a deposit of a thousand. */
const pricing =
  ({ least = 0n, below = null, quotedAt = at, amounts = new Map() }: Pricing = {}): Ending =>
  (first, second) => {
    const offer = async (request: RouteRequest) => {
      const route = bridge(request)
      return request.amountIn >= least ? route : below && { ...route, ...below }
    }
    const step = priceFees({
      chains: chainsOf({ ...blocks, tokenMetadata: say(null), ...estimates(1n), ...first }, second),
      signer: { draft: async () => order } as never,
      relayers: { forRoute: () => ({ id: 'key', address: order.target }) } as never,
      seals,
      quoting: {
        aggregators: [openGate({ name: 'a', quote: offer })],
        prices: { usd: async (_chain, of) => (of === zeroAddress ? 10n ** 20n : 10n ** 8n) },
        appraiser: believing,
        quoteTimeoutMs: 1_000,
        now: () => at,
      },
      mayForgiveGas: async () => false,
      routeGas: { ...unknownGas, amounts: say(amounts) },
      now: () => at,
    })
    const facts = {
      intent: { ...intent, protocolFeeBps: 0 },
      routeId: order.routeId,
      policy: defaultPolicy,
      balance: { totalReceivedRaw: '1000', block: 1 },
      route: { ...bridge({ amountIn: 1_000n }), quotedAt },
    }
    return outcomeOf(step(executionOf(1, { facts })))
  }
const estimates = (costWei: bigint, gasLimit = 100n): Node => ({
  estimate: say({ gasLimit, costWei }),
  acceptance: say('ACCEPTED'),
  fee: say({ feeCap: 2n, tip: 0n }),
})
const refuses = (code: ErrorCode): Node => ({ estimate: refuse(code), acceptance: say('ACCEPTED') })
/** A wei costs as much as an atomic unit. */
const cheap = estimates(10n)

const screening: Ending = async (first, second) => {
  const describe = describeToken({ tokens: new TokenList([]), chains: chainsOf(first, second) })
  const screen = async () => {
    const { decimals } = await describe(8453, token)
    const ports = { blacklist: { isListed: () => false }, pauses: { find: () => null }, payable: say(null) }
    const executions = executionsInMemory()
    return screenDeposit({ ...ports, executions, now: () => 0 } as never)(
      executionOf(1, { facts: { intent } }, { decimals }),
      async () => {},
    )
  }
  return outcomeOf(screen())
}
const described = { symbol: 'X', name: 'X', decimals: 6 }

const paying: Ending = (first, second) =>
  outcomeOf(
    paymentBlocker(executionOf(1, { facts: { intent } }), {
      payable: payable({ chains: chainsOf(first, second), unspendable: () => null }),
      now: () => at,
    }),
  )
const accepts = (said: string): Case => ({
  ends: paying,
  bad: { acceptance: say(said) },
  good: { acceptance: say('ACCEPTED') },
})

const placeOf = (n: number): string => `${hashOf(n)}:0`

/** Looks for the deposit's transfer. It has waited so long that a node's silence counts. */
const including: Ending = (first, second) =>
  outcomeOf(
    inclusionBlocker(
      executionOf(1, { facts: { intent, waiting: { for: 'NODE', since: 0 } } }, { txHash: hashOf(1), block: 5 }),
      { chain: chainsOf({ ...blocks, transfersTo: say([]), ...first }, second)[8453], now: () => at },
    ),
  )

const verifying: Ending = (first, second) => {
  const record = executionOf(1, { version: 1, facts: { intent, lowSince: 1 } }, { block: 5 })
  return outcomeOf(
    verifyBalance({
      chains: chainsOf({ ...blocks, ...first }, second),
      executions: executionsInMemory(record),
      blacklist: { isListed: () => false },
      scannedTo: async () => 10,
      pollMs: () => 1,
      now: () => at,
    })(record, async () => {}),
  )
}

type Reported = { outcome?: unknown; facts?: Facts; after?: number; back?: Execution }
/** Checks a sent order, or a delivery for which the provider reports `outcome`. `back` is recorded as its refund. */
const confirming =
  ({ outcome, facts = {}, after = 0, back }: Reported): Ending =>
  (first, second) => {
    const reverted = { block: 5, succeeded: false, time: 10 }
    const read = { routeUsed: say(null), receipt: say(reverted), revertReason: say(null), arrived: say(null) }
    const usual = { ...read, acceptance: say('ACCEPTED') }
    const record = executionOf(1, {
      state: 'RUNNING',
      facts: { intent, order: { ...order, deadline: 1_000, sender: 'key' }, transactions: [sent], ...facts },
      continuedBy: back?.id ?? null,
    } as Partial<Execution>)
    return outcomeOf(
      confirmDelivery({
        chains: chainsOf(
          { ...blocks, ...usual, ...first },
          second && second !== silent ? { ...blocks, ...usual, ...second } : second,
        ),
        aggregators: [{ name: 'a', outcome: say(outcome) }] as never,
        pollMs: () => 1_000,
        deliveries: recordsInMemory<DeliveryClaim>(),
        executions: executionsInMemory(record, ...(back ? [back] : [])),
        limits: unlimited,
        relayerRecords: { load: say(null) } as never,
        relayers: { forRoute: () => ({ id: 'key' }) } as never,
        secondOpinion: say(null), // the amount is small
        now: () => sent.at + 61_000 + after,
      })(record, async () => {}),
    )
  }
const later = { number: 20, hash: '0x', time: 2_000 }
/** Nodes after the order's deadline. */
const lapsed = { head: say(later), confirmed: say(later), blockAt: say(later), confirmedNumber: say(20) }
const refused = { ends: confirming({}), bad: {}, good: { receipt: say(null) } }

const departed = { spent, route: bridge({ amountIn: 990n }) }
const there = hashOf(0xdd)
/** The provider has named a transaction for as long as a route may take. */
const named = {
  facts: { ...departed, doubted: { hash: there, since: 0 } },
  after: 1_000 * defaultPolicy.maxDurationSeconds,
}
const brought = (amountRaw: bigint): Node => ({
  arrived: say({ amountRaw, block: 9, time: at, parts: [{ place: '0', amountRaw }] }),
  transaction: say(null),
})

/** Folders whose code decides about a deposit. */
const folders = ['adapters/evm', 'adapters/aggregators', 'detection', 'estimates', 'nodes', 'providers', 'routing']
  .concat('screening', 'signer')
  .map((folder) => `src/${folder}/`)

const rows: Partial<Record<ErrorCode, Row>> = {
  SIMULATION_REVERTED: {
    named: ['adapters/evm/rpc/error.ts', 'routing/engine/payable.ts', 'routing/steps/price-fees.ts'],
    cases: [
      { ends: pricing(), bad: refuses('SIMULATION_REVERTED'), good: cheap },
      { ends: pricing(), bad: estimates(10n, 10n ** 9n), good: cheap },
      {
        ends: pricing(),
        bad: refuses('SIMULATION_REVERTED'),
        good: { ...refuses('SIMULATION_REVERTED'), acceptance: say('PAUSED') },
      },
    ],
  },
  TOKEN_NOT_SUPPORTED: {
    named: [
      'adapters/evm/balances.ts',
      'adapters/evm/holders.ts',
      'adapters/evm/rpc/error.ts',
      'detection/chains/read-transaction.ts',
      'detection/sweeps/sweep-balances.ts',
      'routing/steps/screen-deposit.ts',
    ],
    cases: [
      { ends: pricing(), bad: refuses('TOKEN_NOT_SUPPORTED'), good: cheap },
      { ends: screening, bad: { tokenMetadata: say(null) }, good: { tokenMetadata: say(described) } },
    ],
  },
  FEES_EXCEED_DEPOSIT: {
    named: ['estimates/preview.ts', 'routing/steps/find-route.ts', 'routing/steps/sign-order.ts'],
    cases: [
      {
        ends: pricing(),
        bad: estimates(5_000n),
        good: cheap,
      },
    ],
  },
  NO_ROUTE: {
    named: ['routing/pricing/quotes.ts', 'routing/steps/price-fees.ts'],
    cases: [{ ends: pricing({ least: 900n }), bad: estimates(500n), good: cheap }],
  },
  ROUTE_OUTSIDE_POLICY: {
    named: ['routing/pricing/quotes.ts', 'routing/steps/find-route.ts', 'routing/steps/price-fees.ts'],
    cases: [{ ends: pricing({ least: 900n, below: { slippageBps: 10_000 } }), bad: estimates(500n), good: cheap }],
  },
  DEPOSIT_NOT_ON_CHAIN: {
    named: ['routing/engine/sign-blockers.ts'],
    cases: [
      {
        ends: including,
        bad: { receipt: say({ block: 5, succeeded: false, time: 1 }) },
        good: { receipt: say({ block: 5, succeeded: true, time: 1 }) },
      },
      // A node can have the later block before its logs.
      {
        ends: including,
        bad: { receipt: say({ block: 8, succeeded: true, time: 1 }), arrived: say({ parts: [] }) },
        good: {
          receipt: say({ block: 8, succeeded: true, time: 1 }),
          arrived: say({ parts: [{ place: placeOf(1) }] }),
        },
      },
    ],
  },
  DEPOSIT_MOVED: {
    named: ['routing/engine/sign-blockers.ts'],
    cases: [
      {
        ends: including,
        bad: {
          receipt: say({ block: 8, succeeded: true, time: 1 }),
          arrived: say({ parts: [{ place: `${placeOf(1)}0` }] }),
        },
        good: {
          receipt: say({ block: 8, succeeded: true, time: 1 }),
          arrived: say({ parts: [{ place: placeOf(1) }] }),
        },
      },
    ],
  },
  BALANCE_TOO_LOW: {
    named: ['routing/steps/verify-balance.ts'],
    cases: [{ ends: verifying, bad: { balanceOf: say(0n) }, good: { balanceOf: say(1_000n) } }],
  },
  RECIPIENT_BLOCKED: { named: ['routing/engine/payable.ts'], cases: [accepts('BLOCKED')] },
  RECIPIENT_REFUSES: { named: ['routing/engine/payable.ts'], cases: [accepts('REFUSED')] },
  TRANSACTION_REVERTED: {
    named: ['routing/delivery/evidence.ts', 'routing/operations/redrive.ts'],
    cases: [
      refused,
      { ...refused, good: { routeUsed: say({ hash: sent.hash, block: 5, spentRaw: 1n }) } },
      { ...refused, good: { revertReason: say('BadSignature') } },
      { ends: confirming({ after: at }), bad: lapsed, good: { ...lapsed, receipt: say(null) } },
      { ends: confirming({ after: at }), bad: lapsed, good: { ...lapsed, revertReason: say('BadSignature') } },
      ...(['PAUSED', 'BLOCKED'] as const).flatMap((said) => [
        { ...refused, good: { acceptance: say(said) } },
        { ends: confirming({ after: at }), bad: lapsed, good: { ...lapsed, acceptance: say(said) } },
      ]),
    ],
  },
  PARTIAL_DELIVERY: {
    named: ['routing/delivery/claims.ts'],
    cases: [
      {
        ends: confirming({ ...named, outcome: { kind: 'DELIVERED_OTHERWISE', hash: there } }),
        bad: brought(1n),
        good: brought(985n),
      },
    ],
  },
  FUNDS_RETURNED: {
    named: ['routing/delivery/refunds.ts'],
    cases: [
      {
        ends: confirming({
          facts: departed,
          outcome: { kind: 'RETURNED', hash: null },
          back: executionOf(2, { id: `8453:${there}:0` }, { txHash: there }),
        }),
        bad: brought(985n),
        good: { arrived: say(null) },
      },
      {
        ends: confirming({ ...named, outcome: { kind: 'RETURNED', hash: there } }),
        bad: brought(985n),
        good: { arrived: say(null) },
      },
    ],
  },

  RETURNED_TOO_OFTEN: {
    named: ['routing/steps/screen-deposit.ts'],
    argued: {
      because: 'It counts refunds that two nodes showed',
      file: 'src/routing/steps/screen-deposit.ts',
      shows: '(facts.returns ?? 0) > returnsMax',
    },
  },
  PASSED_ON_TOO_OFTEN: {
    named: ['routing/engine/passing-on.ts'],
    argued: {
      because: 'It counts our own deliveries, by our own records',
      file: 'src/routing/engine/passing-on.ts',
      shows: 'passes <= passesMax',
    },
  },
  PROVIDER_REFUSED: {
    named: ['adapters/aggregators/lifi.ts', 'adapters/aggregators/relay.ts'],
    argued: {
      because:
        'Every provider must refuse with a reason that our tables list, and grant a usual request. No node is asked',
      file: 'test/routing/quotes.test.ts',
      shows: 'a refusal ends a deposit only if the provider grants a usual request',
    },
  },
  PROVIDER_UNAUTHORIZED: {
    named: ['adapters/aggregators/relay.ts'],
    argued: {
      because: 'It does not leave the gate, whose callers wait',
      file: 'test/routing/shared-outage.test.ts',
      shows: 'refused credentials end no deposit and spend no retry',
    },
  },
  SIGNER_REFUSED: {
    named: ['routing/steps/price-fees.ts', 'signer/signed-once.ts', 'signer/signing.ts', 'signer/unread-calls.ts'],
    argued: {
      because: 'The signer compares the order with the intent and the seals. A call that it cannot read is a wait',
      file: 'src/signer/signing.ts',
      shows: 'SIGNER_REFUSED',
    },
  },
  TOKEN_BLACKLISTED: {
    named: ['routing/operations/redrive.ts', 'screening/deposit-screening.ts'],
    argued: {
      because: 'The list and the intent decide',
      file: 'src/screening/deposit-screening.ts',
      shows: "isListed('TOKEN', chainId, token)",
    },
  },
  ADDRESS_BLACKLISTED: {
    named: ['screening/deposit-screening.ts'],
    argued: {
      because: 'One node is enough to name a listed sender: the money is kept apart, and an operator decides',
      file: 'src/domain/execution/status.ts',
      shows: 'staysApart',
    },
  },
  INVALID_TARGET: {
    named: ['routing/steps/screen-deposit.ts'],
    argued: {
      because: 'The intent alone decides',
      file: 'src/routing/steps/screen-deposit.ts',
      shows: 'isReservedAddress(intent.targetAddress)',
    },
  },
  RECIPIENT_UNSPENDABLE: {
    named: ['routing/engine/payable.ts'],
    argued: {
      because: 'A list of this release decides',
      file: 'src/app/unspendable-contracts.ts',
      shows: 'unspendableContracts',
    },
  },
  INVALID_AMOUNT: {
    named: ['routing/steps/screen-deposit.ts'],
    argued: {
      because: 'A transfer of nothing is not recorded as a deposit',
      file: 'src/detection/intake/incoming-transfer.ts',
      shows: 'amountRaw <= 0n',
    },
  },
  MONTHLY_QUOTA_REACHED: {
    named: ['routing/steps/find-route.ts', 'routing/steps/sign-order.ts'],
    argued: {
      because: 'Our own records are counted',
      file: 'src/routing/steps/find-route.ts',
      shows: 'limits.hasQuota(execution, now())',
    },
  },
  PLAN_LIMIT_REACHED: {
    named: [],
    argued: { because: 'Nothing throws it', file: 'src/domain/error.ts', shows: '// Reserved.' },
  },
  ABANDONED: {
    named: ['routing/operations/dead-letter.ts'],
    argued: { because: 'An operator decides', file: 'src/routing/operations/dead-letter.ts', shows: 'ABANDONED' },
  },
}

const ending = errorCodes.filter((code) => {
  const { endsIn } = errorRow(code)
  return endsIn !== null && endsIn !== 'FAILED'
})

test('every error that ends a deposit has a row here, with each file that names it', async () => {
  expect(ending.filter((code) => !rows[code])).toEqual([])
  const files = [...new Glob('src/**/*.ts').scanSync('.')].filter((path) => folders.some((one) => path.startsWith(one)))
  const texts = await Promise.all(files.map(async (path) => ({ path, text: await Bun.file(path).text() })))
  const named = (code: string) =>
    texts.flatMap(({ path, text }) => (text.includes(`'${code}'`) ? [path.slice('src/'.length)] : [])).toSorted()
  const wrong = ending.flatMap((code) => {
    const found = named(code)
    return String(found) === String(rows[code]?.named) ? [] : [{ code, found }]
  })
  expect(wrong).toEqual([])
})

test('an end that no node can cause has its reason where the row says', async () => {
  const argued = Object.values(rows).flatMap(({ argued: one }) => one ?? [])
  const missing = await Promise.all(
    argued.map(async (one) => ((await Bun.file(one.file).text()).includes(one.shows) ? [] : [one])),
  )
  expect(missing.flat()).toEqual([])
})

const walk = Object.entries(rows).flatMap(([code, { cases = [] }]) =>
  cases.map((one, n) => [`${code}, case ${n + 1}`, code as ErrorCode, one] as const),
)

testAll(walk)('one node ends no deposit if a second one differs or is silent', async (_case, code, one) => {
  const { ends, bad, good } = one
  const isEnd = (outcome: string) => errorCodes.includes(outcome as ErrorCode) && outcome !== 'ORDER_LAPSED'
  expect({ alone: await ends(bad, null), agreed: await ends(bad, bad) }).toEqual({ alone: code, agreed: code })
  const [differing, unanswered] = [await ends(bad, good), await ends(bad, silent)]
  expect({ differing, ends: isEnd(differing) }).toEqual({ differing, ends: false })
  expect({ unanswered, ends: isEnd(unanswered) }).toEqual({ unanswered, ends: false })
  expect(isEnd(await ends(good, null))).toBe(false)
})

test('gas that was measured before ends no deposit whose quote is stale, because the whole amount is tried', async () => {
  const stale = pricing({ least: 900n, quotedAt: 0, amounts: new Map([['a', 300n]]) })
  expect(await stale(cheap, null)).toBe('fees priced')
})

testAll<[string, Ending, Node, Node, string]>([
  ['both nodes’ gas takes it all, far apart', pricing(), estimates(5_000n), estimates(1_000n), 'FEES_EXCEED_DEPOSIT'],
  ['the second node’s gas leaves some', pricing(), estimates(850n), estimates(820n), 'fees priced'],
  ['one of them must be wrong', pricing(), estimates(5_000n), estimates(820n), 'NODE'],
  ['neither leaves enough for a route', pricing({ least: 900n }), estimates(500n), estimates(90n), 'NO_ROUTE'],
  ['the second leaves enough', pricing({ least: 900n }), estimates(90n), estimates(80n), 'fees priced'],
  ['only a much lower one does', pricing({ least: 900n }), estimates(500n), estimates(80n), 'NODE'],
  ['both limits are too high', pricing(), estimates(1n, 9n ** 9n), estimates(1n, 7_000_000n), 'SIMULATION_REVERTED'],
  ['the second limit is not', pricing(), estimates(1n, 7_000_000n), estimates(1n, 6_000_000n), 'fees priced'],
  ['the limits are far apart', pricing(), estimates(1n, 9n ** 9n), estimates(1n, 6_000_000n), 'NODE'],
])('a deposit ends by its gas only if two nodes agree on the end', async (_case, ends, first, second, outcome) => {
  expect(await ends(first, second)).toBe(outcome)
})
