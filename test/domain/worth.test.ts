import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { type ChainId, chainIds, chains } from '../../src/domain/chain/chain'
import { zeroAddress } from '../../src/domain/chain/hex'
import { assetOf, tokenBySymbol } from '../../src/domain/money/token'
import {
  agreedPrice,
  approvedOutMinOf,
  confirmed,
  confirmedPrice,
  type Exchange,
  gasFeeExchange,
  isPlausiblePrice,
  mostUsdOf,
  nativeFeeExchange,
  type PriceOpinion,
  type Verdict,
  verdictByAmount,
  verdictByPrices,
  withApproval,
} from '../../src/domain/money/worth'
import { addressOf } from '../support/deposits'
import { testAll } from '../support/test-all'

const exchange = (change: Partial<Exchange>): Exchange => ({
  fromChainId: 8453,
  fromToken: addressOf(1),
  amountIn: 1_000_000n,
  toChainId: 42161,
  toToken: addressOf(2),
  amountOut: 970_000n,
  shareBps: 9_700,
  quotedBy: 'quoter',
  ...change,
})
const between = (from: [ChainId, string], to: [ChainId, string], amountIn: bigint, amountOut: bigint) => {
  const [paid, received] = [tokenBySymbol(...from), tokenBySymbol(...to)]
  const sides = { fromChainId: paid.chainId, fromToken: paid.address, toChainId: received.chainId }
  return verdictByAmount(exchange({ ...sides, toToken: received.address, amountIn, amountOut }))
}

describe('one asset', () => {
  testAll<[string, [ChainId, string], [ChainId, string], bigint, bigint]>([
    ['USDC on two chains', [8453, 'USDC'], [42161, 'USDC'], 1_000_000n, 970_000n],
    ['Tether of its issuer', [1, 'USDT'], [43114, 'USDt'], 1_000_000n, 970_000n],
    ['a coin and its wrapped form', [137, 'POL'], [137, 'WPOL'], 10n ** 18n, 97n * 10n ** 16n],
    ['ether and wrapped ether elsewhere', [1, 'ETH'], [8453, 'WETH'], 10n ** 18n, 97n * 10n ** 16n],
  ])('tokens of one asset are compared by amount, to the unit', (_what, from, to, amountIn, least) => {
    expect(between(from, to, amountIn, least)).toBe('ENOUGH')
    expect(between(from, to, amountIn, least - 1n)).toBe('POOR')
  })

  test('a token that a bridge minted for an asset has its own price', () => {
    expect(between([137, 'USDC.e'], [137, 'USDC'], 1n, 1n)).toBeNull()
    expect(between([137, 'WETH'], [1, 'ETH'], 1n, 1n)).toBeNull()
    expect(between([1, 'USDC'], [1, 'USDT'], 1n, 1n)).toBeNull()
    expect(assetOf(8453, tokenBySymbol(8453, 'USDT').address)).toBeNull()
  })

  test('the native coin and its wrapped form are one asset of 18 decimals on every chain', () => {
    for (const id of chainIds) {
      const wrapped = tokenBySymbol(id, `W${Object.values(chains).find((chain) => chain.id === id)!.native.symbol}`)
      expect(assetOf(id, zeroAddress)).toEqual(assetOf(id, wrapped.address)!)
      expect(assetOf(id, zeroAddress)!.decimals).toBe(18)
    }
  })
})

const raw = fc.bigInt({ min: 1n, max: 2n ** 256n - 1n })
const price = fc.bigInt({ min: 1n, max: 10n ** 15n })
const decimals = fc.integer({ min: 0, max: 77 })
const share = fc.integer({ min: 5_000, max: 10_000 })
const source = fc.constantFrom('quoter', 'other', 'third', 'fourth')
/** Prices that are often close to each other, including zero and negative ones. */
const said = (usd: bigint): fc.Arbitrary<PriceOpinion[]> =>
  fc.uniqueArray(
    fc.record({
      source,
      usd: fc.oneof(
        { weight: 8, arbitrary: fc.bigInt({ min: (usd * 98n) / 100n, max: (usd * 102n) / 100n }) },
        { weight: 1, arbitrary: price },
        { weight: 1, arbitrary: fc.constantFrom(0n, -1n) },
      ),
    }),
    { selector: (one) => one.source, maxLength: 4 },
  )
const market = fc
  .record({ usdIn: price, usdOut: price, decimalsIn: decimals, decimalsOut: decimals, amountIn: raw, share })
  .chain((fixed) =>
    fc.record({
      fixed: fc.constant(fixed),
      saidIn: said(fixed.usdIn),
      saidOut: said(fixed.usdOut),
      /** Offers around the fair amount, in basis points of it. */
      fairBps: fc.bigInt({ min: 1n, max: 12_000n }),
    }),
  )

const settledOf = ({ fixed, saidIn, saidOut, fairBps }: typeof market extends fc.Arbitrary<infer V> ? V : never) => {
  const { usdIn, usdOut, decimalsIn, decimalsOut, amountIn } = fixed
  const fair = (amountIn * usdIn * 10n ** BigInt(decimalsOut)) / (usdOut * 10n ** BigInt(decimalsIn))
  const amountOut = (fair * fairBps) / 10_000n
  const amounts = { amountIn, amountOut, shareBps: fixed.share, quotedBy: 'quoter' }
  const [paid, received] = [
    { decimals: decimalsIn, said: saidIn },
    { decimals: decimalsOut, said: saidOut },
  ]
  return { amountOut, paid, received, verdict: verdictByPrices(amounts, paid, received) }
}
const isShort = (
  amountOut: bigint,
  {
    amountIn,
    decimalsIn,
    decimalsOut,
    share: bps,
  }: { [Name in 'decimalsIn' | 'decimalsOut' | 'share']: number } & {
    amountIn: bigint
  },
  usdIn: bigint,
  usdOut: bigint,
) =>
  amountOut * usdOut * 10n ** BigInt(decimalsIn) * 10_000n < amountIn * usdIn * 10n ** BigInt(decimalsOut) * BigInt(bps)

describe('two assets', () => {
  test('no accepted offer is below the share by any confirmed price of a source other than the quoter', () => {
    let taken = 0
    fc.assert(
      fc.property(market, (made) => {
        const { amountOut, paid, received, verdict } = settledOf(made)
        if (verdict !== 'ENOUGH') return
        taken++
        const others = (all: readonly PriceOpinion[]) => confirmed(all).filter((one) => one.source !== 'quoter')
        expect(others(paid.said).length).toBeGreaterThan(0)
        expect(others(received.said).length).toBeGreaterThan(0)
        for (const one of others(paid.said))
          for (const other of others(received.said))
            expect(isShort(amountOut, made.fixed, one.usd, other.usd)).toBe(false)
      }),
      { numRuns: 5_000 },
    )
    expect(taken).toBeGreaterThan(50)
  })

  test('no offer that some confirmed prices accept is judged too poor', () => {
    let poor = 0
    fc.assert(
      fc.property(market, (made) => {
        const { amountOut, paid, received, verdict } = settledOf(made)
        if (verdict !== 'POOR') return
        poor++
        for (const one of confirmed(paid.said))
          for (const other of confirmed(received.said))
            expect(isShort(amountOut, made.fixed, one.usd, other.usd)).toBe(true)
      }),
      { numRuns: 5_000 },
    )
    expect(poor).toBeGreaterThan(50)
  })

  const at = (...prices: [string, bigint][]): PriceOpinion[] => prices.map(([name, usd]) => ({ source: name, usd }))
  const dollar = 100_000_000n
  const both = at(['quoter', dollar], ['other', dollar])
  const verdictOf = (
    change: Partial<Exchange>,
    saidIn: PriceOpinion[],
    saidOut: PriceOpinion[],
    places: number | null = 6,
  ) => verdictByPrices(exchange(change), { decimals: 6, said: saidIn }, { decimals: places, said: saidOut })

  testAll<[string, PriceOpinion[], PriceOpinion[], Verdict]>([
    ['two agreeing sources, one of them not the quoter', both, both, 'ENOUGH'],
    ['a single source other than the quoter', at(['other', dollar]), both, 'UNPRICED'],
    ['the quoter alone', at(['quoter', dollar]), both, 'UNPRICED'],
    ['the quoter twice', at(['quoter', dollar], ['quoter', dollar]), both, 'UNCLEAR'],
    ['nobody', [], both, 'UNPRICED'],
    ['no source for the target', both, [], 'UNPRICED'],
    ['two contradicting sources', at(['quoter', dollar / 100n], ['other', dollar]), both, 'UNCLEAR'],
    [
      'a quoter whose price hides its margin',
      at(['quoter', (dollar * 97n) / 100n], ['other', (dollar * 101n) / 100n]),
      both,
      'UNCLEAR',
    ],
    ['two of three', at(['quoter', 1n], ['other', dollar], ['third', dollar]), both, 'ENOUGH'],
  ])('a price counts if two sources agree and at least one is not the quoter', (_who, saidIn, saidOut, verdict) => {
    expect(verdictOf({}, saidIn, saidOut)).toBe(verdict)
  })

  test('no offer is judged without the decimals of both tokens', () => {
    expect(verdictOf({}, both, both, null)).toBe('UNPRICED')
    const [known, unknown] = [6, null].map((places) => ({ decimals: places, said: both }))
    expect(verdictByPrices(exchange({}), unknown!, known!)).toBe('UNPRICED')
  })

  test('the quoter’s own confirmed price decides nothing against its offer', () => {
    const high = at(['quoter', (dollar * 103n) / 100n], ['other', dollar], ['third', dollar])
    const low = at(['quoter', (dollar * 97n) / 100n], ['other', dollar], ['third', dollar])
    expect(verdictOf({}, high, at(['other', dollar], ['third', dollar]))).toBe('ENOUGH')
    expect(verdictOf({}, at(['other', dollar], ['third', dollar]), low)).toBe('ENOUGH')
  })

  test('contradicting sources of the target make an offer unclear', () => {
    expect(verdictOf({}, both, at(['quoter', dollar / 100n], ['other', dollar]))).toBe('UNCLEAR')
    expect(verdictOf({}, at(['other', dollar]), at(['quoter', dollar]))).toBe('UNPRICED')
  })

  test('two prices confirm each other if they differ by at most a twentieth of the lower one', () => {
    const counted = (one: bigint, other: bigint) => confirmed(at(['a', one], ['b', other])).length
    expect([counted(10_000n, 10_500n), counted(10_500n, 10_000n)]).toEqual([2, 2])
    expect([counted(10_000n, 10_501n), counted(10_501n, 10_000n)]).toEqual([0, 0])
    expect(confirmed(at(['a', 0n], ['b', 0n]))).toEqual([])
    expect(confirmed(at(['a', 1n], ['b', 1n])).length).toBe(2)
    expect(confirmed(at(['a', dollar], ['a', dollar]))).toEqual([])
  })

  test('the price to use is the first confirmed one, or that of the only source', () => {
    const [low, high, far] = [at(['a', 100n]), at(['b', 105n]), at(['c', 900n])].flat()
    for (const price of [confirmedPrice, agreedPrice]) {
      expect([price([low!, high!]), price([high!, low!]), price([far!, high!, low!])]).toEqual([100n, 105n, 105n])
      expect([price([low!, far!, high!]), price([low!, far!]), price([])]).toEqual([100n, null, null])
    }
    expect([confirmedPrice([far!]), agreedPrice([far!])]).toEqual([null, 900n])
  })

  test('a price is plausible above 0 and up to ten million USD', () => {
    const most = 10_000_000n * dollar
    expect([-1n, 0n, 1n, most, most + 1n].map(isPlausiblePrice)).toEqual([false, false, true, true, false])
  })
})

describe('without prices', () => {
  const offer = (provider: string, amountOutMin: bigint, amountOutExpected = amountOutMin) => ({
    provider,
    amountOutMin,
    amountOutExpected,
  })
  const how = { shareBps: 9_700, approvedOutMin: null }

  test('an agreeing offer of another provider replaces a missing price', () => {
    const one = offer('one', 990n, 995n)
    expect(withApproval('UNPRICED', one, { ...how, others: [one, offer('two', 985n, 990n)] })).toBe('ENOUGH')
    expect(withApproval('UNPRICED', one, { ...how, others: [one, offer('one', 985n)] })).toBe('UNPRICED')
    expect(withApproval('UNPRICED', one, { ...how, others: [one, offer('two', 2n)] })).toBe('UNPRICED')
    expect(withApproval('UNPRICED', offer('two', 2n), { ...how, others: [one] })).toBe('UNPRICED')
    expect(withApproval('UNCLEAR', one, { ...how, others: [offer('two', 990n)] })).toBe('UNCLEAR')
    expect(withApproval('POOR', one, { ...how, others: [offer('two', 990n)] })).toBe('POOR')
  })

  test('an operator’s approval replaces a missing price to the unit, but overrides no price', () => {
    const approved = { ...how, others: [], approvedOutMin: 990n }
    for (const verdict of ['UNPRICED', 'UNCLEAR'] as const) {
      expect(withApproval(verdict, offer('one', 990n), approved)).toBe('ENOUGH')
      expect(withApproval(verdict, offer('one', 989n), approved)).toBe(verdict)
    }
    expect(withApproval('POOR', offer('one', 990n), approved)).toBe('POOR')
  })

  test('two offers disagree if one guarantees less than the share of the other’s expected output', () => {
    const amount = fc.bigInt({ min: 1n, max: 10n ** 30n })
    fc.assert(
      fc.property(amount, amount, amount, amount, share, (minA, expA, minB, expB, shareBps) => {
        const others = [offer('b', minB, expB)]
        if (withApproval('UNPRICED', offer('a', minA, expA), { others, shareBps, approvedOutMin: null }) !== 'ENOUGH')
          return
        expect(minA * 10_000n >= expB * BigInt(shareBps)).toBe(true)
      }),
    )
  })
})

test('an agreement needs both guarantees to reach the share of the other’s expected output, to the unit', () => {
  const offer = (provider: string, amountOutMin: bigint, amountOutExpected: bigint) => ({
    ...{ provider, amountOutMin, amountOutExpected },
  })
  const judged = (one: [bigint, bigint], other: [bigint, bigint]) =>
    withApproval('UNPRICED', offer('one', ...one), {
      ...{ others: [offer('two', ...other)], shareBps: 9_700, approvedOutMin: null },
    })
  expect(judged([970n, 1_000n], [970n, 1_000n])).toBe('ENOUGH')
  expect(judged([969n, 1_000n], [970n, 1_000n])).toBe('UNPRICED')
  expect(judged([970n, 1_000n], [969n, 1_000n])).toBe('UNPRICED')
})

test('an approval of an output counts only for the balance that the operator saw', () => {
  const worthApproval = { amountOutMin: '990', totalReceivedRaw: '1000', at: 1 }
  expect(approvedOutMinOf({ worthApproval, balance: { totalReceivedRaw: '1000' } })).toBe(990n)
  expect(approvedOutMinOf({ worthApproval, balance: { totalReceivedRaw: '1001' } })).toBeNull()
  expect(approvedOutMinOf({ worthApproval })).toBeNull()
  expect(approvedOutMinOf({ balance: { totalReceivedRaw: '1000' } })).toBeNull()
})

describe('fees', () => {
  const side = { chainId: 8453 as const, token: zeroAddress }
  test('a native fee may be worth at most a tenth of the carried amount', () => {
    expect(verdictByAmount(nativeFeeExchange(side, 1_000n, 100n, null))).toBe('ENOUGH')
    expect(verdictByAmount(nativeFeeExchange(side, 1_000n, 101n, null))).toBe('POOR')
    expect(verdictByAmount(nativeFeeExchange(side, 1_000_000n, 100_001n, null))).toBe('POOR')
  })

  test('a gas fee may exceed the cost of the gas by one unit of rounding', () => {
    expect(verdictByAmount(gasFeeExchange(side, 1_001n, 1_000n))).toBe('ENOUGH')
    expect(verdictByAmount(gasFeeExchange(side, 1_002n, 1_000n))).toBe('POOR')
    expect(verdictByAmount(gasFeeExchange(side, 0n, 0n))).toBe('ENOUGH')
    expect([0n, 1n, 2n].map((fee) => gasFeeExchange(side, fee, 0n).amountIn)).toEqual([0n, 0n, 1n])
  })
})

test('mostUsdOf: uses the highest price that another source confirms, and ignores a single one', () => {
  const low = { source: 'low', usd: 1n }
  const [one, two] = [
    { source: 'one', usd: 100_000n },
    { source: 'two', usd: 102_000n },
  ]
  expect(mostUsdOf(1_000_000n, { decimals: 6, said: [low, one, two] })).toBe(102_000n)
  expect(mostUsdOf(1_000_000n, { decimals: 6, said: [low] })).toBeNull()
  expect(mostUsdOf(1_000_000n, { decimals: 6, said: [low, one] })).toBeNull()
  expect(mostUsdOf(1_000_000n, { decimals: null, said: [one, two] })).toBeNull()
})

test('a price below 0.0001 USD counts with the truncated digits, and a higher one as reported', () => {
  const value = (usd: bigint) =>
    mostUsdOf(1_000_000n, { decimals: 6, said: ['a', 'b'].map((name) => ({ source: name, usd })) })
  expect([value(9_998n), value(9_999n), value(10_000n)]).toEqual([9_999n, 10_000n, 10_000n])
})

test('the truncated digits of a very small price count in favour of the deposit', () => {
  // Two sources report 0.00000001 for a price of 0.0000000199. Half of the value would be lost.
  const cheap = {
    decimals: 18,
    said: [
      { source: 'a', usd: 1n },
      { source: 'b', usd: 1n },
    ],
  }
  const dollar = {
    decimals: 6,
    said: [
      { source: 'a', usd: 10n ** 8n },
      { source: 'b', usd: 10n ** 8n },
    ],
  }
  const whole = 10n ** 18n
  const selling = (amountOut: bigint) =>
    verdictByPrices({ amountIn: 10n ** 9n * whole, amountOut, shareBps: 9_700, quotedBy: 'a' }, cheap, dollar)
  const usd = (n: number) => BigInt(Math.round(n * 100)) * 10_000n
  expect(selling(usd(9.7))).toBe('UNCLEAR')
  expect(selling(usd(19.39))).toBe('UNCLEAR')
  expect(selling(usd(19.41))).toBe('ENOUGH')
  expect(selling(usd(9.69))).toBe('POOR')
  const buying = (amountOut: bigint) =>
    verdictByPrices({ amountIn: usd(10), amountOut, shareBps: 9_700, quotedBy: 'a' }, dollar, cheap)
  expect(buying(970_000_100n * whole)).toBe('ENOUGH')
  expect(buying(960_000_000n * whole)).toBe('UNCLEAR')
  expect(buying(480_000_000n * whole)).toBe('POOR')
  // Truncation must not turn a valuable amount into dust.
  expect(mostUsdOf(10n ** 6n * whole, cheap)).toBe(2n * 10n ** 6n)
})
