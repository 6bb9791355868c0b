import { expect, test } from 'bun:test'
import type { Hash } from '../../src/domain/chain/hex'
import type { Execution } from '../../src/domain/execution/execution'
import { defaultPolicy, type Route } from '../../src/domain/execution/route'
import { nextOf } from '../../src/http/views/next'
import type { Chains } from '../../src/ports/chain-client'
import type { Arrival, Refunds } from '../../src/ports/detection'
import type { BridgeOutcome } from '../../src/ports/gate'
import type { Aggregator } from '../../src/providers/aggregator'
import { refunds } from '../../src/routing/delivery/refunds'
import { confirmDelivery } from '../../src/routing/steps/confirm-delivery'
import { matchIntent } from '../../src/routing/steps/match-intent'
import { account, addressOf, executionOf, hashOf, token } from '../support/deposits'
import { executionsInMemory, recordsInMemory } from '../support/records'
import { anyIntent } from '../support/seals'
import { unlimited } from '../support/unlimited'
import { world as engine, intent, order, spent, sent as transaction } from '../support/world'

const back = hashOf(0xbac)
const route = { provider: 'fake', kind: 'BRIDGE', reference: 'tool', amountIn: '990' } as Route
const sent = (n: number, changes: Partial<Execution> = {}): Execution =>
  executionOf(n, {
    version: 1,
    state: 'RUNNING',
    status: 'RUNNING',
    facts: { route, order, spent: { ...spent, hash: hashOf(n) }, intent },
    ...changes,
  })

const arrival = (changes: Partial<Arrival> = {}): Arrival => ({
  id: `8453:${back}:0`,
  chainId: 8453,
  account,
  token,
  amountRaw: 990n,
  txHash: back,
  ...changes,
})

type Said = BridgeOutcome | Error | ((hash: Hash) => BridgeOutcome)

function world(outcome: Said, records: Execution[] = [sent(1)], arrivedRaw = 990n, second: object | null = null) {
  const executions = executionsInMemory(...records)
  const asked: string[] = []
  const aggregator: Pick<Aggregator, 'name' | 'outcome'> = {
    name: 'fake',
    async outcome({ hash }) {
      asked.push(hash)
      if (outcome instanceof Error) throw outcome
      return typeof outcome === 'function' ? outcome(hash) : outcome
    },
  }
  const chain = { arrived: async () => ({ amountRaw: arrivedRaw, block: 1 }), second }
  const troubles: unknown[] = []
  const { claim } = refunds({
    executions,
    aggregators: [aggregator as Aggregator],
    chains: { 8453: chain } as unknown as Chains,
    now: () => 5,
    onTrouble: (error) => troubles.push(error),
  })
  return { claim, executions, troubles, asked }
}

test('money in the transaction that a bridge names as its refund belongs to the execution that sent it', async () => {
  const { claim, executions } = world({ kind: 'RETURNED', hash: back })
  expect(await claim(arrival())).toEqual({ executionId: sent(1).id, returns: 1 })
  const linked = executions.get(sent(1).id)
  expect(linked).toMatchObject({ continuedBy: arrival().id, state: 'RUNNING' })
  expect(linked.history.at(-1)).toMatchObject({ event: 'funds returned', from: 'RUNNING', to: 'RUNNING' })
})

test('a refund can arrive in a different token', async () => {
  const { claim } = world({ kind: 'RETURNED', hash: back })
  expect(await claim(arrival({ token: addressOf(0x77), amountRaw: 3n }))).not.toBeNull()
})

test('an execution whose money was never sent, or was delivered, gets no refund', async () => {
  const notSent = executionOf(1, { version: 1 })
  for (const records of [[], [notSent], [sent(1, { state: 'SUCCESS', status: 'SUCCESS' })]]) {
    const { claim, asked } = world({ kind: 'RETURNED', hash: back }, records)
    expect(await claim(arrival())).toBeNull()
    expect(asked).toEqual([])
  }
})

test('a transaction other than the named one is an ordinary deposit', async () => {
  const { claim, executions } = world({ kind: 'RETURNED', hash: hashOf(0x0e) })
  expect(await claim(arrival())).toBeNull()
  expect(executions.get(sent(1).id).continuedBy).toBeNull()
})

test('only one deposit is the refund of an execution, and claiming it again succeeds', async () => {
  const { claim } = world({ kind: 'RETURNED', hash: back })
  expect(await claim(arrival())).not.toBeNull()
  expect(await claim(arrival({ id: `8453:${back}:1` }))).toBeNull()
  expect(await claim(arrival())).not.toBeNull()
})

test('a refund that a provider names for two executions belongs to the one that sent this amount', async () => {
  const small = sent(1, { facts: { ...sent(1).facts, route: { ...route, amountIn: '480' } } })
  for (const records of [
    [small, sent(2)],
    [sent(2), small],
  ]) {
    const { claim } = world({ kind: 'RETURNED', hash: back }, records)
    expect(await claim(arrival())).toMatchObject({ executionId: sent(2).id })
  }
  // A refund less fees belongs to the first.
  const { claim } = world({ kind: 'RETURNED', hash: back }, [small, sent(2)])
  expect(await claim(arrival({ amountRaw: 985n }))).not.toBeNull()
})

test('a refund that a provider names for one execution is never the unnamed refund of another', async () => {
  const answers = new Map([
    [hashOf(1), null],
    [hashOf(2), back],
  ])
  for (const records of [
    [sent(1), sent(2)],
    [sent(2), sent(1)],
  ]) {
    const { claim } = world((hash) => ({ kind: 'RETURNED', hash: answers.get(hash)! }), records)
    expect(await claim(arrival())).toMatchObject({ executionId: sent(2).id })
    expect(await claim(arrival({ id: `8453:${hashOf(9)}:0`, txHash: hashOf(9) }))).toMatchObject({
      executionId: sent(1).id,
    })
  }
})

test('two deposits that claim one execution together are its refund and an ordinary deposit', async () => {
  const { claim, executions } = world({ kind: 'RETURNED', hash: back })
  const ids = [0, 1].map((n) => `8453:${back}:${n}`)
  const claims = await Promise.all(ids.map((id) => claim(arrival({ id }))))
  expect(claims).toEqual([{ executionId: sent(1).id, returns: 1 }, null])
  expect(executions.get(sent(1).id).continuedBy).toBe(ids[0]!)
})

test('coins visible only in a balance are measured in the named transaction', async () => {
  const found = arrival({ txHash: null })
  expect(await world({ kind: 'RETURNED', hash: back }).claim(found)).not.toBeNull()
  expect(await world({ kind: 'RETURNED', hash: back }, [sent(1)], 991n).claim(found)).toBeNull()
})

test('refunds of the same money are counted', async () => {
  const again = sent(1, { facts: { ...sent(1).facts, returns: 2 } })
  const { claim } = world({ kind: 'RETURNED', hash: back }, [again])
  expect(await claim(arrival())).toMatchObject({ returns: 3 })
})

test('an unavailable provider is queried again, while a definite no is final', async () => {
  const { claim, troubles } = world(new Error('down'))
  expect(await claim(arrival())).toBe('UNANSWERED')
  expect(troubles).toHaveLength(1)
  expect(await world({ kind: 'PENDING' }).claim(arrival())).toBeNull()
})

test('a refund without a named transaction must match the token and the amount that the bridge received', async () => {
  const claimed = (changes: Partial<Arrival>) => world({ kind: 'RETURNED', hash: null }).claim(arrival(changes))
  expect(await claimed({ amountRaw: BigInt(route.amountIn) })).not.toBeNull()
  expect(await claimed({ amountRaw: BigInt(route.amountIn) - 1n })).toBeNull()
  expect(await claimed({ amountRaw: BigInt(order.amountIn) })).toBeNull()
  expect(await claimed({ token: addressOf(0x77) })).toBeNull()
})

test('all possible senders are looked up together and share one timeout', async () => {
  const executions = executionsInMemory(...Array.from({ length: 6 }, (_, n) => sent(n + 1)))
  const signals: AbortSignal[] = []
  const asked = Promise.withResolvers<void>()
  const silent = (_sent: unknown, signal: AbortSignal) => {
    if (signals.push(signal) === 6) asked.resolve()
    return asked.promise.then(() => Promise.reject(new Error('no answer')))
  }
  const aggregators = [{ name: 'fake', outcome: silent }] as unknown as Aggregator[]
  const { claim } = refunds({ executions, aggregators, chains: {} as Chains, now: () => 5, onTrouble: () => {} })
  expect(await claim(arrival())).toBe('UNANSWERED')
  expect(signals).toHaveLength(6)
  expect(new Set(signals).size).toBe(1)
})

test('a claim by a process that died is found without asking a provider', async () => {
  const first = world({ kind: 'RETURNED', hash: back })
  await first.claim(arrival())
  const again = world(new Error('down'), [first.executions.get(sent(1).id)])
  expect(await again.claim(arrival())).toEqual({ executionId: sent(1).id, returns: 1 })
  expect(again.asked).toEqual([])
})

const { organizationId, userId } = sent(1)
const owner = { organizationId, userId }

const asking = (claims: Awaited<ReturnType<Refunds['claim']>>[]) => {
  const unsettled = { intent: undefined as never, isUnclaimed: true } as const
  const made = engine({ matchIntent: (execution) => match(execution) }, { facts: unsettled })
  const match = matchIntent({
    intents: { load: async () => ({ ...intent, ...owner, refundAddress: null }) } as never,
    accounts: { load: async () => null },
    verifyIntent: anyIntent,
    refunds: { claim: async () => claims.shift() ?? null },
    executions: made.executions,
    now: made.now,
  })
  return made
}

test('a possible refund is checked again before a fee is taken', async () => {
  const { run, execution } = asking(['UNANSWERED', 'UNANSWERED', { executionId: 'the-first', returns: 2 }])
  expect(await run()).toMatchObject({ status: 'SUCCESS', refundOf: 'the-first', facts: { returns: 2 } })
  expect(execution().facts.intent!.protocolFeeBps).toBe(0)
})

test('a deposit is ordinary if no execution claims it, or if no provider answers for minutes', async () => {
  for (const claims of [[null], Array(1_000).fill('UNANSWERED')]) {
    const { run, clock } = asking(claims)
    expect(await run()).toMatchObject({ status: 'SUCCESS', refundOf: null, facts: { intent: { protocolFeeBps: 100 } } })
    expect(clock.at).toBeLessThan(5 * 60_000)
  }
})

test('money can return before any process has recorded that it left', async () => {
  const { spent: _, ...facts } = sent(1).facts
  const { claim, asked } = world({ kind: 'RETURNED', hash: back }, [
    sent(1, { facts: { ...facts, transactions: [transaction] } }),
  ])
  expect(await claim(arrival())).not.toBeNull()
  expect(asked).toEqual([transaction.hash])
})

const part = (amountRaw: bigint, place = `${back}:0`) => ({
  amountRaw,
  block: 9,
  time: 1,
  parts: [{ place, amountRaw }],
})

test('a deposit is linked as a refund once a second node shows it, because the link is permanent', async () => {
  const first = { arrived: async () => part(990n) }
  const answers: [object, boolean][] = [
    [{ arrived: async () => null }, false],
    [{ arrived: () => Promise.reject(new Error('No two nodes agree')) }, false],
    [{ arrived: async () => part(989n) }, false],
    [{ arrived: async () => part(990n, `${back}:1`) }, false],
    [first, true],
  ]
  for (const hash of [back, null])
    for (const [second, isLinked] of answers) {
      const { claim, executions } = world({ kind: 'RETURNED', hash }, [sent(1)], 990n, second)
      expect(await claim(arrival())).toEqual(isLinked ? { executionId: sent(1).id, returns: 1 } : 'UNANSWERED')
      expect(executions.get(sent(1).id).continuedBy).toBe(isLinked ? arrival().id : null)
    }
  const balances = { arrived: async () => part(9n), confirmed: async () => ({ number: 9 }) }
  const swept = (held: bigint, hash: Hash | null) => {
    const second = { ...balances, balanceOf: async () => held }
    return world({ kind: 'RETURNED', hash }, [sent(1)], 990n, second).claim(arrival({ txHash: null }))
  }
  expect(await swept(989n, null)).toBe('UNANSWERED')
  expect(await swept(990n, null)).toMatchObject({ returns: 1 })
  expect(await swept(990n, back)).toBeNull()
  // The second node does not show the named transaction yet, so the coin is not recorded as an ordinary deposit.
  const lagging = world({ kind: 'RETURNED', hash: back }, [sent(1)], 990n, { arrived: async () => null })
  expect(await lagging.claim(arrival({ txHash: null }))).toBe('UNANSWERED')
})

const unnamed = { kind: 'RETURNED', hash: null } as const
const routeMs = defaultPolicy.maxDurationSeconds * 1_000

/** Confirms the delivery of the first execution, for which the provider reports an outcome. */
async function confirm(records: Execution[], at: number, says: BridgeOutcome = unnamed, shown = part(990n)) {
  const chain = { arrived: async () => shown, second: { arrived: async () => shown } }
  const step = confirmDelivery({
    ...({ relayerRecords: {}, relayers: {} } as never as Pick<Parameters<typeof confirmDelivery>[0], 'relayers'>),
    relayerRecords: {} as never,
    chains: { 8453: chain, 42161: {} } as never,
    aggregators: [{ name: 'fake', outcome: async () => says }],
    deliveries: recordsInMemory(),
    executions: executionsInMemory(...records),
    limits: unlimited,
    pollMs: () => 1_000,
    now: () => at,
  })
  return step(records[0]!)
}

test('a refund that only its provider reports, without a transaction, ends nothing, and next says who settles it', async () => {
  const first = await confirm([sent(1)], 5)
  expect(first).toMatchObject({ waitingFor: 'PROVIDER', facts: { doubted: { hash: null, since: 5 } } })
  const doubted = { ...sent(1), facts: { ...sent(1).facts, ...first.facts } }
  const messageOf = (record: Execution) => nextOf(record, 5).message
  expect(messageOf(doubted)).toContain('reports a refund without its transaction, and no deposit is recorded as it.')
  expect(messageOf({ ...doubted, continuedBy: 'its refund' })).not.toContain('no deposit is recorded')
  const later = await confirm([doubted], 5 + 10 * routeMs)
  expect(later).not.toHaveProperty('type')
  expect(later.facts?.doubted).toBeUndefined()
  // The provider takes the report back, or names the transaction.
  const withdrawn = await confirm([doubted], 6, { kind: 'PENDING' })
  expect(withdrawn.facts).toEqual({ doubted: null })
  expect(messageOf({ ...doubted, facts: { ...doubted.facts, ...withdrawn.facts } })).not.toContain('refund')
  const named = await confirm([doubted], 6, { kind: 'RETURNED', hash: back })
  expect(named.facts).toEqual({ doubted: { hash: back, since: 6 } })
})
