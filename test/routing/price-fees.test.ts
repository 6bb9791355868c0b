import { expect, test } from 'bun:test'
import { RoutingError } from '../../src/domain/error'
import type { Execution, Facts } from '../../src/domain/execution/execution'
import { providerCodes } from '../../src/domain/execution/retry'
import { defaultPolicy, type Route } from '../../src/domain/execution/route'
import {
  ProviderPaused,
  ProviderRateLimited,
  ProviderUnavailable,
  RouteStopped,
  WorthUnknown,
} from '../../src/domain/unavailable'
import type { Acceptance, Chains } from '../../src/ports/chain-client'
import type { RouteRequest } from '../../src/ports/gate'
import type { OrderSigner, Relayers } from '../../src/ports/signer'
import { priceFees } from '../../src/routing/steps/price-fees'
import { believing } from '../support/appraisers'
import { executionOf } from '../support/deposits'
import { openGate } from '../support/gates'
import { unknownGas } from '../support/route-gas'
import { seals } from '../support/seals'
import { intent, order } from '../support/world'

const routeOf = (provider: string, { amountIn }: Pick<RouteRequest, 'amountIn'>): Route => ({
  provider,
  kind: 'BRIDGE',
  amountIn: String(amountIn),
  amountOutExpected: '900',
  amountOutMin: '900',
  expectedSeconds: 1,
  hops: 1,
  slippageBps: 0,
  reference: null,
  quotedAt: 0,
  call: { target: order.target, spender: order.spender, data: '0x01020304', nativeFee: '0' },
})

/** Providers by name. The chain would refuse the offers of those in `reverting`. */
function world(
  names: string[],
  reverting: string[],
  code: 'SIMULATION_REVERTED' | 'RPC_TIMEOUT' = 'SIMULATION_REVERTED',
  gas: Record<string, bigint> = {},
  stopped: string[] = [],
  {
    nativeFee = '0',
    sponsoredGas = true,
    said = async (): Promise<Acceptance> => 'ACCEPTED',
    silent = null as Error | null,
  } = {},
) {
  const drafted: string[] = []
  const offerOf = (name: string, request: Pick<RouteRequest, 'amountIn'>) => {
    const route = routeOf(name, request)
    return { ...route, call: { ...route.call!, nativeFee } }
  }
  const quote = async (name: string, request: RouteRequest) => {
    if (silent && name !== names[0]) throw silent
    return offerOf(name, request)
  }
  const aggregators = names.map((name) => openGate({ name, quote: (request) => quote(name, request) }))
  let last = ''
  const chain = {
    chainId: 8453,
    head: async () => ({ number: 1, hash: '0x', time: 1 }),
    estimate: async () => {
      if (stopped.includes(last)) throw new RouteStopped()
      if (reverting.includes(last)) throw new RoutingError(code)
      return { gasLimit: gas[last] ?? 100n, costWei: 1n }
    },
    acceptance: said,
  }
  const signer = {
    draft: async ({ facts }: Execution) => {
      last = facts.route!.provider
      drafted.push(last)
      return order
    },
  }
  const step = priceFees({
    chains: { 8453: chain } as unknown as Chains,
    signer: signer as unknown as OrderSigner,
    relayers: { forRoute: () => ({ id: 'key', address: order.target }) } as unknown as Relayers,
    seals,
    quoting: {
      aggregators,
      prices: { usd: async () => 10n ** 8n },
      appraiser: believing,
      quoteTimeoutMs: 1_000,
      now: () => 1,
    },
    mayForgiveGas: async () => false,
    routeGas: unknownGas,
    now: () => 1,
  })
  const facts = {
    intent: { ...intent, sponsoredGas },
    routeId: order.routeId,
    policy: defaultPolicy,
    balance: { totalReceivedRaw: '1000', block: 1 },
  }
  const run = (first = names[0]!, amountIn = 990n, more: Facts = {}) =>
    step(executionOf(1, { facts: { ...facts, route: offerOf(first, { amountIn }), ...more } }))
  return { drafted, run }
}

test('the next provider is queried if the chain would refuse the best provider’s route', async () => {
  const { run, drafted } = world(['a', 'b', 'c'], ['a', 'b'])
  expect(await run()).toMatchObject({ type: 'fees priced', facts: { route: { provider: 'c' } } })
  expect(drafted).toEqual(['a', 'b', 'c'])
})

test('the chain’s refusal is the result if it accepts no provider’s route', async () => {
  expect(world(['a', 'b'], ['a', 'b']).run()).rejects.toMatchObject({ code: 'SIMULATION_REVERTED' })
  expect(world(['a'], ['a']).run()).rejects.toMatchObject({ code: 'SIMULATION_REVERTED' })
})

test('the chain’s refusal of one route does not end a deposit while another provider is shut, fails or is paused', async () => {
  const met = (silent: Error, stopped: string[] = []) =>
    world(['a', 'b'], ['a'], undefined, {}, stopped, { silent })
      .run()
      .catch((error) => (error instanceof ProviderPaused ? 'paused' : (error.code ?? error.waitingFor)))
  expect(await met(new ProviderUnavailable('b', 1_000))).toBe('PROVIDER')
  expect(await met(new ProviderRateLimited('b', 1_000, 1_000))).toBe('PROVIDER')
  expect(await met(new RoutingError('PROVIDER_REFUSED'))).toBe('SIMULATION_REVERTED')
  for (const code of providerCodes) expect(await met(new RoutingError(code))).toBe(code)
  expect(await met(new ProviderPaused())).toBe('paused')
  // The alarm of a stopped contract of ours stays.
  expect(await met(new ProviderUnavailable('b', 1_000), ['a'])).toBe('UNEXPECTED')
})

test('a deposit whose token’s issuer has stopped it waits without a retry, and ends for any other reason of the chain', async () => {
  const refused = (said: () => Promise<Acceptance>, code?: 'RPC_TIMEOUT') =>
    world(['a', 'b'], ['a', 'b'], code, {}, [], { said })
      .run()
      .catch((error) => error.code ?? error.waitingFor)
  expect(await refused(async () => 'PAUSED')).toMatchObject({ waitingFor: 'TOKEN' })
  const others = ['ACCEPTED', 'UNTRIED', 'BLOCKED', 'REFUSED'] as const
  const ended = await Promise.all(others.map((said) => refused(async () => said)))
  expect(new Set(ended)).toEqual(new Set(['SIMULATION_REVERTED']))
  expect(await refused(() => Promise.reject(new RoutingError('RPC_TIMEOUT')))).toBe('NODE')
  expect(await refused(async () => 'PAUSED', 'RPC_TIMEOUT')).toBe('NODE')
})

test('a route stopped by a holder on the chain is replaced by another, or else the deposit waits', async () => {
  const stopped = (names: string[], reverting: string[], rules: string[]) =>
    world(names, reverting, undefined, {}, rules).run()
  expect(await stopped(['a', 'b'], [], ['a'])).toMatchObject({ facts: { route: { provider: 'b' } } })
  // It also waits without a retry if the other routes fail, in any order.
  expect(stopped(['a'], [], ['a'])).rejects.toMatchObject({ code: 'UNEXPECTED' })
  expect(stopped(['a', 'b'], ['b'], ['a'])).rejects.toMatchObject({ code: 'UNEXPECTED' })
  expect(stopped(['a', 'b'], ['a'], ['b'])).rejects.toMatchObject({ code: 'UNEXPECTED' })
  expect(world(['a', 'b'], ['b'], 'RPC_TIMEOUT', {}, ['a']).run()).rejects.toMatchObject({ code: 'UNEXPECTED' })
})

test('an unreachable node is no reason to drop a provider', async () => {
  const { run, drafted } = world(['a', 'b'], ['a'], 'RPC_TIMEOUT')
  await run().catch(() => {})
  expect(new Set(drafted)).toEqual(new Set(['a']))
})

test('a route that no node runs for ten minutes keeps its wait, and its alert, while no other route passes', async () => {
  const others = [new WorthUnknown('x'), new ProviderUnavailable('b', 1_000), new ProviderPaused()]
  const met = others.map((silent) =>
    world(['a', 'b'], ['a'], 'RPC_TIMEOUT', {}, [], { silent })
      .run('a', 990n, { waiting: { for: 'NODE', since: 1 - 10 * 60_000 } })
      .catch((error) => error.waitingFor),
  )
  expect(await Promise.all(met)).toEqual(['NODE', 'NODE', 'NODE'])
})

test('the gas of the final quote’s own route limits the order if the provider changed', async () => {
  // The first quote's provider no longer responds.
  const changed = world(['b'], [], undefined, { a: 100n, b: 200n })
  expect(await changed.run('a', 900n)).toMatchObject({ facts: { route: { provider: 'b' }, gasLimit: '260' } })
  expect(changed.drafted).toEqual(['a', 'b'])
  const same = world(['b'], [], undefined, { b: 200n })
  expect(await same.run('b', 900n)).toMatchObject({ facts: { route: { provider: 'b' }, gasLimit: '260' } })
  expect(same.drafted).toEqual(['b'])
})

test('the final quote’s provider is excluded if the chain would refuse that quote, and the measured provider stays', async () => {
  const { run, drafted } = world(['b', 'a'], ['b'])
  expect(await run('a', 900n)).toMatchObject({ type: 'fees priced', facts: { route: { provider: 'a' } } })
  expect(drafted.slice(0, 2)).toEqual(['a', 'b'])
})

test('the gas fee includes the bridge’s native fee, which the depositor pays', async () => {
  const priced = async (nativeFee: string) => {
    const outcome = await world(['a'], [], undefined, {}, [], { nativeFee, sponsoredGas: false }).run()
    return outcome.facts!
  }
  const nativeFee = String(10n ** 13n) // 10 units of a six-decimal token with the value of the coin
  const [without, charged] = [await priced('0'), await priced(nativeFee)]
  const more = BigInt(charged.fees!.gasFeeRaw) - BigInt(without.fees!.gasFeeRaw)
  expect(more).toBeGreaterThanOrEqual(10n)
  expect(BigInt(without.fees!.amountForSwapRaw) - BigInt(charged.fees!.amountForSwapRaw)).toBe(more)
})
