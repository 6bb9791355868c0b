import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { chainIds, chains } from '../../src/domain/chain/chain'
import { type ErrorCode, RoutingError } from '../../src/domain/error'
import { ProviderFailsBetween, ProviderUnavailable } from '../../src/domain/unavailable'
import type { Blame, Gate, RouteRequest } from '../../src/ports/gate'
import { bestQuote } from '../../src/routing/pricing/quotes'
import { believing } from '../support/appraisers'
import { addressOf } from '../support/deposits'
import { sample } from '../support/depth'
import { openGate } from '../support/gates'
import { endings, minute, ofEveryPair, processes, usualTokens, waitedMinutes } from '../support/outage'
import { testAll } from '../support/test-all'

const signal = new AbortController().signal
/** What a chain costs grows with the square of the deposits, so the outage of four hours is for the night. */
const hours = sample('lengths of an outage', [1, 4], 1).at(-1)! * 60 * minute
const everyMs = 30_000
const { id: failing } = chains.avalanche
const isOn =
  (...ids: number[]) =>
  ({ fromChainId, toChainId }: RouteRequest): boolean =>
    ids.includes(fromChainId) || ids.includes(toChainId)
/** Who is at fault where a deposit gets no answer; HELD while its provider gets no requests. */
async function faultOf(worker: Gate, request: RouteRequest): Promise<Blame | 'HELD' | null> {
  try {
    await worker.quote(request, signal)
    return null
  } catch (error) {
    return error instanceof ProviderUnavailable ? 'HELD' : await worker.blame(request, error)
  }
}
const nth = (isWanted: (request: RouteRequest) => boolean, n: number): RouteRequest =>
  Array.from({ length: 80 }, (_, place) => ofEveryPair(place)).filter(isWanted)[n]!

/** Two chains that fail together can look like a whole outage at first, for less than a minute. */
const outages = [1, 3, 10].flatMap((count): [string, number, ErrorCode, number[], minutes: number][] => [
  ['for one chain', count, 'PROVIDER_FAILED', [failing], 0],
  ['for two chains', count, 'PROVIDER_FAILED', [failing, chains.polygon.id], 1],
  ['in time for one chain', count, 'PROVIDER_TIMEOUT', [failing], 0],
])
testAll(sample('outages of one or two chains', outages, 3))(
  'no deposit spends a retry during hours of provider failures on one chain, and deposits of other chains do not wait',
  async (_, count, code, ids, minutes) => {
    const isHit = isOn(...ids)
    const outage = await endings(count, { code, from: 0, to: hours, isHit }, hours / everyMs, {
      everyMs,
      requestOf: ofEveryPair,
    })
    const waits = outage.ended.flatMap(({ history }, n) =>
      isHit(ofEveryPair(n)) ? [] : [{ from: n * everyMs, to: history.at(-1)!.at }],
    )
    expect(waitedMinutes(waits)).toBeLessThanOrEqual(minutes)
    expect([outage.dead, outage.retries]).toEqual([0, 0])
    if (minutes === 0) expect(outage.told).toEqual([])
    // Each deposit makes one request, and each failing pair of chains is probed every two minutes.
    const pairs = chainIds.length ** 2 - (chainIds.length - ids.length) ** 2 - ids.length
    expect(outage.calls).toBeLessThan(hours / everyMs + pairs * (hours / minute / 2 + 10) + 100)
  },
)

/** A provider that fails for a chain, after one deposit and the following usual request have shown it. */
async function found(count = 1, code: ErrorCode = 'PROVIDER_FAILED') {
  const world = processes(count, { code, from: 0, to: 60 * minute, isHit: isOn(failing) })
  const deposit = nth(isOn(failing), 0)
  return { ...world, deposit, fault: await faultOf(world.workers[0]!, deposit) }
}

test('a deposit waits while its provider fails on its chain alone, and the error and the health name that chain', async () => {
  const { workers, deposit, fault, clock } = await found(2)
  expect(fault).toBe('PROVIDER')
  for (const worker of workers) {
    const error = await worker.quote(deposit, signal).catch((met) => met)
    expect(error).toBeInstanceOf(ProviderFailsBetween)
    expect(error.why).toMatch(/^It failed from .*Avalanche.* and is skipped there for now\.$/)
    const { fromChainId, toChainId } = deposit
    expect(await worker.health()).toMatchObject({
      breaker: 'CLOSED',
      isAway: false,
      failsBetween: [{ fromChainId, toChainId, since: clock.at }],
    })
  }
})

test('a chain’s recovery is noticed without a deposit, and probing then stops', async () => {
  const { workers, deposit, clock, calls } = await found()
  for (; clock.at < 63 * minute; clock.at += 2_000) await workers[0]!.probe()
  expect(await workers[0]!.health()).toMatchObject({ healthy: true, failsBetween: [] })
  const before = calls()
  for (; clock.at < 80 * minute; clock.at += 2_000) await workers[0]!.probe()
  expect(calls()).toBe(before)
  expect(await workers[0]!.quote(deposit, signal)).toBeNull()
})

test('failures of one chain never shut the whole provider, and other chains are served', async () => {
  const asking = fc.array(
    fc.record({ n: fc.nat(79), worker: fc.nat(2), isProbe: fc.boolean(), laterMs: fc.nat(20_000) }),
    {
      maxLength: 60,
    },
  )
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...chainIds), asking, async (chain, requests) => {
      const isHit = isOn(chain)
      const { workers, clock, records, told } = processes(3, { code: 'PROVIDER_FAILED', from: 0, to: Infinity, isHit })
      for (const { n, worker, isProbe, laterMs } of requests) {
        const request = ofEveryPair(n)
        const one = workers[worker]!
        if (isProbe) await one.probe()
        else if (isHit(request)) await faultOf(one, request)
        else expect(await one.quote(request, signal)).toBeNull()
        clock.at += laterMs
      }
      expect(told).toEqual([])
      expect(records.get('one')?.shut.all).toBeUndefined()
    }),
  )
})

test('when the whole provider is unreachable, its first response also opens the pair of chains', async () => {
  const { workers, clock, deposit, records } = await found()
  const all = { reason: 'FAILING', why: null, since: 0, probeAt: 0, probes: 1, by: null } as const
  records.change('one', { shut: { ...records.get('one').shut, all } })
  clock.at = 61 * minute
  expect(await workers[0]!.quote(deposit, signal)).toBeNull()
  expect(records.get('one').shut).toEqual({})
})

const oddOf = (n: number): RouteRequest => {
  const [from, to] = [chains.base.id, chains.ethereum.id]
  const toToken = usualTokens.findBySymbol(to, 'USDC')!.address
  return { ...ofEveryPair(0), fromChainId: from, fromToken: addressOf(0xbad00 + n), toChainId: to, toToken }
}
const isOdd = ({ fromToken }: RouteRequest): boolean =>
  Array.from({ length: 60 }, (_, n) => oddOf(n).fromToken).includes(fromToken)

test('a failed usual request between two chains holds up the other deposits for one pause, however many odd tokens fail there', async () => {
  let isControlHit = true
  const isHit = (request: RouteRequest) => isOdd(request) || (isControlHit && request.toChainId === chains.ethereum.id)
  const { workers, clock } = processes(1, { code: 'PROVIDER_FAILED', from: 0, to: Infinity, isHit })
  const [worker] = workers as [(typeof workers)[0]]
  const usual = { ...oddOf(0), fromToken: usualTokens.findBySymbol(chains.base.id, 'USDC')!.address }
  expect(await faultOf(worker, oddOf(0))).toBe('PROVIDER')
  isControlHit = false
  const waits = async () => (await worker.quote(usual, signal).catch((error) => error)) instanceof ProviderFailsBetween
  expect(await waits()).toBe(true)
  for (let n = 1; clock.at < 10_000; clock.at += 250, n++) await worker.quote(oddOf(n), signal).catch(() => {})
  await worker.probe()
  expect(await waits()).toBe(false)
})

/** Keeps requesting an odd token between two chains while others fail. */
async function oddBeside(ids: readonly number[], waitingSince: number | null, others: (n: number) => RouteRequest) {
  const isHit = (request: RouteRequest) => isOdd(request) || isOn(...ids)(request)
  const { workers, clock } = processes(1, { code: 'PROVIDER_FAILED', from: 0, to: Infinity, isHit })
  const [worker] = workers as [(typeof workers)[0]]
  const requester = { id: 'deposit', organizationId: 'org', purpose: 'DEPOSIT' as const, waitingSince }
  const ask = async (request: RouteRequest) => (await faultOf(worker, { ...request, requester })) === 'REQUEST'
  let retries = 0
  for (let n = 0; clock.at < 30 * minute; clock.at += 10_000, n++) {
    await worker.probe()
    await ask(others(n))
    if (await ask(oddOf(0))) retries += 1
  }
  return retries
}

const twoChains = [chains.polygon.id, chains.avalanche.id]
test('an odd token spends its retries while the provider fails for two other chains', async () => {
  expect(await oddBeside(twoChains, null, ofEveryPair)).toBeGreaterThan(40)
})

test('an odd token spends its retries after a quarter of an hour without deposits of the failing chains', async () => {
  const wellOnly = (n: number) => nth((one) => !isOn(...twoChains)(one), n % 20)
  expect(await oddBeside(twoChains, 0, wellOnly)).toBeGreaterThan(40)
})

test('a deposit waits up to fifteen minutes while no usual request can be sent', async () => {
  const failed = new RoutingError('PROVIDER_FAILED')
  const gate = openGate({ name: 'one', quote: () => Promise.reject(failed) }, 'UNKNOWN')
  const now = 15 * minute
  const quoting = { aggregators: [gate], prices: { usd: async () => 1n }, appraiser: believing, quoteTimeoutMs: 8_000 }
  const asked = (waitingSince: number | null, purpose: 'DEPOSIT' | 'PREVIEW' = 'DEPOSIT') => {
    const requester = { id: 'deposit', organizationId: 'org', purpose: 'DEPOSIT' as const, waitingSince }
    return bestQuote({ ...ofEveryPair(0), requester }, { ...quoting, purpose, now: () => now }).catch((error) => error)
  }
  expect(await asked(null)).toBeInstanceOf(ProviderUnavailable)
  expect(await asked(1)).toBeInstanceOf(ProviderUnavailable)
  expect(await asked(0)).toBe(failed)
  expect(await asked(1, 'PREVIEW')).toBe(failed)
})
