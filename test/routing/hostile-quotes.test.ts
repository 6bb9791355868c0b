import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { appraiser } from '../../src/adapters/prices/appraiser'
import { prices } from '../../src/adapters/prices/prices'
import type { ChainId } from '../../src/domain/chain/chain'
import { type Address, zeroAddress } from '../../src/domain/chain/hex'
import { defaultPolicy, type Route } from '../../src/domain/execution/route'
import { tokenBySymbol } from '../../src/domain/money/token'
import type { RouteRequest } from '../../src/ports/gate'
import type { Aggregator } from '../../src/providers/aggregator'
import { bestQuote } from '../../src/routing/pricing/quotes'
import { addressOf } from '../support/deposits'
import { openGate } from '../support/gates'

type Token = { chainId: ChainId; address: Address; decimals: number; usd: bigint; hasFeed: boolean }
const usd = (dollars: number): bigint => BigInt(Math.round(dollars * 1e8))
const named = (chainId: ChainId, symbol: string, dollars: number): Token => {
  const { address, decimals } = tokenBySymbol(chainId, symbol)
  return { chainId, address, decimals, usd: usd(dollars), hasFeed: true }
}
const other = (chainId: ChainId, place: number, decimals: number, dollars: number): Token => ({
  chainId,
  address: addressOf(place),
  decimals,
  usd: usd(dollars),
  hasFeed: false,
})
const tokens: readonly Token[] = [
  named(8453, 'USDC', 1),
  named(42161, 'USDC', 1),
  named(1, 'USDT', 0.999),
  named(1, 'ETH', 3_000),
  named(8453, 'WETH', 3_000),
  named(137, 'POL', 0.25),
  other(8453, 0x71, 18, 0.000001),
  other(1, 0x72, 8, 65_000),
  other(42161, 0x73, 2, 12),
]
const find = (chainId: ChainId, address: Address) =>
  tokens.find((token) => token.chainId === chainId && token.address === address) ??
  tokens.find((token) => token.address === zeroAddress)!

/** Fair output of a swap at the true prices, in units of the output token. */
const fairOut = (amountIn: bigint, from: Token, to: Token): bigint =>
  (amountIn * from.usd * 10n ** BigInt(to.decimals)) / (to.usd * 10n ** BigInt(from.decimals))

const routeOf = (provider: string, amountIn: bigint, out: bigint, nativeFee = 0n): Route => ({
  provider,
  kind: 'BRIDGE',
  amountIn: String(amountIn),
  amountOutExpected: String(out),
  amountOutMin: String(out),
  expectedSeconds: 5,
  hops: 1,
  slippageBps: 50,
  reference: null,
  quotedAt: 0,
  call: { target: addressOf(1), spender: addressOf(1), data: '0x01020304', nativeFee: String(nativeFee) },
})

/** The dishonest provider comes first. It also reports prices, each multiplied by its factor. */
function world(liesOut: { in: bigint; out: bigint; of: Token }, isHonestThere: boolean, offers: Record<string, Route>) {
  const provider = (name: string, priceOf: (token: Token) => bigint | null): Aggregator => ({
    name,
    quote: async () => offers[name] ?? null,
    outcome: async () => ({ kind: 'PENDING' }),
    priceUsd: async (chainId, address) => priceOf(find(chainId, address)),
  })
  const liar = provider('liar', (token) => (token.usd * (token === liesOut.of ? liesOut.in : liesOut.out)) / 10_000n)
  const honest = provider('honest', (token) => (isHonestThere ? (token.usd * 1_002n) / 1_000n : null))
  const feed = provider('feed', (token) => (token.hasFeed ? (token.usd * 999n) / 1_000n : null))
  const aggregators = [liar, honest]
  const known = prices([...aggregators, feed], { now: () => 0 })
  return {
    aggregators: aggregators.map((one) => openGate(one)),
    prices: known,
    quoteTimeoutMs: 1_000,
    now: () => 0,
    appraiser: appraiser(known, async (chainId, address) => find(chainId, address).decimals),
  }
}

const toldTimes = fc.constantFrom(1n, 100n, 5_000n, 9_600n, 9_800n, 10_000n, 10_400n, 20_000n, 1_000_000n)
const tried = { lies: 0, held: 0, honestTaken: 0, honest: 0 }

test('a hostile quote below the policy’s share is never taken under false prices, and honest quotes are', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...tokens),
      fc.constantFrom(...tokens),
      fc.bigInt({ min: 10n ** 3n, max: 10n ** 7n }), // in cents
      fc.bigInt({ min: 1n, max: 9_600n }), // the dishonest offer, in basis points of the fair output
      fc.record({ in: toldTimes, out: toldTimes }),
      fc.boolean(),
      async (from, to, cents, givenBps, told, isHonestThere) => {
        if (from === to) return
        const amountIn = (cents * 10n ** BigInt(from.decimals) * 1_000_000n) / from.usd
        const fair = fairOut(amountIn, from, to)
        if (amountIn < 10_000n || fair < 10_000n) return // too few units for a share
        const request = {
          fromChainId: from.chainId,
          fromToken: from.address,
          amountIn,
          policy: defaultPolicy,
          toChainId: to.chainId,
          toToken: to.address,
          account: addressOf(9),
          recipient: addressOf(8),
        } as RouteRequest
        const lie = routeOf('liar', amountIn, (fair * givenBps) / 10_000n || 1n)
        const alone = await chosenOf(request, world({ ...told, of: from }, isHonestThere, { liar: lie }))
        tried.lies++
        if (alone !== 'liar') tried.held++
        const honest = routeOf('honest', amountIn, (fair * 9_920n) / 10_000n)
        const both = await chosenOf(request, world({ ...told, of: from }, isHonestThere, { liar: lie, honest }))
        tried.lies++
        if (both !== 'liar') tried.held++
        const truthful = { in: 10_000n, out: 10_000n, of: from }
        const fairly = await chosenOf(request, world(truthful, true, { honest }))
        tried.honest++
        if (fairly === 'honest') tried.honestTaken++
      },
    ),
    { numRuns: 3_000 },
  )
  expect(tried.lies).toBeGreaterThan(4_000)
  expect(tried.held).toBe(tried.lies)
  expect(tried.honestTaken).toBe(tried.honest)
})

const chosenOf = (request: RouteRequest, quoting: Parameters<typeof bestQuote>[1]): Promise<string> =>
  bestQuote(request, quoting).then(
    ({ route }) => route.provider,
    ({ code, name }) => code ?? name,
  )

const usdc = { from: tokens[0]!, to: tokens[1]! }
const asked = {
  fromChainId: 8453,
  fromToken: usdc.from.address,
  amountIn: 25_000_000n,
  policy: defaultPolicy,
  toChainId: 42161,
  toToken: usdc.to.address,
  account: addressOf(9),
  recipient: addressOf(8),
} as RouteRequest
const truthful = { in: 10_000n, out: 10_000n, of: usdc.from }

test('an offer that is too poor or demands native coin is refused with the reason, and an honest one is taken', async () => {
  const honest = routeOf('honest', asked.amountIn, 24_800_000n)
  for (const [liar, reason] of [
    [routeOf('liar', asked.amountIn, 2n), /worth less than the policy/],
    [routeOf('liar', asked.amountIn, 24_900_000n, 10n ** 18n), /native coin/],
  ] as const) {
    const { route, candidates } = await bestQuote(asked, world(truthful, true, { liar, honest }))
    expect(route.provider).toBe('honest')
    expect(candidates[0]).toMatchObject({ provider: 'liar', outcome: 'OUTSIDE_POLICY' })
    expect(candidates[0]!.reason).toMatch(reason)
    const alone = bestQuote(asked, world(truthful, true, { liar }))
    await expect(alone).rejects.toMatchObject({ code: 'ROUTE_OUTSIDE_POLICY', candidates: [{ provider: 'liar' }, {}] })
  }
})

test('a deposit without prices waits with its offers in the record, and an operator’s approval continues it', async () => {
  const unknown = { ...asked, toToken: tokens[8]!.address, toChainId: 42161 } as RouteRequest
  const liar = routeOf('liar', asked.amountIn, 208n)
  const quoting = world(truthful, false, { liar })
  await expect(bestQuote(unknown, quoting)).rejects.toMatchObject({
    waitingFor: 'WORTH',
    facts: { candidates: [{ provider: 'liar', outcome: 'UNJUDGED', amountOutMin: '208' }, { outcome: 'NO_ROUTE' }] },
  })
  const { route } = await bestQuote({ ...unknown, approvedOutMin: 208n }, quoting)
  expect(route.provider).toBe('liar')
  await expect(bestQuote({ ...unknown, approvedOutMin: 209n }, quoting)).rejects.toMatchObject({ waitingFor: 'WORTH' })
})
