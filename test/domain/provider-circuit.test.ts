import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { chainIds } from '../../src/domain/chain/chain'
import {
  askAgainAt,
  closedFromStart,
  failedWith,
  onePairOfChains,
  opened,
  type ProviderCircuit,
  type ProviderRequest,
  probeAtOf,
  probeIdOf,
  probing,
  wholeProvider,
} from '../../src/domain/execution/provider-circuit'

const side = (chains: readonly number[]) =>
  fc.tuple(fc.constantFrom(...chains), fc.nat(9)).map(([chain, token]) => `${chain}:0x${token}`)
const between = (from: string, to: string): ProviderRequest => ({ id: `${from} ${to}`, from, to })
const anyRequest = fc.tuple(side(chainIds), side(chainIds)).map(([from, to]) => between(from, to))
/** A request from or to a chain. */
const requestOf = (chain: number) =>
  fc
    .tuple(side([chain]), side(chainIds), fc.boolean())
    .map(([one, other, isFrom]) => (isFrom ? between(one, other) : between(other, one)))
const lookFor = (request: ProviderRequest): ProviderRequest => ({ ...request, id: probeIdOf(request.id) })
const after = (requests: readonly ProviderRequest[], rule = wholeProvider): ProviderCircuit =>
  requests.reduce((circuit, request, n) => failedWith(circuit, request, n * 1_000, { rule }), closedFromStart('one'))

test('failures of a single chain, in any direction and of any tokens, never open the provider’s circuit', () => {
  const failures = fc.constantFrom(...chainIds).chain((chain) => fc.array(requestOf(chain), { maxLength: 40 }))
  fc.assert(fc.property(failures, (failed) => after(failed).reason === null))
})

test('three failed requests without a common chain or token open the circuit, and two never do', () => {
  const [a, b, c, d, e] = chainIds as [number, number, number, number, number]
  const [one, other, third] = [between(`${a}:0`, `${b}:0`), between(`${c}:0`, `${d}:0`), between(`${e}:0`, `${a}:0`)]
  expect(after([one, other, third]).reason).toBe('FAILING')
  fc.assert(fc.property(fc.array(anyRequest, { maxLength: 2 }), (failed) => after(failed).reason === null))
})

test('a pair of chains is blocked exactly when a deposit and a probe both failed there, in either order', () => {
  const failures = fc.array(fc.tuple(anyRequest, fc.boolean()), { maxLength: 15 })
  fc.assert(
    fc.property(failures, (failed) => {
      const requests = failed.map(([request, isLook]) => (isLook ? lookFor(request) : request))
      const isBoth = failed.some(([, isLook]) => isLook) && failed.some(([, isLook]) => !isLook)
      return (after(requests, onePairOfChains).reason === 'FAILING') === isBoth
    }),
  )
})

test('failures older than the rule’s window do not open the circuit', () => {
  const request = between('1:0', '2:0')
  const before = failedWith(closedFromStart('one'), request, 0, { rule: onePairOfChains })
  const later = onePairOfChains.lateMs
  expect(failedWith(before, lookFor(request), later - 1, { rule: onePairOfChains }).reason).toBe('FAILING')
  expect(failedWith(before, lookFor(request), later, { rule: onePairOfChains }).reason).toBeNull()
})

test('a pair of chains is probed less and less often, down to every two minutes, and a provider every ten seconds', () => {
  const pausesOf = (rule: typeof wholeProvider): number[] => {
    let circuit = opened(closedFromStart('one'), 'FAILING', 0)
    return Array.from({ length: 6 }, () => {
      const at = circuit.probeAt
      circuit = probing(circuit, between('1:0', '2:0'), at, rule)
      return (circuit.probeAt - at) / 1_000
    })
  }
  expect(pausesOf(onePairOfChains)).toEqual([20, 40, 80, 120, 120, 120])
  expect(pausesOf(wholeProvider)).toEqual([10, 10, 10, 10, 10, 10])
})

test('probes test a blocked pair of chains first, and deposits wait only for the probe', () => {
  const rule = onePairOfChains
  const failures = fc.array(anyRequest, { minLength: 1, maxLength: 30 })
  const lateMs = fc.nat(2 * rule.looksFirstMs)
  fc.assert(
    fc.property(failures, anyRequest, lateMs, (failed, request, late) => {
      const open = after([...failed, lookFor(failed[0]!)], rule)
      const [now, isLate] = [open.probeAt + late, late >= rule.looksFirstMs]
      expect(probeAtOf(open, lookFor(request), rule)).toBe(open.probeAt)
      expect(probeAtOf(open, request, rule) <= now).toBe(isLate)
      if (!isLate) expect(askAgainAt(open, request, now, rule) - now).toBeWithin(1, 2_001)
      expect(askAgainAt(open, request, open.probeAt - 5_000, rule)).toBe(open.probeAt + 2_000)
    }),
  )
})
