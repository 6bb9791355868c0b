import { expect, test } from 'bun:test'
import { follow } from '../../machines/execution'
import { mayFollow } from '../../src/adapters/mongo/collections/executions'
import type { Relayer } from '../../src/domain/chain/relayer'
import { RoutingError } from '../../src/domain/error'
import type { Execution, Facts } from '../../src/domain/execution/execution'
import { pauseScopes } from '../../src/domain/tenant/pause-scope'
import { ProviderPaused } from '../../src/domain/unavailable'
import type { Chains } from '../../src/ports/chain-client'
import type { OrderSigner, Relayers } from '../../src/ports/signer'
import { isStale } from '../../src/routing/pricing/quotes'
import { screenDeposit } from '../../src/routing/steps/screen-deposit'
import { signOrder } from '../../src/routing/steps/sign-order'
import { submitOrder } from '../../src/routing/steps/submit-order'
import { addressOf, executionOf, hashOf } from '../support/deposits'
import { executionsInMemory, recordsInMemory } from '../support/records'
import { testAll } from '../support/test-all'
import { unlimited } from '../support/unlimited'
import { detected, intent, order, world } from '../support/world'

const route = { provider: 'lifi', call: null, quotedAt: 0 } as never
/** The address that had the deposit sent. */
const behind = addressOf(0xbe)
const ready: Execution = {
  ...detected,
  deposit: { ...detected.deposit, txHash: null, senders: [behind] },
  facts: { intent, routeId: order.routeId, route, gasLimit: '21000' },
}
const { chainId, token, fromAddress } = ready.deposit

type Listed = [kind: 'TOKEN' | 'ADDRESS', chainId: number, address: string | null]

type Halting = {
  listed?: Listed[]
  paused?: string[]
  at?: number
  repriced?: Facts
  relayerWei?: () => bigint
  sender?: Relayer
  records?: Execution[]
}

function halting({
  listed = [],
  paused = [],
  at = 0,
  repriced = {},
  relayerWei = () => 10n ** 18n,
  sender,
  records = [],
}: Halting) {
  const signed: string[] = []
  const alerts: unknown[] = []
  const executions = executionsInMemory(...records)
  const pauses = {
    find: (scopes: readonly string[]) => (scopes.some((one) => paused.includes(one)) ? {} : null) as never,
  }
  const blacklist = {
    isListed: (kind: string, chain: number, address: string) =>
      listed.some((one) => one[0] === kind && one[1] === chain && one[2] === address),
  }
  const chain = {
    head: async () => ({ number: 1, hash: '0x', time: 0 }) as const,
    nativeBalance: async () => relayerWei(),
    fee: async () => ({ feeCap: 1n }),
    minedNonces: async () => 1,
    confirmed: async () => ({ number: 1, hash: '0x', time: 0 }),
    confirmedNumber: async () => 1,
    assureChain: async () => {},
  }
  const signer = {
    sign: async ({ id }: Execution) => {
      signed.push(id)
      return order
    },
  } as unknown as OrderSigner
  const relayers = { forRoute: () => ({ id: 'base:0', address: fromAddress }) } as unknown as Relayers
  const chains = new Proxy({}, { get: () => chain }) as Chains
  const reprice = async ({ facts }: Execution) => {
    expect(isStale({ facts } as Execution, at)).toBe(true) // otherwise no quote would be requested again
    return { type: 'fees priced', facts: repriced } as const
  }
  const ports = {
    chains,
    signer,
    relaying: { relayers, relayerRecords: recordsInMemory<Relayer>(...(sender ? [sender] : [])), now: () => at },
    freshHead: chain.head,
    pauses,
    screening: { blacklist, executions },
    payable: async () => null,
    onLowGas: (low: unknown) => void alerts.push(low),
    limits: unlimited,
    quoting: { prices: { usd: async () => 10n ** 8n }, aggregators: [] },
    orderSeconds: 150,
    now: () => at,
  }
  const sign = signOrder(ports, reprice)
  return {
    signed,
    alerts,
    submit: submitOrder({ ...ports, ...ports.relaying, ordersPerTransaction: 1 }),
    screen: screenDeposit({ blacklist, pauses, executions, payable: async () => null, now: () => at }),
    sign,
  }
}

const codeOf = (doing: Promise<unknown>) =>
  doing.then(
    () => 'done',
    (error) => (error instanceof RoutingError ? error.code : String(error)),
  )

// Columns: the listed item; then the outcome, equal at screening and right before signing.
testAll<[string, Listed, string]>([
  ['the deposited token', ['TOKEN', chainId, token], 'TOKEN_BLACKLISTED'],
  ['the token to deliver', ['TOKEN', intent.targetChainId, intent.targetTokenAddress], 'TOKEN_BLACKLISTED'],
  ['the sender', ['ADDRESS', chainId, fromAddress], 'ADDRESS_BLACKLISTED'],
  ['the address that had it sent', ['ADDRESS', chainId, behind], 'ADDRESS_BLACKLISTED'],
  ['the recipient', ['ADDRESS', intent.targetChainId, intent.targetAddress], 'ADDRESS_BLACKLISTED'],
  ['the recipient on another chain', ['ADDRESS', chainId, intent.targetAddress], 'done'],
])('the security list stops the items that it names', async (_case, listed, code) => {
  const { screen, sign, signed } = halting({ listed: [listed] })
  expect(await codeOf(screen(ready))).toBe(code)
  expect(await codeOf(sign(ready))).toBe(code)
  expect(signed).toHaveLength(code === 'done' ? 1 : 0)
})

test('an included leftover whose payer was listed since prevents signing, and the balance is verified again', async () => {
  const left = executionOf(7, { state: 'DEAD_LETTER', version: 1 }, { fromAddress: behind, amountRaw: '5' })
  const facts = { ...ready.facts, residue: [left.id], balance: { totalReceivedRaw: '1005', block: 1 } }
  const deposit = { ...ready.deposit, senders: [] }
  const { sign, signed } = halting({ listed: [['ADDRESS', chainId, behind]], records: [left] })
  const outcome = await sign({ ...ready, deposit, facts })
  expect(outcome).toEqual({ type: 'balance outdated' })
  // The signer may have signed an order for the money as counted earlier.
  const asked = await sign({ ...ready, deposit, facts: { ...facts, asked: { deadline: 1 } } })
  expect(asked).toEqual({ type: 'balance outdated', facts: { asked: null } })
  expect(signed).toEqual([])
  const before = { ...ready, state: 'signing order' }
  expect(follow(before, { type: 'balance outdated', at: 1 })).toMatchObject({
    state: 'verifying balance',
    retryCount: 0,
  })
  expect(mayFollow('signing order', 'verifying balance')).toBe(true)
})

testAll([
  pauseScopes.all,
  pauseScopes.organization(ready.organizationId),
  pauseScopes.tenant(ready.organizationId),
  pauseScopes.chain(chainId),
  pauseScopes.chain(intent.targetChainId),
  pauseScopes.token(chainId, token),
  pauseScopes.token(intent.targetChainId, intent.targetTokenAddress),
])('no route is requested, nothing signed and nothing sent while any part of a deposit is paused', async (scope) => {
  const { screen, sign, submit, signed } = halting({ paused: [scope] })
  const again = { ...ready, id: `${ready.id}:r1`, redriveOf: ready.id }
  for (const execution of [ready, again]) {
    const steps = [screen(execution), sign(execution), submit({ ...execution, facts: { ...execution.facts, order } })]
    for (const outcome of await Promise.all(steps)) expect(outcome).toMatchObject({ waitingFor: 'PAUSE' })
  }
  expect(signed).toEqual([])
})

test('a relayer that cannot pay twice the current price makes the deposit wait with an alert, without a failure', async () => {
  let relayerWei = 41_999n
  const { sign, signed, alerts } = halting({ relayerWei: () => relayerWei })
  expect(await sign(ready)).toMatchObject({ waitingFor: 'GAS' })
  expect(alerts).toEqual([{ chain: 'Base', relayer: fromAddress, balanceWei: 41_999n, neededWei: 42_000n }])
  expect(signed).toEqual([])
  relayerWei = 42_000n
  expect(await sign(ready)).toMatchObject({ type: 'order signed' })
})

test('a quote that grew old in a pause is requested again before signing', async () => {
  const [fresh, fees] = [{ provider: 'other', quotedAt: 3_600_000 } as never, { amountForSwapRaw: '5' } as never]
  const { sign } = halting({ at: 3_600_000, repriced: { route: fresh, fees } })
  expect(await sign(ready)).toMatchObject({
    type: 'order signed',
    facts: { route: fresh, fees, order: { ...order, sender: 'base:0' } },
  })

  const eaten = halting({ at: 3_600_000, repriced: { fees: { amountForSwapRaw: '-1' } as never } })
  expect(await codeOf(eaten.sign(ready))).toBe('FEES_EXCEED_DEPOSIT')
  expect(eaten.signed).toEqual([])
  expect(await halting({ at: 1_000, repriced: { route: fresh } }).sign(ready)).not.toHaveProperty('facts.route')
})

test('a route of a provider paused since then is not signed: other providers are queried, or the deposit waits for the end of the pause', async () => {
  const other = { provider: 'other', quotedAt: 0 } as never
  const { sign } = halting({ paused: [pauseScopes.provider('lifi')], repriced: { route: other } })
  expect(await sign(ready)).toMatchObject({ type: 'order signed', facts: { route: other } })

  const nobody = async (): Promise<never> => {
    throw new ProviderPaused()
  }
  const { wake, execution, clock } = world({ signOrder: nobody })
  await wake()
  expect(execution()).toMatchObject({ facts: { waiting: { for: 'PAUSE' } }, retryCount: 0, dueAt: clock.at + 5_000 })
})

test('a pause and its end are each written to the history once', async () => {
  let isPaused = true
  const { wake, clock, execution } = world({
    screenDeposit: async () => (isPaused ? { retryInMs: 5_000, waitingFor: 'PAUSE' } : { type: 'deposit screened' }),
  })
  for (let n = 0; n < 3; n++) {
    await wake()
    clock.at = execution().dueAt!
  }
  isPaused = false
  await wake()
  expect(execution()).toMatchObject({ status: 'SUCCESS', retryCount: 0 })
  const events = execution().history.map(({ event }) => event)
  expect(events.filter((event) => event === 'paused' || event === 'resumed')).toEqual(['paused', 'resumed'])
})

test('nothing is signed if the account would call a listed address, and another route is sought', async () => {
  const call = { target: order.target, spender: addressOf(0xb2), data: '0x', nativeFee: '0' } as const
  const facts = { ...ready.facts, route: { provider: 'lifi', call, quotedAt: 0 } as never }
  for (const called of [call.target, call.spender]) {
    const { sign, signed } = halting({ listed: [['ADDRESS', chainId, called]] })
    expect(await sign({ ...ready, facts }).catch(({ code }: RoutingError) => code)).toBe('PROVIDER_MALFORMED')
    expect(signed).toEqual([])
  }
  const elsewhere = halting({ listed: [['ADDRESS', 1, call.target]] })
  await elsewhere.sign({ ...ready, facts })
  expect(elsewhere.signed).toHaveLength(1)
})

test('a relayer’s coin is reserved for pending transactions, so coin for two transactions signs no third', async () => {
  const slot = (nonce: number) => ({
    nonce,
    orderId: hashOf(nonce),
    order: { ...order, gasLimit: '21000', nativeFee: '0' },
    deadline: 60,
    attempts: [{ hash: hashOf(nonce), bytes: '0x', feeCap: '1', tip: '1', at: 0 } as const],
    hashes: [],
  })
  const oneWei = 42_000n
  const of = (nonces: number[]) =>
    halting({ relayerWei: () => 2n * oneWei, sender: { id: 'base:0', version: 1, slots: nonces.map(slot) } })

  const full = of([1, 2])
  expect(await full.sign(ready)).toMatchObject({ waitingFor: 'GAS' })
  expect(full.alerts).toMatchObject([{ balanceWei: 2n * oneWei, neededWei: 3n * oneWei }])
  expect(full.signed).toEqual([])
  const half = of([0, 1]) // the first is mined: its coin has already left the balance
  expect(await half.sign(ready)).toMatchObject({ type: 'order signed' })
})
