import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { type ChainPair, chainIds } from '../../src/domain/chain/chain'
import {
  blockFor,
  lastAnswered,
  mayProbe,
  openGate,
  type ProviderGate,
  scopeOf,
  withAnswer,
  withFailure,
  withLockOut,
  withoutWait,
  withProbeClaim,
  withWait,
} from '../../src/providers/breaker'

const [one, other, third] = [
  { fromChainId: chainIds[0]!, toChainId: chainIds[1]! },
  { fromChainId: chainIds[2]!, toChainId: chainIds[3]! },
  { fromChainId: chainIds[1]!, toChainId: chainIds[4]! },
] as const
const ofAll = { by: null, why: null }
const open = openGate('one')

test('a failing pair of chains holds back nothing else, and a response there opens it', () => {
  const shut = withFailure(open, scopeOf(one), ofAll, 5)
  expect(blockFor(shut, one, 'a')).toMatchObject({ scope: scopeOf(one), shut: { since: 5, probeAt: 10_005 } })
  expect(blockFor(shut, third, 'a')).toBeNull()
  expect(withAnswer(shut, other, 'a')).toBe(shut)
  expect(withAnswer(shut, one, 'a').shut).toEqual({})
})

test('an unreachable provider is shut for that process alone, until a second process fails too or a response arrives', () => {
  const mine = withFailure(open, 'all', { by: 'a', why: null }, 5)
  expect([blockFor(mine, one, 'a'), blockFor(mine, one, 'b')]).toMatchObject([{ scope: 'all' }, null])
  expect(withAnswer(mine, one, 'b')).toBe(mine)
  expect(withAnswer(mine, one, 'a').shut).toEqual({})
  expect(withFailure(mine, 'all', { by: 'a', why: null }, 9)).toBe(mine)
  for (const by of ['b', null])
    expect(withFailure(mine, 'all', { by, why: null }, 9).shut.all).toMatchObject({ by: null, since: 5 })
})

test('a provider is probed every ten seconds, and a pair of chains at growing intervals of up to two minutes', () => {
  const gaps = (shut: ProviderGate, scope: 'all' | ReturnType<typeof scopeOf>) => {
    let record = shut
    return Array.from({ length: 6 }, () => {
      const { probeAt } = record.shut[scope]!
      record = withProbeClaim(record, scope, probeAt)
      return (record.shut[scope]!.probeAt - probeAt) / 1_000
    })
  }
  expect(gaps(withFailure(open, 'all', ofAll, 0), 'all')).toEqual([10, 10, 10, 10, 10, 10])
  expect(gaps(withFailure(open, scopeOf(one), ofAll, 0), scopeOf(one))).toEqual([20, 40, 80, 120, 120, 120])
  expect(gaps(withLockOut(open, 0), 'all')).toEqual([20, 40, 80, 160, 300, 300])
})

test('usual requests and deposits take turns, and either takes a turn that the other missed', () => {
  const first = withFailure(open, 'all', ofAll, 0).shut.all!
  const second = withProbeClaim(withFailure(open, 'all', ofAll, 0), 'all', 0).shut.all!
  const from = (shut: typeof first, prober: 'CONTROL' | 'DEPOSIT') =>
    [0, 1_999, 2_000, 29_999, 30_000].find((late) => mayProbe(shut, prober, shut.probeAt + late))
  expect([from(first, 'CONTROL'), from(first, 'DEPOSIT')]).toEqual([0, 30_000])
  expect([from(second, 'CONTROL'), from(second, 'DEPOSIT')]).toEqual([2_000, 0])
  expect(mayProbe(first, 'CONTROL', first.probeAt - 1)).toBe(false)
  const locked = withLockOut(open, 0).shut.all!
  expect([from(locked, 'CONTROL'), from(locked, 'DEPOSIT')]).toEqual([0, 30_000])
})

test('the end of an outage opens the pairs that failed in it, and no pair that failed before', () => {
  const before = withFailure(open, scopeOf(one), ofAll, 0)
  const outage = withFailure(withFailure(before, scopeOf(other), ofAll, 100_000), 'all', ofAll, 100_010)
  expect(Object.keys(withAnswer(outage, third, 'a').shut)).toEqual([scopeOf(one)])
})

test('refused credentials are distinguished from failures, and only a response ends them', () => {
  const locked = withLockOut(withFailure(open, 'all', ofAll, 1), 7)
  expect(locked.shut.all).toMatchObject({ reason: 'LOCKED_OUT', since: 7 })
  expect([withLockOut(locked, 9), withFailure(locked, 'all', ofAll, 9)]).toEqual([locked, locked])
  expect(withAnswer(locked, null, 'a').shut).toEqual({})
  const failing = withFailure(open, 'all', ofAll, 1)
  expect(withAnswer(failing, null, 'a')).toBe(failing)
})

const anyPair = fc.record({ fromChainId: fc.constantFrom(...chainIds), toChainId: fc.constantFrom(...chainIds) })
const anyAct = fc.oneof(
  fc.record({ kind: fc.constant('fails' as const), pair: anyPair, by: fc.constantFrom('a', 'b', null) }),
  fc.record({ kind: fc.constant('answers' as const), pair: anyPair, by: fc.constantFrom('a', 'b') }),
)
const acted = (record: ProviderGate, acts: readonly { kind: string; pair: ChainPair; by: string | null }[]) =>
  acts.reduce(
    (so, { kind, pair, by }, n) =>
      kind === 'fails' ? withFailure(so, scopeOf(pair), { by, why: null }, n) : withAnswer(so, pair, by!),
    record,
  )

test('no event between pairs of chains shuts the provider, and a pair without requests stays open', () => {
  fc.assert(
    fc.property(fc.array(anyAct, { maxLength: 40 }), (acts) => {
      const { shut } = acted(open, acts)
      expect(shut.all).toBeUndefined()
      const asked = new Set<string>(acts.map(({ pair }) => scopeOf(pair)))
      expect(Object.keys(shut).filter((scope) => !asked.has(scope))).toEqual([])
    }),
  )
})

test('a response opens its pair for the process that got it', () => {
  fc.assert(
    fc.property(fc.array(anyAct, { maxLength: 40 }), anyPair, fc.boolean(), (acts, pair, isOutage) => {
      const record = acted(open, acts)
      const shut = isOutage ? withFailure(record, 'all', ofAll, 99) : record
      expect(blockFor(withAnswer(shut, pair, 'a'), pair, 'a')).toBeNull()
    }),
  )
})

test('a usual request for the whole provider goes to the open pair that responded last', () => {
  const controls = { [scopeOf(other)]: { at: 9, by: 'a', result: 'ANSWERED' as const, isOwn: false } }
  const answeredAt = new Map([[scopeOf(third), 5]])
  const all = [one, third, other]
  expect(lastAnswered({ ...open, controls }, all, answeredAt)).toEqual([other, third, one])
  expect(lastAnswered(withFailure(open, scopeOf(other), ofAll, 0), all, answeredAt)).toEqual([third, one])
})

test('the latest pairs of tokens that deposits wait for are stored', () => {
  const many = Array.from({ length: 201 }, (_, n) => n).reduce((so, n) => withWait(so, `${n}`, n), open)
  expect(Object.keys(many.waiting)).toHaveLength(200)
  expect(many.waiting['0']).toBeUndefined()
  expect(withWait(many, '7', 999)).toBe(many)
  expect(withoutWait(many, '7').waiting['7']).toBeUndefined()
  expect(withoutWait(many, 'x')).toBe(many)
})
