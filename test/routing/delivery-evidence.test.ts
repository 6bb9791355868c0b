import { expect, test } from 'bun:test'
import type { Execution } from '../../src/domain/execution'
import { type Address, type Hash, zeroAddress } from '../../src/domain/hex'
import type { BridgeOutcome } from '../../src/ports/aggregator'
import type { Chains, SecondNode } from '../../src/ports/chain-client'
import { confirmDelivery } from '../../src/routing/steps/confirm-delivery'
import { account, addressOf, executionOf, hashOf, token } from '../support/deposits'
import { intent, order, spent } from '../support/world'

const out = hashOf(0xdd)
const other = addressOf(0x99)
const { targetTokenAddress: wanted, targetAddress: recipient } = intent

/** What a transaction brought, by hash, token and recipient; `null` where it is not mined at depth. */
type Moves = Record<Hash, { token: Address; to: Address; amountRaw: bigint }[] | null>

function chainOf(moves: Moves, second: Moves | null = null) {
  const arrivedIn = (all: Moves) => async (hash: Hash, of: Address, to: Address) => {
    const found = all[hash]
    const its = found?.find((move) => move.token === of && move.to === to)
    return found ? { amountRaw: its?.amountRaw ?? 0n, block: 7 } : null
  }
  return {
    arrived: arrivedIn(moves),
    transaction: async (hash: Hash) =>
      moves[hash] && { transfers: moves[hash].filter((one) => one.token !== zeroAddress) },
    second: second && ({ arrived: arrivedIn(second) } as unknown as SecondNode),
  }
}

type World = { says: BridgeOutcome; there?: Moves; here?: Moves; second?: Moves | null; kind?: 'BRIDGE' | 'SWAP' }
function ask({ says, there = {}, here = {}, second = null, kind = 'BRIDGE' }: World) {
  const chains = { 8453: chainOf(here), 42161: chainOf(there, second) } as unknown as Chains
  const target = kind === 'BRIDGE' ? intent : { ...intent, targetChainId: 8453 as const }
  const step = confirmDelivery({
    ...{ chains, aggregators: [{ name: 'one', outcome: async () => says }] as never, now: () => 2 },
    ...{ senders: {} as never, relayers: {} as never, pollMs: () => 1_000 },
    secondOpinion: async (_execution, of) => (of === undefined ? null : (chains[of].second ?? null)),
  })
  const facts = { intent: target, order, spent, route: { provider: 'one', kind, reference: null } as never }
  return step(executionOf(1, { state: 'RUNNING', facts } as Partial<Execution>))
}

const paid = (of: Address, amountRaw: bigint, to = recipient) => ({ token: of, to, amountRaw })
const waits = { waitingFor: 'PROVIDER' }
const partly = (of: Address, amountRaw: string) => ({
  ...{ type: 'order failed', failure: { code: 'PARTIAL_DELIVERY' } },
  facts: { delivery: { hash: out, chainId: 42161, token: of, amountRaw, block: 7 } },
})
const delivered: BridgeOutcome = { kind: 'DELIVERED', hash: out }
const otherwise: BridgeOutcome = { kind: 'DELIVERED_OTHERWISE', hash: out }

test.each([delivered, otherwise])(
  'what arrived in full is a success, whatever the provider calls it: %j',
  async (says) => {
    const found = await ask({ says, there: { [out]: [paid(wanted, 980n)] } })
    expect(found).toMatchObject({ type: 'funds delivered', facts: { delivery: { amountRaw: '980' } } })
  },
)

test.each([delivered, otherwise])('nothing ends on a provider’s word: %j', async (says) => {
  expect(await ask({ says })).toMatchObject(waits)
  expect(await ask({ says, there: { [out]: null } })).toMatchObject(waits)
  // The fill failed, or it paid somebody else.
  expect(await ask({ says, there: { [out]: [] } })).toMatchObject(waits)
  expect(await ask({ says, there: { [out]: [paid(wanted, 980n, account)] } })).toMatchObject(waits)
})

test.each([delivered, otherwise])(
  'less than the minimum, or another token, ends it with the evidence: %j',
  async (says) => {
    expect(await ask({ says, there: { [out]: [paid(wanted, 979n)] } })).toMatchObject(partly(wanted, '979'))
    expect(await ask({ says, there: { [out]: [paid(other, 5n)] } })).toMatchObject(partly(other, '5'))
    expect(await ask({ says, there: { [out]: [paid(zeroAddress, 5n)] } })).toMatchObject(partly(zeroAddress, '5'))
  },
)

test('of our own transaction on one chain nothing else can come', async () => {
  const found = await ask({ says: delivered, kind: 'SWAP', here: { [spent.hash]: [] } })
  expect(found).toMatchObject({ type: 'order failed', failure: { code: 'PARTIAL_DELIVERY' } })
})

test('a refund ends it when the chain shows money in the account, in any token, and not before', async () => {
  const says: BridgeOutcome = { kind: 'RETURNED', hash: out }
  expect(await ask({ says })).toMatchObject(waits)
  expect(await ask({ says, here: { [out]: [] } })).toMatchObject(waits)
  expect(await ask({ says, here: { [out]: [paid(token, 9n, recipient)] } })).toMatchObject(waits)
  for (const of of [token, other, zeroAddress])
    expect(await ask({ says, here: { [out]: [paid(of, 9n, account)] } })).toMatchObject({
      ...{ type: 'order failed', failure: { code: 'FUNDS_RETURNED' }, facts: { returned: { hash: out } } },
    })
})

test('a large delivery counts when a second node of the destination shows the same', async () => {
  const there = { [out]: [paid(wanted, 980n)] }
  expect(await ask({ says: delivered, there, second: there })).toMatchObject({ type: 'funds delivered' })
  expect(await ask({ says: delivered, there, second: { [out]: null } })).toMatchObject(waits)
  expect(await ask({ says: delivered, there, second: { [out]: [paid(wanted, 981n)] } })).toMatchObject(waits)
  const less = { [out]: [paid(other, 5n)] }
  expect(await ask({ says: otherwise, there: less, second: { [out]: [] } })).toMatchObject(waits)
  expect(await ask({ says: otherwise, there: less, second: less })).toMatchObject(partly(other, '5'))
})
