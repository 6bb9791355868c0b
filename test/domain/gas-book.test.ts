import { expect, test } from 'bun:test'
import {
  costOfKind,
  emptyGasRecord,
  type GasRecord,
  isMeasured,
  isUnusual,
  likeOf,
  type MeasuredGas,
  withMeasured,
} from '../../src/domain/money/gas'

const now = 1_800_000_000_000
const kind = 'USDC later by lifi to WETH'
const measured = (change: Partial<MeasuredGas> = {}): MeasuredGas => ({
  ...{ kind, gas: 100_000n, costWei: 1_000_000n, extraWei: 0n },
  ...change,
})
const recordOf = (...all: [MeasuredGas, number][]): GasRecord =>
  all.reduce((record, [each, at]) => withMeasured(record, each, at) ?? record, emptyGasRecord('gas'))

test('a price counts once in five seconds', () => {
  const record = recordOf([measured(), now])
  expect(record).toEqual({
    ...{ id: 'gas', version: 0, prices: [{ weiPerGas: '10', at: now }] },
    kinds: [{ kind, gas: '100000', extraWei: '0', at: now }],
  })
  expect(withMeasured(record, measured(), now + 4_999)).toBeNull()
  expect(withMeasured(record, measured(), now + 5_000)!.prices.length).toBe(2)
  expect(withMeasured(record, measured({ kind: 'other' }), now + 1)!.prices.length).toBe(1)
})

test('a kind is written again after 30 seconds, or if a figure differs by more than a hundredth', () => {
  const record = recordOf([measured({ extraWei: 1_000n }), now])
  const written = (change: Partial<MeasuredGas>, ms: number) =>
    withMeasured(record, measured({ extraWei: 1_000n, ...change }), now + ms)?.kinds[0]?.at === now + ms
  expect([written({}, 4_999), written({}, 29_999), written({}, 30_000)]).toEqual([false, false, true])
  const gas = [98_999n, 99_000n, 101_000n, 101_001n].map((each) => written({ gas: each }, 1))
  expect(gas).toEqual([true, false, false, true])
  const extra = [989n, 990n, 1_010n, 1_011n].map((extraWei) => written({ extraWei }, 1))
  expect(extra).toEqual([true, false, false, true])
})

test('a measurement replaces the earlier one of its kind, and a route of no kind leaves only its price', () => {
  const record = recordOf(
    [measured(), now],
    [measured({ kind: 'other' }), now],
    [measured({ gas: 200_000n }), now + 6_000],
  )
  expect(record.kinds.map((each) => [each.kind, each.gas])).toEqual([
    ['other', '100000'],
    [kind, '200000'],
  ])
  expect(recordOf([measured({ kind: null }), now]).kinds).toEqual([])
  expect(recordOf([measured({ gas: 0n }), now]).prices[0]!.weiPerGas).toBe('0')
  expect(recordOf([measured({ gas: 1n }), now]).prices[0]!.weiPerGas).toBe('1000000')
})

test('nine prices and 300 kinds are stored, the newest last', () => {
  const all = Array.from({ length: 301 }, (_, n): [MeasuredGas, number] => [
    measured({ kind: `k${n}`, costWei: BigInt(n) * 100_000n }),
    now + n * 5_000,
  ])
  const { prices, kinds } = recordOf(...all)
  expect(prices.map(({ weiPerGas }) => weiPerGas)).toEqual(Array.from({ length: 9 }, (_, n) => String(292 + n)))
  expect([kinds.length, kinds[0]!.kind, kinds.at(-1)!.kind]).toEqual([300, 'k1', 'k300'])
})

test('gas is unusual above three times the median of at least five prices', () => {
  const record = (...prices: number[]): GasRecord => ({
    ...emptyGasRecord('gas'),
    prices: prices.map((each) => ({ weiPerGas: String(each), at: now })),
  })
  const at = (price: number) => measured({ gas: 1n, costWei: BigInt(price) })
  expect(isUnusual(record(1, 1, 1, 1), at(1_000))).toBe(false)
  const five = record(50, 9, 10, 100, 11)
  expect([isUnusual(five, at(33)), isUnusual(five, at(34))]).toEqual([false, true])
  const six = record(9, 50, 10, 100, 11, 20)
  expect([isUnusual(six, at(60)), isUnusual(six, at(61))]).toEqual([false, true])
})

const week = 7 * 24 * 60 * 60_000
const measuredAt = (at: number, ...kinds: [string, number][]): GasRecord => ({
  ...emptyGasRecord('gas'),
  kinds: kinds.map(([name, gas]) => ({ kind: name, gas: String(gas), extraWei: '7', at })),
})
const cost = (record: GasRecord, of = kind) => costOfKind(record, of, 2n, now)

test('a measurement is used for less than a week', () => {
  const [young, old] = [measuredAt(now - week + 1, [kind, 10]), measuredAt(now - week, [kind, 10])]
  expect([isMeasured(young, kind, now), isMeasured(old, kind, now)]).toEqual([true, false])
  expect([isMeasured(young, `${kind}2`, now)]).toEqual([false])
  expect([cost(young), cost(old)]).toEqual([27n, null])
})

test('the most similar measured kind replaces an unmeasured one: another target, then deployment, then provider', () => {
  const target: [string, number] = ['USDC later by lifi to AAVE', 100_000]
  const first: [string, number] = ['USDC first by lifi to WETH', 200_000]
  const provider: [string, number] = ['USDC later by relay to WETH', 300_000]
  expect(cost(measuredAt(now, [kind, 150_000], target, first, provider))).toBe(300_007n)
  expect(cost(measuredAt(now, target, first))).toBe(200_007n)
  // An account's first route uses 61,000 gas more.
  expect(cost(measuredAt(now, first))).toBe(278_007n)
  expect(cost(measuredAt(now, ['USDC later by lifi to WETH', 200_000]), 'USDC first by lifi to X')).toBe(522_007n)
  expect(cost(measuredAt(now, ['USDC first by lifi to WETH', 60_000]))).toBe(7n)
  expect(cost(measuredAt(now, ['USDC first by lifi to WETH', 61_001]))).toBe(9n)
  expect(cost(measuredAt(now, provider))).toBe(600_007n)
  expect(cost(measuredAt(now, ['DAI later by lifi to WETH', 1]))).toBeNull()
  expect(cost(measuredAt(now))).toBeNull()
})

test('of several similar measurements, the one with the most others within a twentieth counts, and then the cheapest', () => {
  const of = (...gas: number[]) =>
    cost(measuredAt(now, ...gas.map((each, n): [string, number] => [`USDC later by lifi to T${n}`, each])))
  expect(of(5_000, 100_000, 104_000, 96_000)).toBe(200_007n)
  expect(of(300, 100, 200)).toBe(207n)
  // Exactly a twentieth is near, in both directions.
  expect(of(1_000, 1_010, 2_000, 2_100, 1_900)).toBe(4_007n)
  expect(of(1_000, 2_000, 2_106, 1_899)).toBe(2_007n)
})

test('of measurements with equal gas, the older one counts', () => {
  const kinds = [7, 8, 9].map((extra, n) => ({
    ...{ kind: `USDC later by lifi to T${n}`, gas: '100', extraWei: String(extra), at: now },
  }))
  expect(cost({ ...emptyGasRecord('gas'), kinds })).toBe(207n)
})

test('kinds that differ only in provider and target share a part', () => {
  expect(likeOf(kind)).toBe('USDC later')
  expect(likeOf('PLAIN')).toBe('PLAIN')
})
