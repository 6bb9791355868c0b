import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { providerCheck } from '../../src/adapters/aggregators/provider-check'
import { providerProbe } from '../../src/adapters/aggregators/provider-probe'
import { chainIds, chains } from '../../src/domain/chain/chain'
import { type ErrorCode, RoutingError } from '../../src/domain/error'
import { ProviderFailsBetween, ProviderRateLimited, ProviderUnavailable } from '../../src/domain/unavailable'
import type { RouteRequest } from '../../src/ports/aggregator'
import { addressOf } from '../support/deposits'
import { sample } from '../support/depth'
import { endings, minute, ofEveryPair, processes, usualTokens, waitedMinutes } from '../support/outage'
import { testAll } from '../support/test-all'

const signal = new AbortController().signal
/** What a chain costs grows with the square of the deposits, so the outage of four hours is for the night. */
const hours = sample([1, 4], 1).at(-1)! * 60 * minute
const everyMs = 30_000
const { id: failing } = chains.avalanche
const isOn =
  (...ids: number[]) =>
  ({ fromChainId, toChainId }: RouteRequest): boolean =>
    ids.includes(fromChainId) || ids.includes(toChainId)
const nth = (isWanted: (request: RouteRequest) => boolean, n: number): RouteRequest =>
  Array.from({ length: 80 }, (_, place) => ofEveryPair(place)).filter(isWanted)[n]!

/** Two chains that fail together can look like a whole outage at first, for less than a minute. */
const outages = [1, 3, 10].flatMap((count): [string, number, ErrorCode, number[], minutes: number][] => [
  ['for one chain', count, 'PROVIDER_FAILED', [failing], 0],
  ['for two chains', count, 'PROVIDER_FAILED', [failing, chains.polygon.id], 1],
  ['in time for one chain', count, 'PROVIDER_TIMEOUT', [failing], 0],
])
testAll(sample(outages, 3))(
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

/** A provider that fails for a chain, detected by one deposit and the probe that follows. */
async function found(count = 1, code: ErrorCode = 'PROVIDER_FAILED') {
  const world = processes(count, { code, from: 0, to: 60 * minute, isHit: isOn(failing) })
  const ports = { tokens: usualTokens, quoteTimeoutMs: 8_000, now: () => world.clock.at }
  const isAway = world.workers.map((one) => providerCheck({ ...ports, providers: [one] }))
  const beats = world.workers.map((one) => providerProbe({ ...ports, providers: [one] }))
  const deposit = nth(isOn(failing), 0)
  await world.workers[0]!.quote(deposit, signal).catch(() => {})
  const away = await isAway[0]!('one', deposit)
  return { ...world, deposit, away, isAway, beats }
}

test('a deposit on a chain that its provider fails for waits, and the provider’s error and health state the reason', async () => {
  const { workers, deposit, away, clock } = await found(2)
  expect(away).toBe(true)
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

test('the return of a chain is detected without deposits, and its probes stop then', async () => {
  const { workers, deposit, beats, clock, calls } = await found()
  for (; clock.at < 63 * minute; clock.at += 2_000) for (const beat of beats) await beat()
  expect(await workers[0]!.health()).toMatchObject({ healthy: true, failsBetween: [] })
  const before = calls()
  for (; clock.at < 80 * minute; clock.at += 2_000) for (const beat of beats) await beat()
  expect(calls()).toBe(before)
  expect(await workers[0]!.quote(deposit, signal)).toBeNull()
})

test('the failures of one chain never open the provider’s own circuit, and other chains are served', async () => {
  const asking = fc.array(
    fc.record({ n: fc.nat(79), worker: fc.nat(2), isLook: fc.boolean(), laterMs: fc.nat(20_000) }),
    {
      maxLength: 60,
    },
  )
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...chainIds), asking, async (chain, requests) => {
      const isHit = isOn(chain)
      const { workers, clock, circuits, told } = processes(3, { code: 'PROVIDER_FAILED', from: 0, to: Infinity, isHit })
      for (const { n, worker, isLook, laterMs } of requests) {
        const request = ofEveryPair(n)
        const one = workers[worker]!
        if (isLook) await one.look(request, signal)
        else {
          const said = await one.quote(request, signal).catch((error: unknown) => error)
          if (!isHit(request)) expect(said).toBeNull()
        }
        clock.at += laterMs
      }
      expect(told).toEqual([])
      expect(circuits.get('one')?.reason ?? null).toBeNull()
    }),
  )
})

test('the first response after a whole outage also closes the circuit of the pair of chains', async () => {
  const { workers, clock, deposit, circuits } = await found()
  const others = [0, 1, 2].map((n) => nth((one) => !isOn(failing)(one), n))
  expect(others).toHaveLength(3)
  const id = `one from ${deposit.fromChainId} to ${deposit.toChainId}`
  circuits.change('one', { reason: 'FAILING', probeAt: 0, since: 0 })
  clock.at = 61 * minute
  expect(await workers[0]!.quote(deposit, signal)).toBeNull()
  expect(circuits.get('one').reason).toBeNull()
  expect(circuits.get(id).reason).toBeNull()
})

test('an unusual token that fails does not block its pair of chains, and its failures count', async () => {
  const odd = { ...nth(isOn(failing), 0), fromToken: addressOf(0x0dd) }
  const isHit = ({ fromToken }: RouteRequest) => fromToken === odd.fromToken
  const { workers, clock, calls } = processes(1, { code: 'PROVIDER_FAILED', from: 0, to: Infinity, isHit })
  const [worker] = workers as [(typeof workers)[0]]
  const ports = { providers: [worker], tokens: usualTokens, quoteTimeoutMs: 8_000, now: () => clock.at }
  const isAway = providerCheck(ports)
  let looks = 0
  for (; clock.at < 10 * minute; clock.at += 1_000) {
    await worker.quote(odd, signal).catch(() => {})
    const before = calls()
    expect(await isAway('one', odd)).toBe(false)
    looks += calls() - before
  }
  expect(looks).toBeLessThanOrEqual(2 * 6 * 10)
  expect(await worker.health()).toMatchObject({ failsBetween: [], breaker: 'CLOSED' })
})

const oddOf = (n: number): RouteRequest => {
  const [from, to] = [chains.base.id, chains.ethereum.id]
  const toToken = usualTokens.findBySymbol(to, 'USDC')!.address
  return { ...ofEveryPair(0), fromChainId: from, fromToken: addressOf(0xbad00 + n), toChainId: to, toToken }
}
const isOdd = ({ fromToken }: RouteRequest): boolean =>
  Array.from({ length: 60 }, (_, n) => oddOf(n).fromToken).includes(fromToken)

test('any number of failing odd tokens between two chains delays others by one pause after one failed probe', async () => {
  let isLookHit = true
  const isHit = (request: RouteRequest) => isOdd(request) || isLookHit
  const { workers, clock } = processes(1, { code: 'PROVIDER_FAILED', from: 0, to: Infinity, isHit })
  const [worker] = workers as [(typeof workers)[0]]
  const usual = { ...oddOf(0), fromToken: usualTokens.findBySymbol(chains.base.id, 'USDC')!.address }
  const beat = providerProbe({ providers: [worker], tokens: usualTokens, quoteTimeoutMs: 8_000, now: () => clock.at })
  await worker.quote(oddOf(0), signal).catch(() => {})
  expect(await worker.look(usual, signal)).toBe('FAILS')
  isLookHit = false
  const waits = async () => (await worker.quote(usual, signal).catch((error) => error)) instanceof ProviderFailsBetween
  expect(await waits()).toBe(true)
  for (let n = 1; clock.at <= 10_000; clock.at += 250, n++) await worker.quote(oddOf(n), signal).catch(() => {})
  await beat()
  expect(await waits()).toBe(false)
})

/** Keeps requesting an odd token between two chains while others fail. */
async function oddBeside(ids: readonly number[], waitingSince: number | null, others: (n: number) => RouteRequest) {
  const isHit = (request: RouteRequest) => isOdd(request) || isOn(...ids)(request)
  const { workers, clock } = processes(1, { code: 'PROVIDER_FAILED', from: 0, to: Infinity, isHit })
  const [worker] = workers as [(typeof workers)[0]]
  const ports = { providers: [worker], tokens: usualTokens, quoteTimeoutMs: 8_000, now: () => clock.at }
  const [isAway, beat] = [providerCheck(ports), providerProbe(ports)]
  const asker = { id: 'deposit', organizationId: 'org', purpose: 'DEPOSIT' as const, waitingSince }
  const ask = async (request: RouteRequest): Promise<boolean> => {
    const error = await worker.quote(request, signal).catch((met) => met)
    return error !== null && !(error instanceof ProviderUnavailable) && !(await isAway('one', { ...request, asker }))
  }
  let retries = 0
  for (let n = 0; clock.at < 30 * minute; clock.at += 10_000, n++) {
    await beat()
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

test('a deposit whose health probe is rate limited waits up to 15 minutes', async () => {
  const { workers, clock } = processes(1, { code: 'PROVIDER_FAILED', from: 0, to: 0 })
  const [worker] = workers as [(typeof workers)[0]]
  const provider = { ...worker, look: async () => 'UNKNOWN' as const }
  const isAway = providerCheck({
    providers: [provider],
    tokens: usualTokens,
    quoteTimeoutMs: 8_000,
    now: () => clock.at,
  })
  const deposit = (waitingSince: number | null): RouteRequest => ({
    ...ofEveryPair(0),
    asker: { id: 'deposit', organizationId: 'org', purpose: 'DEPOSIT', waitingSince },
  })
  expect(await isAway('one', deposit(null))).toBe(true)
  clock.at = 15 * minute
  expect(await isAway('one', deposit(1))).toBe(true)
  expect(await isAway('one', deposit(0))).toBe(false)
})

test('a probe distinguishes a limit, a failing provider and a refusing one', async () => {
  const world = processes(1, { code: 'PROVIDER_FAILED', from: 0, to: 0 })
  let error: unknown = new ProviderRateLimited('one', 1_000, 1_000)
  const one = world.start(0, async () => {
    throw error
  })
  const look = () => one.look(ofEveryPair(0), signal)
  expect(await look()).toBe('UNKNOWN')
  error = new RoutingError('PROVIDER_REFUSED')
  expect(await look()).toBe('WELL')
  error = new RoutingError('PROVIDER_FAILED')
  expect(await look()).toBe('FAILS')
})
