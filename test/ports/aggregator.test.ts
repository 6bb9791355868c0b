import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AggregatorConfig, aggregators } from '../../src/adapters/aggregators'
import { accounts } from '../../src/devnet/chains/accounts'
import { tokenOf } from '../../src/devnet/chains/tokens'
import { type Devnet, startDevnet } from '../../src/devnet/devnet'
import { chains } from '../../src/domain/chain/chain'
import type { ProviderKey } from '../../src/domain/execution/provider'
import { defaultPolicy } from '../../src/domain/execution/route'
import type { RouteRequest } from '../../src/ports/gate'
import { cctpFixtures } from '../support/cctp-fixtures'
import { type AggregatorFixtures, lifiFixtures } from '../support/lifi-fixtures'
import { relayFixtures } from '../support/relay-fixtures'
import { testAll } from '../support/test-all'

/** Fixtures that every provider of the list needs. */
const offered: Record<ProviderKey, AggregatorFixtures> = {
  lifi: lifiFixtures,
  relay: relayFixtures,
  cctp: cctpFixtures,
}
const fixtures: Record<string, AggregatorFixtures> = offered
const asides = Object.values(fixtures).flatMap(({ aside = {} }) => Object.entries(aside))
const key = 'secret-key-of-ours'
const [chainId, toChainId] = [chains.base.id, chains.arbitrum.id]

let reply: (request: Request) => Response | Promise<Response>
let asked: { url: URL; body: unknown; headers: Headers }[] = []
const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  async fetch(request) {
    const aside = asides.find(([path]) => new URL(request.url).pathname.endsWith(path))
    if (aside) return Response.json(aside[1])
    const body = await request.json().catch(() => null)
    asked.push({ url: new URL(request.url), body, headers: request.headers })
    return reply(request)
  },
})
beforeEach(() => {
  asked = []
})
afterAll(() => server.stop(true))

const configOf = (url: string, relayUrl = url): AggregatorConfig => ({
  lifi: { url, apiKey: key, bridges: ['across', 'stargateV2'] },
  relay: { url: relayUrl, apiKey: key, solver: accounts.relaySolver.address },
  cctp: { url },
})
const list = aggregators(configOf(`http://127.0.0.1:${server.port}/v1`))
/** Generous, because a busy machine answers slowly. */
const soon = () => AbortSignal.timeout(60_000)
const impatient = () => AbortSignal.timeout(400)
const request: RouteRequest = {
  fromChainId: chainId,
  fromToken: tokenOf(chainId, 'USDC')!.address,
  amountIn: 25_000_000n,
  toChainId,
  toToken: tokenOf(toChainId, 'USDC')!.address,
  policy: defaultPolicy,
  account: '0x3820000000000000000000000000000000000021',
  recipient: '0xbe00000000000000000000000000000000000079',
}
const sentBy = { hash: `0x${'a'.repeat(64)}`, fromChainId: chainId, toChainId } as const
function withValue(body: object, [name, ...rest]: string[], value: unknown): object {
  const changed = rest.length === 0 ? value : withValue(body[name as keyof typeof body], rest, value)
  return Array.isArray(body) ? body.with(Number(name), changed) : { ...body, [name!]: changed }
}
const offers = new Map<string, object>()
for (const [name, { good }] of Object.entries(fixtures)) offers.set(name, await good(request))
/** Sends the first half of a response and never ends. */
const stalled = (text: string) =>
  new ReadableStream({ start: (stream) => stream.enqueue(new TextEncoder().encode(text.slice(0, text.length / 2))) })
const failureOf = (act: Promise<unknown>) => act.then(() => null).catch((error) => error)

test('every provider of the list is tested here', () => {
  expect(Object.keys(fixtures)).toEqual(list.map(({ name }) => name))
})

describe.each(list.map((aggregator) => [aggregator.name, aggregator] as const))('%s', (name, aggregator) => {
  const of = fixtures[name]!
  const offer = offers.get(name)!
  const sent = {
    ...sentBy,
    reference: of.reference,
    account: request.account,
    call: of.call?.(request) ?? null,
    isAlone: true,
  }
  const answering = <Value>(value: Value) => (reply = () => Response.json(value))

  test('a good offer is parsed into our terms', async () => {
    answering(offer)
    expect(await aggregator.quote(request, soon())).toEqual(of.route(request))
  })

  test('the provider receives the request with our slippage, without anything that could not be checked', async () => {
    answering(offer)
    await aggregator.quote(request, soon())
    const [{ url, body, headers }] = asked as [(typeof asked)[number]]

    expect(of.asked(url, body)).toMatchObject(of.asks)
    if (of.keyHeader) expect(headers.get(of.keyHeader)).toBe(key)
    else expect(JSON.stringify([...headers])).not.toContain(key)
    expect(url.href).not.toContain(key)
    expect(asked).toHaveLength(1)
  })

  testAll(Object.entries(of.noRoute))('a response without a route returns null', async (_what, answer) => {
    reply = answer
    expect(await aggregator.quote(request, soon())).toBeNull()
  })

  testAll(Object.entries(of.refusals))('a refusal has its error code', async (_what, [answer, code]) => {
    reply = answer
    expect((await failureOf(aggregator.quote(request, soon()))).code).toBe(code)
  })

  testAll(Object.entries(of.tampered))('an altered offer is rejected', async (_what, [path, value]) => {
    answering(withValue(offer, path.split('.'), value))
    expect((await failureOf(aggregator.quote(request, soon()))).code).toBe('PROVIDER_MALFORMED')
  })

  const good = JSON.stringify(offer)
  const faults: [string, string, typeof reply][] = [
    ['429', 'PROVIDER_RATE_LIMITED', () => Response.json({ message: 'Rate limit', code: 1005 }, { status: 429 })],
    ['500', 'PROVIDER_FAILED', () => Response.json({ message: 'Oops', code: 1000 }, { status: 500 })],
    ['502 with a page', 'PROVIDER_FAILED', () => new Response('<html>Bad gateway</html>', { status: 502 })],
    ['504', 'PROVIDER_TIMEOUT', () => new Response('', { status: 504 })],
    ['401', 'PROVIDER_UNAUTHORIZED', () => Response.json({ message: 'No', code: 1010 }, { status: 401 })],
    ['a redirect', 'PROVIDER_MALFORMED', () => Response.redirect('http://127.0.0.1:1/elsewhere')],
    ['a page with 200', 'PROVIDER_MALFORMED', () => new Response('<html>Hello</html>')],
    ['half an answer', 'PROVIDER_MALFORMED', () => new Response(good.slice(0, good.length / 2))],
    ['an empty answer', 'PROVIDER_MALFORMED', () => new Response('')],
    ['null', 'PROVIDER_MALFORMED', () => new Response('null')],
    ['an error with 200', 'PROVIDER_MALFORMED', () => Response.json({ message: 'Oops', code: 1000 })],
    ['no end of an answer', 'PROVIDER_MALFORMED', () => new Response(`"${'x'.repeat(3_000_000)}"`)],
    ['no answer', 'PROVIDER_TIMEOUT', () => new Promise<never>(() => {})],
    ['an answer that stops', 'PROVIDER_TIMEOUT', () => new Response(stalled(good))],
  ]
  testAll(faults)('a fault has its error code and reveals nothing to integrators', async (_what, code, answer) => {
    reply = answer
    const patience = code === 'PROVIDER_TIMEOUT' ? impatient : soon
    for (const ask of [() => aggregator.quote(request, patience()), () => aggregator.outcome(sent, patience())]) {
      const failure = await failureOf(ask())
      expect(failure.code).toBe(code)
      expect(failure.message).not.toMatch(/http|127|html|Oops|secret/i)
    }
  })

  test('an unreachable provider is PROVIDER_UNREACHABLE', async () => {
    const away = aggregators(configOf('http://127.0.0.1:1/v1')).find((each) => each.name === name)!
    expect((await failureOf(away.quote(request, soon()))).code).toBe('PROVIDER_UNREACHABLE')
  })

  test('keys that name prototypes have no effect', async () => {
    const poison = good.replace('{', '{"__proto__":{"isAdmin":true},"constructor":{"prototype":{"isAdmin":true}},')
    reply = () => new Response(poison)
    expect(await aggregator.quote(request, soon())).toEqual(of.route(request))
    expect(({} as { isAdmin?: true }).isAdmin).toBeUndefined()
  })

  testAll(Object.entries(of.outcomes))('an outcome is parsed into our terms', async (_what, [answer, outcome]) => {
    reply = answer
    expect(await aggregator.outcome(sent, soon())).toEqual(outcome as never)
  })

  testAll(Object.entries(of.badOutcomes))('a malformed outcome is rejected', async (_what, answer) => {
    reply = answer
    expect((await failureOf(aggregator.outcome(sent, soon()))).code).toBe('PROVIDER_MALFORMED')
  })

  testAll(Object.entries(of.prices))('a price is parsed, or null', async (_what, [answer, usd]) => {
    reply = answer
    expect(await aggregator.priceUsd(chainId, request.fromToken, soon())).toBe(usd)
  })

  if (of.badPrices)
    testAll(Object.entries(of.badPrices))('a malformed price is rejected', async (_what, answer) => {
      reply = answer
      const price = aggregator.priceUsd(chainId, request.fromToken, soon())
      expect((await failureOf(price)).code).toBe('PROVIDER_MALFORMED')
    })
})

describe('on the devnet', () => {
  const dir = mkdtempSync(join(tmpdir(), 'switchyard-aggregators-'))
  let devnet: Devnet
  beforeAll(async () => {
    devnet = await startDevnet({ dir })
  })
  afterAll(async () => {
    await devnet.stop()
    rmSync(dir, { recursive: true, force: true })
  })
  const onDevnet = (name: string) =>
    aggregators(configOf(devnet.lifiUrl, devnet.relayUrl)).find((each) => each.name === name)!
  const quote = (name: string, change: Partial<RouteRequest> = {}) =>
    onDevnet(name).quote({ ...request, ...change }, soon())
  const names = list.map(({ name }) => name).filter((name) => fixtures[name]!.onDevnet)

  testAll(names)('each provider offers a route, including native coin and swaps', async (name) => {
    const [bridge, native, swap] = await Promise.all([
      quote(name),
      quote(name, { fromToken: tokenOf(chainId, 'native')!.address, amountIn: 10n ** 17n }),
      quote(name, { toChainId: chainId, toToken: tokenOf(chainId, 'WETH')!.address }),
    ])

    expect(bridge).toMatchObject({ kind: 'BRIDGE', slippageBps: 50, call: { nativeFee: '0' } })
    expect(native).toMatchObject({ kind: 'BRIDGE', call: { nativeFee: '0', spender: `0x${'0'.repeat(40)}` } })
    const { swap: known } = fixtures[name]!.onDevnet!
    expect(swap).toEqual(known && expect.objectContaining(known))
  })

  testAll(names)('each provider knows prices, and returns null for a pair without a route', async (name) => {
    const price = (symbol: string) => onDevnet(name).priceUsd(chainId, tokenOf(chainId, symbol)!.address, soon())

    expect(await price('USDC')).toBe(100_000_000n)
    expect(await price('native')).toBe(300_000_000_000n)
    expect(await quote(name, { fromToken: tokenOf(chainId, 'SY-NOROUTE')!.address })).toBeNull()
    const failure = await failureOf(quote(name, { fromToken: tokenOf(chainId, 'SY-DOWN')!.address }))
    expect(failure?.code ?? null).toBe(fixtures[name]!.onDevnet!.downAnswer)
  })
})
