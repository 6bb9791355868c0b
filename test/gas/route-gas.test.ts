import { expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Address } from '../../src/domain/chain/hex'
import { type ErrorCode, RoutingError } from '../../src/domain/error'
import type { Execution } from '../../src/domain/execution/execution'
import { defaultPolicy, type Route } from '../../src/domain/execution/route'
import type { Semaphore } from '../../src/domain/limits/semaphore'
import { amountOf } from '../../src/domain/money/amount'
import type { GasRecord } from '../../src/domain/money/gas'
import { routeGas } from '../../src/gas/route-gas'
import { sharedGasBooks } from '../../src/gas/shared-gas-books'
import { storedSemaphores } from '../../src/limits/stored-semaphores'
import type { Chains } from '../../src/ports/chain-client'
import type { RouteRequest } from '../../src/ports/gate'
import type { OrderSigner, Relayers } from '../../src/ports/signer'
import { usdcOf } from '../../src/protocols/lifi/diamond'
import type { Aggregator } from '../../src/providers/aggregator'
import type { StepOutcome } from '../../src/routing/engine/step'
import type { QuoteReason } from '../../src/routing/pricing/quotes'
import { findRoute } from '../../src/routing/steps/find-route'
import { priceFees } from '../../src/routing/steps/price-fees'
import { believing } from '../support/appraisers'
import { addressOf, executionOf } from '../support/deposits'
import { openGate } from '../support/gates'
import { recordsInMemory } from '../support/records'
import { seals } from '../support/seals'
import { testAll } from '../support/test-all'
import { unlimited } from '../support/unlimited'
import { intent, order } from '../support/world'

const dollar = 10n ** 8n
const gwei = 10n ** 9n
const received = 25_000_000n

type Target = { targetTokenAddress?: Address }

/** Two providers, the second offering slightly less, and a chain with adjustable gas costs. */
function world(providers: readonly string[] = ['a', 'b'], processes = 1, isUsdc = providers.includes('cctp')) {
  const gas = { price: gwei, used: 200_000n, usedBy: {} as Record<string, bigint>, isDeployed: true }
  let drafted = ''
  const used = () => gas.usedBy[drafted] ?? gas.used
  const asked: string[] = []
  let refuse: (request: RouteRequest, name: string) => ErrorCode | null = () => null
  const clock = { at: 1_000_000 }
  const now = () => clock.at
  const aggregators = providers.map((name, n) => ({
    name,
    quote: async (request: RouteRequest): Promise<Route | null> => {
      asked.push(name)
      const code = refuse(request, name)
      if (code === 'NO_ROUTE') return null
      if (code) throw new RoutingError(code)
      const amountOut = String(request.amountIn - BigInt(n + 1))
      return {
        provider: name,
        kind: 'BRIDGE',
        amountIn: String(request.amountIn),
        amountOutExpected: amountOut,
        amountOutMin: amountOut,
        expectedSeconds: 1,
        hops: 1,
        slippageBps: 0,
        reference: null,
        quotedAt: 0,
        call: { target: order.target, spender: order.spender, data: '0x01020304', nativeFee: '0' },
      }
    },
  })) as unknown as Aggregator[]
  const chain = {
    chainId: 42161,
    head: async () => ({ number: 1, hash: '0x', time: 1 }),
    fee: async () => ({ feeCap: gas.price * 2n, tip: 0n }),
    isDeployed: async () => gas.isDeployed,
    tokenMetadata: async () => null,
    estimate: async () => ({ gasLimit: used(), costWei: used() * gas.price }),
  }
  const there = { price: gwei, isAway: false }
  const destination = {
    ...chain,
    chainId: 8453,
    fee: async () => {
      if (there.isAway) throw new RoutingError('RPC_UNREACHABLE')
      return { feeCap: there.price * 2n, tip: 0n }
    },
  }
  const chains = { 42161: chain, 8453: destination } as unknown as Chains
  const prices = { usd: async (_id: number, token: string) => (/^0x0+$/.test(token) ? 3_000n * dollar : dollar) }
  const quoting = {
    aggregators: aggregators.map((one) => openGate(one)),
    prices,
    appraiser: { ...believing, isNoMore: async () => true },
    quoteTimeoutMs: 1_000,
    now,
  }
  const reasons: QuoteReason[] = []
  const onQuoted = (reason: QuoteReason) => reasons.push(reason)
  const books = recordsInMemory<GasRecord>()
  const semaphores = storedSemaphores({ books: recordsInMemory<Semaphore>(), now })
  function processOf() {
    const known = routeGas({ chains, gasBooks: sharedGasBooks({ books, now }), quoting, semaphores, now })
    const find = findRoute({ seals, quoting, chains, onQuoted, limits: unlimited, routeGas: known, now })
    const price = priceFees({
      chains,
      signer: {
        draft: async ({ facts }: Execution) => {
          drafted = facts.route!.provider
          return order
        },
      } as unknown as OrderSigner,
      relayers: { forRoute: () => ({ id: 'key', address: order.target }) } as unknown as Relayers,
      seals,
      quoting,
      onQuoted,
      routeGas: known,
      mayForgiveGas: async () => false,
      now,
    })
    return { find, price }
  }
  const all = Array.from({ length: processes }, processOf)
  const [{ find, price }] = all as [(typeof all)[0]]
  const begun = executionOf(1, {
    facts: {
      intent: {
        ...intent,
        sponsoredGas: false,
        protocolFeeBps: 50,
        ...(isUsdc && { targetChainId: 8453, targetTokenAddress: usdcOf(8453) }),
      },
      routeId: order.routeId,
      policy: defaultPolicy,
      quotaKey: 'org_1',
      balance: { totalReceivedRaw: String(received), block: 1 },
    },
  })
  const usdc = isUsdc && { token: usdcOf(42161) }
  const deposit = { ...begun.deposit, chainId: 42161, decimals: 6, ...usdc } as Execution['deposit']

  /** Runs one deposit up to its fees. @returns its facts, and the number of quotes per provider. */
  async function routed(afterMs = 10_000, account = deposit.account) {
    asked.length = 0
    clock.at += afterMs
    const its = { ...begun, deposit: { ...deposit, account } }
    const found = await find(its)
    if (!('facts' in found)) throw new Error('no route')
    const record = { ...its, facts: { ...begun.facts, ...found.facts } } as Execution
    const priced = await price(record)
    if (!('facts' in priced)) throw new Error('no fees')
    const { fees, route } = { ...record.facts, ...priced.facts }
    return {
      fees: fees!,
      route: route!,
      quotes: Object.fromEntries(
        Map.groupBy(asked, (one) => one)
          .entries()
          .map(([name, all]) => [name, all.length]),
      ),
    }
  }

  const asFound = (record: Execution, { facts }: StepOutcome): Execution => ({
    ...record,
    facts: { ...record.facts, ...facts },
  })

  /** Runs simultaneous deposits on any process, with half a second between two polls. */
  async function burst(count: number, targets: readonly Target[] = [{}]): Promise<Execution[]> {
    const factsOf = (n: number) => ({
      ...begun.facts,
      intent: { ...begun.facts.intent!, ...targets[n % targets.length] },
    })
    let waiting = Array.from(
      { length: count },
      (_, n) => ({ ...executionOf(n + 1, { facts: factsOf(n) }), deposit }) as Execution,
    )
    const priced: Execution[] = []
    while (waiting.length > 0) {
      const left: Execution[] = []
      await Promise.all(
        waiting.map(async (record, n) => {
          const { find: findIt, price: priceIt } = all[(n + priced.length) % all.length]!
          const found = await findIt(record)
          if ('type' in found) priced.push(asFound(record, await priceIt(asFound(record, found))))
          else left.push(asFound(record, { ...found, facts: { waiting: { for: found.waitingFor, since: now() } } }))
        }),
      )
      clock.at += 500
      waiting = left
    }
    return priced
  }

  return {
    gas,
    there,
    asked,
    reasons,
    begun: { ...begun, deposit },
    find,
    price,
    burst,
    asFound,
    books,
    routed,
    clock,
    refuseWhen: (when: typeof refuse) => {
      refuse = when
    },
  }
}

const feeOf = (used: bigint, price: bigint): bigint => (used * price * 3_000n * 12n) / (10n ** 12n * 10n)

test('the first deposit on a kind of route takes two quotes of a provider, and each later one takes one', async () => {
  const { routed } = world()
  expect((await routed()).quotes).toEqual({ a: 2, b: 2 })
  for (let n = 0; n < 20; n++) {
    const { quotes, fees, route } = await routed()
    expect(quotes['a']).toBe(1)
    expect(amountOf(fees.gasFeeRaw)).toBe(feeOf(200_000n, gwei))
    expect(route.amountIn).toBe(fees.amountForSwapRaw)
  }
})

testAll([1, 3, 10])(
  'one of sixty simultaneous deposits of a new kind takes two quotes and the others one, with any number of processes',
  async (processes) => {
    const { burst, asked, reasons } = world(['a', 'b'], processes)
    const priced = await burst(60)
    expect(priced).toHaveLength(60)
    for (const { facts } of priced) expect(amountOf(facts.fees!.gasFeeRaw)).toBe(feeOf(200_000n, gwei))
    expect(asked.filter((name) => name === 'a')).toHaveLength(61)
    expect(reasons.filter((reason) => reason === 'GAS')).toHaveLength(1)
  },
)

test('simultaneous deposits of unmeasured kinds use the gas of similar routes', async () => {
  const { burst, reasons } = world(['a', 'b'], 3)
  const targets = Array.from({ length: 6 }, (_, n) => ({ targetTokenAddress: addressOf(0xdd00 + n) }))
  expect(await burst(60, targets)).toHaveLength(60)
  expect(reasons.filter((reason) => reason === 'GAS')).toHaveLength(1)
})

test('a first route is requested with the gas of later ones plus the account’s deployment', async () => {
  const { routed, gas } = world(['a'])
  await routed()
  gas.isDeployed = false
  gas.used = 261_000n
  expect((await routed(1_000, addressOf(0xacc))).quotes).toEqual({ a: 1 })
})

test('a difference of a hundred-thousandth of the deposit or less is not worth another quote', async () => {
  const { routed, gas } = world(['a'])
  gas.price = gwei / 10_000n
  await routed()
  gas.used = 235_000n
  const { quotes, fees, route } = await routed()
  expect(quotes).toEqual({ a: 1 })
  expect(route.amountIn).toBe(fees.amountForSwapRaw)
})

test('the fee covers the cost of the gas for any size of deposit', async () => {
  const used = fc.bigInt({ min: 50_000n, max: 3_000_000n })
  await fc.assert(
    fc.asyncProperty(fc.array(used, { minLength: 2, maxLength: 6 }), async (all) => {
      const { routed, gas } = world(['a'])
      gas.price = gwei / 10_000n
      for (const [n, each] of all.entries()) {
        gas.used = each
        const { fees } = await routed(10_000, addressOf(0xacc + n))
        expect(amountOf(fees.gasFeeRaw) * 12n).toBeGreaterThanOrEqual(feeOf(each, gas.price) * 10n)
      }
    }),
    { numRuns: 40 },
  )
})

test('an unusual route is mistaken for a usual one at most once', async () => {
  const { routed, gas, books, begun } = world(['a'])
  await routed()
  const id = String(begun.deposit.chainId)
  const book = (await books.load(id))!
  const [kind] = book.kinds as [(typeof book.kinds)[0]]
  const to = (n: number, used: string) => ({ ...kind, kind: kind.kind.replace(/ to .*/, ` to ${n}:x`), gas: used })
  await books.save({ ...book, kinds: [to(1, '200000'), to(2, '205000'), to(3, '900000')] })
  gas.used = 202_000n
  expect((await routed()).quotes).toEqual({ a: 1 })
})

test('a deposit waits at most three seconds for another one’s measurement', async () => {
  const { find, begun, clock, asFound } = world()
  await find(begun) // and its worker dies
  let record: Execution = { ...begun, id: 'exe_other' as never }
  const from = clock.at
  for (let found = await find(record); !('type' in found); found = await find(record)) {
    expect(found.waitingFor).toBe('PROVIDER')
    record = asFound(record, { ...found, facts: { waiting: { for: 'PROVIDER', since: from } } })
    clock.at += found.retryInMs
  }
  expect(clock.at - from).toBe(3_000)
})

test('a stale quote is requested once more, with the current gas estimates', async () => {
  const { find, price, begun, asFound, routed, asked, clock, reasons } = world(['a'])
  const found = asFound(begun, await find(begun))
  await routed()
  clock.at += 61_000
  asked.length = 0
  reasons.length = 0
  const { facts } = asFound(found, await price(found))
  expect(amountOf(facts.fees!.gasFeeRaw)).toBe(feeOf(200_000n, gwei))
  expect([asked, reasons]).toEqual([['a'], ['STALE']])
})

test('a direct payment records its gas price but no gas estimate for other routes', async () => {
  const { find, price, begun, asFound, books, asked } = world()
  const { chainId, token } = begun.deposit
  const there = { targetChainId: chainId, targetTokenAddress: token }
  const direct = { ...begun, facts: { ...begun.facts, intent: { ...begun.facts.intent!, ...there } } } as Execution
  await price(asFound(direct, await find(direct)))
  expect(asked).toEqual([])
  expect(await books.load(String(chainId))).toMatchObject({ kinds: [], prices: [{ weiPerGas: String(gwei) }] })
})

test('an account newly deployed by its first route is quoted with the gas of later routes', async () => {
  const { gas, routed } = world(['a'])
  await routed()
  gas.isDeployed = false
  gas.used = 260_000n
  await routed(1_000, addressOf(0xacc))
  gas.isDeployed = true
  gas.used = 200_000n
  expect((await routed(1_000, addressOf(0xacc))).quotes).toEqual({ a: 1 })
})

test('under any gas prices, the fee stays within its buffer, the parts add up, and the quote is for the exact rest', async () => {
  const moves = fc.array(
    fc.record({ price: fc.integer({ min: 50, max: 200 }), used: fc.integer({ min: 90, max: 110 }) }),
    {
      minLength: 1,
      maxLength: 12,
    },
  )
  await fc.assert(
    fc.asyncProperty(moves, async (all) => {
      const { gas, routed } = world()
      for (const { price, used } of all) {
        gas.price = (gwei * BigInt(price)) / 100n
        gas.used = 2_000n * BigInt(used)
        const { fees, route, quotes } = await routed()
        const [fee, cost] = [amountOf(fees.gasFeeRaw), (feeOf(gas.used, gas.price) * 10n) / 12n]
        expect(fee * 100n).toBeGreaterThanOrEqual(cost * 113n)
        expect(fee * 100n).toBeLessThanOrEqual(cost * 127n)
        expect(amountOf(fees.amountForSwapRaw) + fee + amountOf(fees.protocolFeeEffective)).toBe(received)
        expect(route.amountIn).toBe(fees.amountForSwapRaw)
        expect(Math.max(...Object.values(quotes))).toBeLessThanOrEqual(2)
      }
    }),
    { numRuns: 40 },
  )
})

test('an account’s first route is of a different kind than its later ones', async () => {
  const { gas, routed } = world()
  await routed()
  await routed()
  gas.isDeployed = false
  gas.used = 260_000n
  const { fees } = await routed()
  expect(amountOf(fees.gasFeeRaw)).toBe(feeOf(260_000n, gwei))
})

test('a deposit that only the whole amount can route is routed as if gas were unknown', async () => {
  const { routed, refuseWhen, clock } = world(['a'])
  await routed()
  await routed()
  let times = 0
  refuseWhen(() => (times++ === 0 ? 'NO_ROUTE' : null))
  expect((await routed()).route.provider).toBe('a')
  clock.at += 1
  refuseWhen(() => 'NO_ROUTE')
  await expect(routed()).rejects.toMatchObject({ code: 'NO_ROUTE' })
})

test('an estimate that would take the whole deposit is not deducted before gas is measured', async () => {
  const { gas, routed } = world(['a'])
  await routed()
  gas.price = 100n * gwei
  expect(amountOf((await routed()).fees.gasFeeRaw)).toBe(feeOf(200_000n, 100n * gwei))
  gas.price = gwei
  const { fees } = await routed()
  expect(amountOf(fees.gasFeeRaw)).toBe(feeOf(200_000n, gwei))
})

test('a provider whose gas would take the whole deposit is skipped, and the others are queried', async () => {
  const { gas, routed, refuseWhen } = world()
  gas.usedBy = { a: 10_000n, b: 2_000_000n }
  refuseWhen((_request, name) => (name === 'a' ? 'NO_ROUTE' : null))
  expect((await routed()).route.provider).toBe('b')
  refuseWhen(() => null)
  expect((await routed()).route.provider).toBe('a')
  gas.price = 100n * gwei
  const { route, quotes } = await routed()
  expect([route.provider, quotes]).toEqual(['a', { a: 1 }])
})

test('the deposit also pays for a mint on the destination chain, and the next deposit reuses the cost', async () => {
  const [delivered, attested] = [world(['a'], 1, true), world(['cctp'])]
  const { fees } = await delivered.routed()
  const first = await attested.routed()
  // The mint takes as much gas as the order does here, at the same price.
  expect(amountOf(first.fees.gasFeeRaw)).toBe(2n * amountOf(fees.gasFeeRaw))
  const next = await attested.routed()
  expect(next.fees.gasFeeRaw).toBe(first.fees.gasFeeRaw)
  expect(next.quotes).toEqual({ cctp: 1 })
})

test('a provider whose transfer we mint is compared net of the mint’s cost before anything is measured', async () => {
  // It offers one unit more than the other, and would cost 0.72 dollars more.
  const { fees, route } = await world(['cctp', 'a']).routed()
  expect([route.provider, amountOf(fees.gasFeeRaw)]).toEqual(['a', 720_000n])
})

test('a provider is skipped while its mint’s cost is unknown, and the others continue', async () => {
  const { routed, there } = world(['cctp', 'a'])
  there.isAway = true
  const { route, quotes } = await routed()
  expect([route.provider, quotes['cctp'] ?? 0]).toEqual(['a', 0])
})

test('a mint waits while the destination’s gas price is far above its usual price', async () => {
  const { routed, there } = world(['cctp'])
  for (let n = 0; n < 6; n++) await routed()
  there.price = 20n * gwei
  await expect(routed()).rejects.toMatchObject({
    name: 'TemporarilyUnavailable',
    message: expect.stringContaining('Base'),
  })
})

test('providers with other costs are queried if the measured provider has no route for the rest', async () => {
  const { routed, refuseWhen, gas } = world(['cctp', 'a'])
  await routed()
  // It was much cheaper when its kind was measured, so it gets two requests, and refuses the second.
  gas.usedBy['cctp'] = 20_000n
  let asked = 0
  refuseWhen((_request, name) => (name === 'cctp' && ++asked > 1 ? 'NO_ROUTE' : null))
  const { route } = await routed(8 * 24 * 3_600_000)
  expect(route.provider).toBe('a')
})
