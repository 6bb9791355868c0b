import { expect, test } from 'bun:test'
import { zeroAddress } from '../../src/domain/chain/hex'
import { type ErrorCode, RoutingError } from '../../src/domain/error'
import type { Execution } from '../../src/domain/execution/execution'
import { defaultPolicy, type Route } from '../../src/domain/execution/route'
import type { PriceOpinion } from '../../src/domain/money/worth'
import { withoutForgedWorth } from '../../src/domain/seals'
import type { TemporarilyUnavailable } from '../../src/domain/unavailable'
import type { Chains } from '../../src/ports/chain-client'
import type { Prices } from '../../src/ports/prices'
import type { OrderSigner, Relayers } from '../../src/ports/signer'
import { findRoute } from '../../src/routing/steps/find-route'
import { priceFees } from '../../src/routing/steps/price-fees'
import { appraising, believing } from '../support/appraisers'
import { executionOf } from '../support/deposits'
import { openGate } from '../support/gates'
import { unknownGas } from '../support/route-gas'
import { seals } from '../support/seals'
import { testAll } from '../support/test-all'
import { unlimited } from '../support/unlimited'
import { intent, order, world } from '../support/world'

const route: Route = {
  provider: 'a',
  kind: 'BRIDGE',
  amountIn: '990000',
  amountOutExpected: '985000',
  amountOutMin: '980000',
  expectedSeconds: 1,
  hops: 1,
  slippageBps: 0,
  reference: null,
  quotedAt: 0,
  call: { target: order.target, spender: order.spender, data: '0x01020304', nativeFee: '0' },
}
const provider = openGate({ name: 'a', quote: async () => route })
const quotingBy = (appraiser: typeof believing) => ({
  aggregators: [provider],
  prices: { usd: async () => 10n ** 8n },
  appraiser,
  quoteTimeoutMs: 1_000,
  now: () => 1,
})
const balance = { totalReceivedRaw: '1000000', block: 1 }
const routed = executionOf(1, { facts: { intent, routeId: order.routeId, balance } })
const says = (...said: [string, bigint][]): PriceOpinion[] => said.map(([source, usd]) => ({ source, usd }))
const dollar = 10n ** 8n

/** Empty, because no payment stays on one chain. */
const chains = {} as Chains

const finding = (said: readonly PriceOpinion[], dustFloorUsd = dollar / 100n) =>
  findRoute({
    seals,
    chains,
    quoting: quotingBy(appraising(() => said)),
    routeGas: unknownGas,
    limits: { ...unlimited, dustFloorUsd },
    now: () => 1,
  })
const codeOfError = (error: RoutingError | TemporarilyUnavailable): string =>
  error instanceof RoutingError ? error.code : error.waitingFor
const codeOf = (doing: Promise<unknown>) => doing.then(() => 'a route', codeOfError)

testAll<[string, PriceOpinion[], string]>([
  ['the word of one source alone', says(['a', 1n]), 'WORTH'],
  ['two that contradict each other', says(['a', 1n], ['b', dollar]), 'WORTH'],
  ['two that agree', says(['a', 1n], ['b', 1n]), 'FEES_EXCEED_DEPOSIT'],
  ['two agreeing sources, with a higher third', says(['a', 1n], ['b', 1n], ['c', dollar]), 'FEES_EXCEED_DEPOSIT'],
])('a deposit is dust only if two agreeing sources say so', async (_who, said, code) => {
  expect(await codeOf(finding(said)(routed))).toBe(code)
})

test('a deposit without prices waits without a retry or an end, and its offers are kept for an operator', async () => {
  const { wake, execution, clock } = world({ findRoute: finding([]) })
  await wake()
  for (let n = 0; n < 200; n++) {
    clock.at = execution().dueAt!
    await wake()
  }
  expect(execution()).toMatchObject({ state: 'finding route', status: null, retryCount: 0, cause: null })
  expect(execution().facts.waiting).toEqual({ for: 'WORTH', since: 0 })
  expect(execution().facts.candidates).toMatchObject([{ provider: 'a', outcome: 'UNJUDGED', amountOutMin: '980000' }])
  expect(execution().history.filter(({ event }) => event === 'worth unknown')).toHaveLength(1)
  expect(execution().dueAt! - clock.at).toBe(60 * 60_000)
})

test('a deposit with only poor offers ends, and keeps the offers and the reasons', async () => {
  const poor = says(['a', dollar], ['b', dollar])
  const dear = appraising((_chainId, token) =>
    token === intent.targetTokenAddress ? says(['a', 1n], ['b', 1n]) : poor,
  )
  const step = findRoute({
    seals,
    chains,
    quoting: quotingBy(dear),
    limits: unlimited,
    routeGas: unknownGas,
    now: () => 1,
  })
  const { run } = world({ findRoute: step })
  const ended = await run()
  expect(ended).toMatchObject({ status: 'FAILED_UNROUTABLE_MAIN', cause: { code: 'ROUTE_OUTSIDE_POLICY' } })
  expect(ended.facts.candidates).toMatchObject([{ provider: 'a', outcome: 'OUTSIDE_POLICY' }])
})

test('agreeing offers without a known price are routed, and stored as received', async () => {
  const agreeing = openGate({ name: 'b', quote: async () => ({ ...route, provider: 'b' }) })
  const quoting = { ...quotingBy(appraising(() => [])), aggregators: [provider, agreeing] }
  const outcome = await findRoute({ seals, chains, quoting, limits: unlimited, routeGas: unknownGas, now: () => 1 })(
    routed,
  )
  const { facts } = outcome as { facts: Execution['facts'] }
  expect(facts.candidates!.map(({ outcome: what }) => what)).toEqual(['CHOSEN', 'NOT_BEST'])
  expect(withoutForgedWorth(seals, { ...routed, facts }).facts.candidates).toEqual(facts.candidates!)
  expect(withoutForgedWorth(seals, { ...routed, id: 'another', facts }).facts.candidates).toEqual([])
})

test('an output approved by an operator is routed, and a lower one is not', async () => {
  const approved = (amountOutMin: string, totalReceivedRaw = balance.totalReceivedRaw) => ({
    ...routed,
    facts: { ...routed.facts, worthApproval: { amountOutMin, totalReceivedRaw, at: 1 } },
  })
  expect(await codeOf(finding([])(approved('980000')))).toBe('a route')
  expect(await codeOf(finding([])(approved('980001')))).toBe('WORTH')
  // A retry included a leftover a thousand times larger. The approval does not cover it.
  expect(await codeOf(finding([])(approved('980000', '1000')))).toBe('WORTH')
})

const hour = 3_600_000
type Pricing = {
  isForgiven?: boolean
  change?: Execution['facts']
  appraiser?: typeof believing
  estimate?: () => Promise<{ gasLimit: bigint; costWei: bigint }>
}
const pricing = (usd: Prices['usd'], { isForgiven = true, change = {}, ...world }: Pricing = {}) => {
  const chain = {
    chainId: 8453,
    head: async () => ({ number: 1, hash: '0x', time: 1 }),
    estimate: world.estimate ?? (async () => ({ gasLimit: 3_000_000n, costWei: 10n ** 12n })),
    fee: async () => ({ feeCap: 10n ** 9n, tip: 0n, baseFee: 10n ** 9n }),
    tokenMetadata: async () => ({ decimals: 6 }),
  }
  const step = priceFees({
    chains: { 8453: chain, 42161: chain } as unknown as Chains,
    signer: { draft: async () => order } as unknown as OrderSigner,
    relayers: { forRoute: () => ({ id: 'key', address: order.target }) } as unknown as Relayers,
    seals,
    quoting: { ...quotingBy(world.appraiser ?? believing), prices: { usd } },
    mayForgiveGas: async () => isForgiven,
    routeGas: unknownGas,
    now: () => 1,
  })
  const facts: Execution['facts'] = { ...routed.facts, policy: defaultPolicy, route, candidates: [], ...change }
  return step({ ...routed, facts })
}
const away = () => Promise.reject(new RoutingError('PROVIDER_TIMEOUT'))

test('a missing price forgives the gas fee and keeps the measured gas limit', async () => {
  const { facts } = await pricing(away)
  expect(facts).toMatchObject({ gasLimit: '3900000', fees: { gasFeeRaw: '0', gasFeeSkipReason: 'ESTIMATION_FAILED' } })
  expect(await codeOf(pricing(away, { isForgiven: false }))).toBe('WORTH')
  expect((await pricing(async () => 10n ** 8n)).facts).toMatchObject({
    gasLimit: '3900000',
    fees: { gasFeeSkipReason: 'NONE' },
  })
})

test('small and large deposits wait while a price is missing, spend no retry, and none counts as dust', async () => {
  const missing = (code: ErrorCode) => () => Promise.reject(new RoutingError(code))
  const cctp = { ...route, provider: 'cctp' } as const
  const sponsored = { intent: { ...intent, sponsoredGas: true }, route: cctp }
  const changes: Execution['facts'][] = [{}, { route: cctp }, sponsored]
  for (const code of ['PROVIDER_TIMEOUT', 'PROVIDER_REFUSED', 'PROVIDER_MALFORMED', 'RPC_FAILED'] as const)
    for (const totalReceivedRaw of ['1000', '5000000000000'])
      for (const facts of changes) {
        const change = { balance: { totalReceivedRaw, block: 1 }, ...facts }
        const { clock, run } = world(
          {
            priceFees: () =>
              pricing(clock.at < hour ? missing(code) : async () => dollar, { isForgiven: false, change }),
          },
          { state: 'pricing fees', facts: routed.facts },
          { random: () => 0 },
        )
        const { status, retryCount } = await run()
        expect([code, change, status, retryCount]).toEqual([code, change, 'SUCCESS', 0])
        expect(clock.at).toBeLessThan(hour * 1.1)
      }
})

test('a deposit whose gas no node estimates waits for the next day’s budget, and spends no retry', async () => {
  const { clock, run } = world(
    {
      priceFees: () =>
        pricing(async () => dollar, {
          isForgiven: clock.at >= hour,
          estimate: () => Promise.reject(new RoutingError('RPC_TIMEOUT')),
        }),
    },
    { state: 'pricing fees', facts: routed.facts },
    { random: () => 0 },
  )
  expect(await run()).toMatchObject({ status: 'SUCCESS', retryCount: 0 })
})

const contradicted = () => Promise.reject(new RoutingError('PROVIDER_MALFORMED'))

test('contradicting prices end no deposit: it waits, and an approval charges its gas to the day’s budget', async () => {
  expect(await codeOf(pricing(contradicted))).toBe('WORTH')
  const approved = { worthApproval: { totalReceivedRaw: balance.totalReceivedRaw, amountOutMin: '980000', at: 1 } }
  const { facts } = await pricing(contradicted, { change: approved })
  expect(facts).toMatchObject({ fees: { gasFeeRaw: '0', gasFeeSkipReason: 'ESTIMATION_FAILED' } })
  expect(await codeOf(pricing(contradicted, { change: approved, isForgiven: false }))).toBe('BUDGET')
})

// 10^12 wei and a fifth at 3,000 dollars: 0.0036 dollars of gas.
const ether = says(['a', 3_000n * dollar], ['b', 3_000n * dollar])
testAll<[string, PriceOpinion[], string]>([
  ['one source alone', says(['a', 1n]), 'WORTH'],
  ['two that contradict each other', says(['a', 1n], ['b', dollar]), 'WORTH'],
  ['two sources with a higher value', says(['b', dollar], ['c', dollar]), 'WORTH'],
  ['two that agree', says(['a', 1n], ['b', 1n]), '-'],
])('a deposit that gas would consume ends only by the price of two agreeing sources', async (_who, said, expected) => {
  const appraiser = appraising((_chainId, token) => (token === routed.deposit.token ? said : ether))
  const direct = { ...route, provider: 'direct', kind: 'DIRECT', call: null } as const
  const usd: Prices['usd'] = async (_chainId, token) => (token === zeroAddress ? 3_000n * dollar : 1n)
  const eaten = pricing(usd, { appraiser, change: { route: direct } })
  const found = await eaten.then(({ facts }) => facts!.fees!.amountForSwapRaw[0], codeOfError)
  expect(found).toBe(expected)
})
