import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { follow, stepOf } from '../../machines/execution'
import { freshHead } from '../../src/adapters/evm/heads'
import { isOurRefusal } from '../../src/domain/chain/contract-refusals'
import { zeroAddress } from '../../src/domain/chain/hex'
import type { Relayer } from '../../src/domain/chain/relayer'
import { RoutingError } from '../../src/domain/error'
import type { Execution } from '../../src/domain/execution/execution'
import { OperationRefused } from '../../src/domain/execution/operation'
import { defaultPolicy, type Route } from '../../src/domain/execution/route'
import { terminalStatuses } from '../../src/domain/execution/status'
import { approvedOutMinOf } from '../../src/domain/money/worth'
import { TemporarilyUnavailable } from '../../src/domain/unavailable'
import { quorumCheck } from '../../src/routing/delivery/evidence'
import type { StepOutcome } from '../../src/routing/engine/step'
import { operations } from '../../src/routing/operations'
import { hourlyCaps } from '../../src/signer/hourly-caps'
import { appraising, believing, pricedAt } from '../support/appraisers'
import { addressOf, executionOf } from '../support/deposits'
import { openGate } from '../support/gates'
import { executionsInMemory, recordsInMemory } from '../support/records'
import { unknownGas } from '../support/route-gas'
import { anyIntent, anySeal, seals } from '../support/seals'
import { signable, signerOf } from '../support/signable'
import { stepsIn } from '../support/steps'
import { testAll } from '../support/test-all'
import { unlimited } from '../support/unlimited'
import { delivery, intent, order, sent, spent } from '../support/world'

/** Where money is let through. */
const doors = [
  'verification',
  'before signing',
  're-drive',
  'resume',
  'refund',
  'recovery',
  'mint',
  'merge of residue',
] as const
/** What each of them must see to. */
const rules = ['screening', 'two nodes', 'caps', 'worth', 'dust'] as const
type Door = (typeof doors)[number]
type Rule = (typeof rules)[number]

/** The place that holds the rule, and a text of it, if the door itself does not. */
type Elsewhere = { because: string; file: string; shows: string }
type Cell = (() => Promise<unknown>) | Elsewhere

const villain = addressOf(0x5a)
const [million, thousandUsd] = [10n ** 12n, 1_000n * 10n ** 8n]
const dollar = 10n ** 8n
const own = 1_000n
const route: Route = {
  provider: 'a',
  kind: 'BRIDGE',
  amountIn: '990',
  amountOutExpected: '985',
  amountOutMin: '980',
  expectedSeconds: 1,
  hops: 1,
  slippageBps: 0,
  reference: null,
  quotedAt: 0,
  call: { target: order.target, spender: order.spender, data: '0x01020304', nativeFee: '0' },
}

/** An ended deposit whose money stays in the account. */
const left = (amount: bigint, from = addressOf(0x5e)) =>
  executionOf(
    1,
    { version: 1, state: 'DEAD_LETTER', status: 'DEAD_LETTER', dueAt: null, completedAt: 1, facts: { intent } },
    { amountRaw: String(amount), fromAddress: from },
  )
const depositOfUsual = executionOf(99, { version: 1, facts: { intent, routeId: order.routeId } })
const large = { ...depositOfUsual, deposit: { ...depositOfUsual.deposit, amountRaw: String(million) } }

type World = {
  records?: Execution[]
  listed?: string[]
  /** What the second node of each chain answers. */
  second?: object
  appraiser?: typeof believing
  dustFloorUsd?: bigint
  mayGiveBack?: () => Promise<boolean>
}

/** The real steps and operations, on an account that holds what its records brought. */
function world({ records = [depositOfUsual], listed = [], second, ...change }: World = {}) {
  const executions = executionsInMemory(...records)
  const balance = records.reduce((sum, { deposit }) => sum + BigInt(deposit.amountRaw), 0n)
  const judged: bigint[] = []
  const { appraiser = believing, dustFloorUsd = 0n, mayGiveBack = async () => true } = change
  const chain = {
    chainId: 8453,
    confirmations: 1,
    head: async () => ({ number: 10, hash: '0x', time: 0 }),
    confirmed: async () => ({ number: 10, hash: '0x', time: 0 }),
    confirmedNumber: async () => 10,
    balanceOf: async () => balance,
    nativeBalance: async () => 10n ** 20n,
    minedNonces: async () => 0,
    fee: async () => ({ feeCap: 8n, tip: 1n }),
    transfersTo: async () => [],
    receipt: async () => ({ block: 1, succeeded: true, time: 0 }),
    assureChain: async () => {},
    untilConfirmedMs: async () => null,
    mintedBy: async () => delivery.hash,
    arrived: async () => ({ amountRaw: million, block: 9, time: 0, parts: [{ place: '0', amountRaw: million }] }),
    ...(second && { second }),
  }
  const chains = new Proxy({}, { get: () => chain }) as never
  const blacklist = { isListed: (_kind: string, _chain: number, one: string) => listed.includes(one) } as never
  const pauses = { find: () => null }
  const prices = pricedAt(dollar)
  const key = { id: 'base:0', address: addressOf(1) }
  const quoting = {
    aggregators: [openGate({ name: 'a', quote: async ({ amountIn }) => ({ ...route, amountIn: String(amountIn) }) })],
    prices,
    appraiser: {
      ...appraiser,
      judge: async (exchange: Parameters<typeof appraiser.judge>[0]) => {
        judged.push(exchange.amountIn)
        return appraiser.judge(exchange)
      },
    },
    quoteTimeoutMs: 1_000,
    now: () => 0,
  }
  const steps = stepsIn({
    chains,
    executions,
    blacklist,
    pauses,
    quoting,
    seals: anySeal,
    verifyIntent: anyIntent,
    lanes: recordsInMemory(),
    deliveries: recordsInMemory(),
    relayerRecords: recordsInMemory<Relayer>(),
    relayers: { forRoute: () => key, onChain: () => [key] },
    signer: { sign: async () => order, draft: async () => order },
    aggregators: [],
    limits: { ...unlimited, dustFloorUsd, mayGiveBack },
    mayForgiveGas: async () => true,
    routeGas: unknownGas,
    onLowGas: () => {},
    scannedTo: async () => 10,
    payable: async () => null,
    accounts: { load: async () => null },
    freshHead: freshHead(chain as never, 60_000, () => 0),
    secondOpinion: quorumCheck(chains, prices, thousandUsd),
    pollMs: () => 250,
    orderSeconds: 150,
    now: () => 0,
  } as never)
  const verbs = operations({
    seals,
    executions,
    intents: { load: async () => ({ ...intent, version: 9, refundAddress: addressOf(0x2e), updatedAt: 0 }) },
    chains,
    blacklist,
    auditLog: { append: async () => {} },
    wakes: { wakeNow: async () => {} },
    machineVersion: '1',
    now: () => 50,
    newId: () => 'aud',
  } as never)
  const redrive = (to: 'CURRENT' | 'REFUND') => {
    const actor = { kind: 'API_KEY', id: 'k', label: 'x' } as const
    return verbs.redrive(records[0]!.id, to, { actor, organizationId: 'org_1', reason: 'a test', requestId: null })
  }
  return { steps, redrive, executions, judged }
}

/** The code of a refusal, what a wait is for, or the event. */
const outcomeOf = (doing: Promise<StepOutcome | Execution>): Promise<string> =>
  doing.then(
    (outcome) => ('waitingFor' in outcome ? outcome.waitingFor : 'type' in outcome ? outcome.type : 'done'),
    (error) => {
      if (error instanceof TemporarilyUnavailable) return error.waitingFor
      if (error instanceof RoutingError || error instanceof OperationRefused) return error.code
      throw error
    },
  )

const verified = async (of: World, execution = depositOfUsual): Promise<Execution> => {
  const outcome = await world(of).steps.verifyBalance(execution)
  expect(outcome).toMatchObject({ type: 'balance verified' })
  return { ...execution, facts: { ...execution.facts, ...outcome.facts } }
}
const disagreeing = { balanceOf: async () => 0n }
const poor = appraising(() => [])
const worthless = appraising((_chain, token) => [
  { source: 'one', usd: token === intent.targetTokenAddress ? 1n : dollar },
  { source: 'two', usd: token === intent.targetTokenAddress ? 1n : dollar },
])
const dust: World = { appraiser: { ...believing, mostUsd: async () => 1n }, dustFloorUsd: dollar }
const held = (execution: Execution, totalReceivedRaw: bigint): Execution => ({
  ...execution,
  facts: {
    ...execution.facts,
    policy: defaultPolicy,
    balance: { totalReceivedRaw: String(totalReceivedRaw), block: 1 },
  },
})
const signed = (change: object) =>
  signerOf({
    appraiser: appraising((_chain, token) =>
      ['one', 'two'].map((source) => ({ source, usd: token === zeroAddress ? 3_000n * dollar : dollar })),
    ),
  })
    .sign({ ...signable(), ...change } as Execution, 1_800_000_000)
    .then(
      () => 'signed',
      (error) => error.waitingFor ?? error.code,
    )

/** The steps that an execution takes from a state on, until its order is sent. */
function stepsFrom(record: Execution): string[] {
  const events = {
    matchIntent: 'intent matched',
    screenDeposit: 'deposit screened',
    takeLane: 'lane taken',
    verifyBalance: 'balance verified',
    findRoute: 'route found',
    priceFees: 'fees priced',
    signOrder: 'order signed',
  } as const
  const taken: string[] = []
  let at = record
  for (let step = stepOf(at)!; taken.push(step) && step in events; step = stepOf(at)!) {
    const facts = step === 'priceFees' ? { facts: { fees: { amountForSwapRaw: '1' } as never } } : {}
    at = follow(at, { type: events[step as keyof typeof events], at: 1, ...facts } as never)
  }
  return taken
}
const allSteps = [
  ...['matchIntent', 'screenDeposit', 'takeLane', 'verifyBalance'],
  ...['findRoute', 'priceFees', 'signOrder', 'submitOrder'],
]
/** A re-drive carries over the intent only, and takes every step again. */
async function beginsAgain(to: 'CURRENT' | 'REFUND'): Promise<Execution> {
  const { redrive } = world({ records: [left(own)] })
  const again = await redrive(to)
  expect([Object.keys(again.facts).toSorted(), stepsFrom(again)]).toEqual([['intent', 'routeId'], allSteps])
  return again
}
/** An execution that failed, or that waited, begins with every step that it had not passed for good. */
const retried = () =>
  expect(stepsFrom({ ...held(depositOfUsual, own), state: 'FAILED', status: 'FAILED' })).toEqual(allSteps)

const cells: Record<Door, Record<Rule, Cell>> = {
  verification: {
    screening: async () =>
      expect(
        await outcomeOf(world({ listed: [depositOfUsual.deposit.fromAddress!] }).steps.screenDeposit(depositOfUsual)),
      ).toBe('ADDRESS_BLACKLISTED'),
    'two nodes': async () =>
      expect(await outcomeOf(world({ records: [large], second: disagreeing }).steps.verifyBalance(large))).toBe('NODE'),
    // The estimate asks the contract for the whole amount. A cap makes the deposit wait and never ends it.
    caps: async () => expect(isOurRefusal('CapReached')).toBe(true),
    worth: async () => {
      const { steps } = world({ appraiser: worthless })
      expect(await outcomeOf(steps.findRoute(held(depositOfUsual, own)))).toBe('ROUTE_OUTSIDE_POLICY')
      expect(await outcomeOf(world({ appraiser: poor }).steps.findRoute(held(depositOfUsual, own)))).toBe('WORTH')
    },
    dust: async () =>
      expect(await outcomeOf(world(dust).steps.findRoute(held(depositOfUsual, own)))).toBe('FEES_EXCEED_DEPOSIT'),
  },
  'before signing': {
    screening: async () => {
      const ready = {
        ...held(depositOfUsual, own),
        facts: { ...held(depositOfUsual, own).facts, route, gasLimit: '1' },
      }
      expect(await outcomeOf(world().steps.signOrder(ready))).toBe('order signed')
      for (const party of [villain, intent.targetAddress]) {
        const of = { ...ready, deposit: { ...ready.deposit, fromAddress: villain } }
        expect(await outcomeOf(world({ listed: [party] }).steps.signOrder(of))).toBe('ADDRESS_BLACKLISTED')
      }
    },
    // The order moves exactly the balance that two nodes confirmed.
    'two nodes': async () => {
      const { facts } = signable()
      const balance = { ...facts.balance!, totalReceivedRaw: '26000000' }
      expect(await signed({ facts: { ...facts, balance } })).toBe('SIGNER_REFUSED')
    },
    caps: async () => {
      const caps = hourlyCaps({ dailyCap: async () => 100n, percent: 50, organizationPercent: 100, now: () => 1 })
      const about = { ...order, executionId: 'e', organizationId: 'org_1' }
      await caps.take({ ...about, amountIn: '40' } as never)
      await expect(caps.take({ ...about, routeId: sent.hash, amountIn: '11' } as never)).rejects.toMatchObject({
        waitingFor: 'SIGNER',
      })
    },
    worth: async () => {
      const usual = signable({ gasFeeRaw: 0n })
      const route_ = { ...usual.facts.route!, amountOutMin: '1', amountOutExpected: '1' }
      expect(await signed(usual)).toBe('signed')
      expect(await signed({ ...usual, facts: { ...usual.facts, route: route_ } })).toBe('WORTH')
      const unpriced = signerOf({ appraiser: poor }).sign(usual, 1_800_000_000)
      await expect(unpriced).rejects.toMatchObject({ waitingFor: 'WORTH' })
    },
    dust: async () => {
      const fees = { ...signable().facts.fees!, amountForSwapRaw: '0' }
      const kept = held(depositOfUsual, own)
      const ready = { ...kept, facts: { ...kept.facts, route, gasLimit: '1', fees } }
      expect(await outcomeOf(world().steps.signOrder(ready as Execution))).toBe('FEES_EXCEED_DEPOSIT')
    },
  },
  're-drive': {
    screening: async () =>
      expect(await outcomeOf(world({ records: [left(own, villain)], listed: [villain] }).redrive('CURRENT'))).toBe(
        'TOKEN_BLACKLISTED',
      ),
    'two nodes': async () => {
      const again = await beginsAgain('CURRENT')
      const dear = { ...again, deposit: { ...again.deposit, amountRaw: String(million) } }
      expect(await outcomeOf(world({ records: [dear], second: disagreeing }).steps.verifyBalance(dear))).toBe('NODE')
    },
    caps: () => beginsAgain('CURRENT'),
    worth: () => beginsAgain('CURRENT'),
    dust: () => beginsAgain('CURRENT'),
  },
  resume: {
    screening: async () => retried(),
    'two nodes': async () => retried(),
    caps: async () => retried(),
    // An approval holds for the balance that the operator saw.
    worth: async () => {
      const worthApproval = { amountOutMin: '1', totalReceivedRaw: String(own), at: 1 }
      const approved = { ...held(depositOfUsual, own).facts, worthApproval }
      expect(approvedOutMinOf(approved)).toBe(1n)
      expect(approvedOutMinOf({ ...approved, balance: { totalReceivedRaw: String(own + 1n) } })).toBeNull()
      retried()
    },
    dust: async () => retried(),
  },
  refund: {
    screening: async () => {
      const listed = [addressOf(0x2e)]
      expect(await outcomeOf(world({ records: [left(own)], listed }).redrive('REFUND'))).toBe('TOKEN_BLACKLISTED')
    },
    'two nodes': async () => {
      const again = await beginsAgain('REFUND')
      const dear = { ...again, deposit: { ...again.deposit, amountRaw: String(million) } }
      expect(await outcomeOf(world({ records: [dear], second: disagreeing }).steps.verifyBalance(dear))).toBe('NODE')
    },
    caps: async () => {
      const kept = held(depositOfUsual, own)
      const ready = {
        ...kept,
        facts: { ...kept.facts, route: { ...route, kind: 'REFUND', call: null }, gasLimit: '1' },
      }
      const { steps } = world({ mayGiveBack: async () => false })
      expect(await outcomeOf(steps.signOrder(ready as Execution))).toBe('BUDGET')
    },
    worth: {
      because: 'The signer signs a refund of the whole amount only',
      file: 'src/signer/terms.ts',
      shows: 'A refund pays the whole amount',
    },
    dust: async () => {
      const again = held(await beginsAgain('REFUND'), own)
      expect(await outcomeOf(world(dust).steps.findRoute(again))).toBe('FEES_EXCEED_DEPOSIT')
    },
  },
  recovery: {
    screening: {
      because: 'Two holders decide in public, three days ahead. The service takes no part in it',
      file: 'contracts/test/Recovery.t.sol',
      shows: 'test_two_holders_recover_any_asset_after_three_days',
    },
    'two nodes': {
      because: 'The contract reads the balance itself',
      file: 'contracts/test/Recovery.t.sol',
      shows: 'test_an_approval_covers_one_exact_recovery',
    },
    caps: {
      because: 'A token with a cap leaves only with the guardian, and hot keys refund twenty times a day',
      file: 'contracts/test/Recovery.t.sol',
      shows: 'test_a_routable_token_leaves_only_with_the_guardians_approval',
    },
    worth: {
      because: 'A refund pays the token itself, whole',
      file: 'contracts/test/Recovery.t.sol',
      shows: 'test_a_refund_has_no_fee_and_needs_a_minimum',
    },
    dust: {
      because: 'No fee is taken, so no amount is too small',
      file: 'contracts/test/Recovery.t.sol',
      shows: 'test_a_refund_has_no_fee_and_needs_a_minimum',
    },
  },
  mint: {
    screening: {
      because: 'The burn named the recipient, and any caller can mint. A refusal would leave the mint to a stranger',
      file: 'contracts/test/Cctp.t.sol',
      shows: 'test_any_caller_can_mint_a_burn_once',
    },
    'two nodes': async () => {
      const route_ = { ...route, provider: 'cctp' }
      const mint = { nonce: sent.hash, id: sent.hash, attestedAt: 0, transactions: [] }
      const order_ = { ...order, intent: { ...order.intent, minOut: String(million) } }
      const burned = held({ ...large, state: 'RUNNING', status: 'RUNNING' }, million)
      const record = { ...burned, facts: { ...burned.facts, order: order_, route: route_, spent, mint } } as Execution
      const of = (second: object): World => ({ records: [record], second })
      const saw = { arrived: async () => ({ amountRaw: million, block: 9, time: 0, parts: [] }) }
      expect(await outcomeOf(world(of(saw)).steps.confirmDelivery(record))).toBe('funds delivered')
      const nothing = { arrived: async () => null }
      expect(await outcomeOf(world(of(nothing)).steps.confirmDelivery(record))).not.toBe('funds delivered')
    },
    caps: {
      because: 'The burn was counted when its order was executed',
      file: 'contracts/test/Cctp.t.sol',
      shows: 'test_a_burn_is_admitted_at_fast_or_standard_finality',
    },
    worth: {
      because: 'A call that mints less than the burn named is not sent',
      file: 'test/routing/mints.test.ts',
      shows: 'a mint for a different burn is never signed',
    },
    dust: {
      because: 'The relayer pays for the mint, whose cost the order’s gas fee includes',
      file: 'test/gas/route-gas.test.ts',
      shows: 'mint',
    },
  },
  'merge of residue': {
    screening: async () => {
      const records = [left(5n, villain), depositOfUsual]
      expect((await verified({ records })).facts.balance!.totalReceivedRaw).toBe('1005')
      expect((await verified({ records, listed: [villain] })).facts.balance!.totalReceivedRaw).toBe('1000')
    },
    'two nodes': async () => {
      const records = [left(million), depositOfUsual]
      expect(await outcomeOf(world({ records, second: disagreeing }).steps.verifyBalance(depositOfUsual))).toBe('NODE')
    },
    // The order's amount is the verified balance, with every leftover in it, and the cap counts the order.
    caps: async () => {
      const whole = signable({ totalRaw: 25_000_000n })
      const part = { ...whole, deposit: { ...whole.deposit, amountRaw: '1' } }
      expect((await signerOf().sign(part, 1_800_000_000)).amountIn).toBe('25000000')
    },
    worth: async () => {
      const { steps, judged } = world()
      await steps.findRoute(held(depositOfUsual, million))
      expect(judged).toEqual([(million * 99n) / 100n])
    },
    dust: async () => {
      const worths: bigint[] = []
      const mostUsd = async (_chain: number, _token: string, amountRaw: bigint) => {
        worths.push(amountRaw)
        return amountRaw
      }
      const of: World = { appraiser: { ...believing, mostUsd }, dustFloorUsd: own + 1n }
      expect(await outcomeOf(world(of).steps.findRoute(held(depositOfUsual, own)))).toBe('FEES_EXCEED_DEPOSIT')
      expect(await outcomeOf(world(of).steps.findRoute(held(depositOfUsual, own + 5n)))).toBe('route found')
      expect(worths).toEqual([own, own + 5n])
    },
  },
}

const walk = doors.flatMap((door) => rules.map((rule) => [door, rule, cells[door][rule]] as const))

const covered = walk.flatMap(([door, rule, cell]) =>
  typeof cell === 'function' ? [[`${door}: ${rule}`, cell] as const] : [],
)

testAll(covered)('each rule of each door covers all the money that moves', async (_where, cell) => {
  await cell()
})

test('a rule that a door does not enforce itself is enforced in the named file', () => {
  const elsewhere = walk.flatMap(([door, rule, cell]) => (typeof cell === 'function' ? [] : [{ door, rule, ...cell }]))
  expect(elsewhere.length).toBeLessThanOrEqual(10)
  const root = join(import.meta.dir, '../..')
  expect(elsewhere.filter(({ file, shows }) => !readFileSync(join(root, file), 'utf8').includes(shows))).toEqual([])
})

test('no state lets an execution past a door: each begins with a step that leads through the rest', () => {
  const states = ['matching intent', 'screening deposit', 'taking lane', 'verifying balance', 'finding route']
  for (const state of [...states, 'pricing fees', 'signing order']) {
    const taken = stepsFrom({ ...depositOfUsual, state })
    expect([state, taken]).toEqual([state, allSteps.slice(allSteps.length - taken.length)])
    expect(taken).toContain('signOrder')
  }
  for (const state of terminalStatuses) expect(stepOf({ ...depositOfUsual, state })).toBeNull()
})
