import { afterAll, beforeAll, expect } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { type AggregatorConfig, aggregators } from '../../src/adapters/aggregators'
import { accounts } from '../../src/devnet/chains/accounts'
import { tokenOf } from '../../src/devnet/chains/tokens'
import { type Devnet, startDevnet } from '../../src/devnet/devnet'
import { chains } from '../../src/domain/chain/chain'
import { RoutingError } from '../../src/domain/error'
import { defaultPolicy } from '../../src/domain/execution/route'
import type { RouteRequest } from '../../src/ports/gate'
import { relayRules } from '../../src/signer/relay-deposit'
import { lifiBridges, lifiRules, routeObjection } from '../../src/signer/route-rules'
import { testAll } from '../support/test-all'

const [fromChainId, toChainId] = [chains.base.id, chains.arbitrum.id]
const thief = '0x00000000000000000000000000000000000bad00'
const base = { fromChainId, toChainId, policy: defaultPolicy, amountIn: 25_000_000n }
const parties = {
  account: '0x3820000000000000000000000000000000000021',
  recipient: '0xbe00000000000000000000000000000000000079',
} as const
const usdc = (id: typeof fromChainId | typeof toChainId) => tokenOf(id, 'USDC')!.address
const request: RouteRequest = { ...base, ...parties, fromToken: usdc(fromChainId), toToken: usdc(toChainId) }

const dir = mkdtempSync(join(tmpdir(), 'switchyard-hostile-'))
let devnet: Devnet
/** Each provider's normal response. */
const good = new Map<string, string>()
let body: string
const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  fetch: () => new Response(body, { headers: { 'content-type': 'application/json' } }),
})
const config = (lifiUrl: string, relayUrl: string): AggregatorConfig => ({
  lifi: { url: lifiUrl, apiKey: null, bridges: lifiBridges },
  relay: { url: relayUrl, apiKey: null, solver: accounts.relaySolver.address },
})
const misreads = routeObjection([...lifiRules(), ...relayRules(accounts.relaySolver.address)], { now: Date.now })
const names = ['lifi', 'relay']
const listening = (name: string) =>
  aggregators(config(`http://127.0.0.1:${server.port}`, `http://127.0.0.1:${server.port}`)).find(
    (each) => each.name === name,
  )!
const ask = (name: string, text: string) => {
  body = text
  return listening(name).quote(request, AbortSignal.timeout(60_000))
}

beforeAll(async () => {
  devnet = await startDevnet({ dir })
  for (const name of names) {
    const recorder = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      async fetch(asked) {
        const { pathname, search } = new URL(asked.url)
        const to = new URL(name === 'lifi' ? devnet.lifiUrl : devnet.relayUrl)
        const method = asked.method
        const sent = method === 'POST' ? await asked.text() : undefined
        const answer = await fetch(`${to.origin}${name === 'lifi' ? '/v1' : ''}${pathname}${search}`, {
          method,
          headers: { 'content-type': 'application/json' },
          ...(sent && { body: sent }),
        })
        good.set(name, await answer.text())
        return new Response(good.get(name)!)
      },
    })
    const url = `http://127.0.0.1:${recorder.port}`
    const provider = aggregators(config(url, url)).find((each) => each.name === name)!
    expect(await provider.quote(request, AbortSignal.timeout(60_000))).not.toBeNull()
    await recorder.stop(true)
  }
})
afterAll(async () => {
  await server.stop(true)
  await devnet?.stop()
  rmSync(dir, { recursive: true, force: true })
})

type Path = (string | number)[]
const leavesOf = (value: unknown, path: Path = []): Path[] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([key, inner]) => leavesOf(inner, [...path, key]))
    : [path]
function changed(value: unknown, [key, ...rest]: Path, by: (leaf: unknown) => unknown): unknown {
  if (key === undefined) return by(value)
  const copy = (Array.isArray(value) ? [...value] : { ...(value as object) }) as Record<string, unknown>
  copy[key] = changed(copy[key], rest, by)
  return copy
}

/** Values that a dishonest provider, a bug or a proxy could substitute. */
const lies: ((leaf: unknown) => unknown)[] = [
  null,
  undefined,
  true,
  {},
  [],
  '',
  '0',
  '-1',
  'NaN',
  '1e9',
  '0x',
  '0x0',
  0,
  -1,
  1.5,
  Number.MAX_SAFE_INTEGER,
  thief,
  '0x0000000000000000000000000000000000000000',
  '9'.repeat(80),
  `0x${'f'.repeat(64)}`,
  56,
  '137',
].map((lie) => () => lie)
const crooked: typeof lies = [
  (leaf) => (typeof leaf === 'string' ? leaf.replaceAll(parties.recipient.slice(2), thief.slice(2)) : leaf),
  (leaf) => (typeof leaf === 'string' ? leaf.replaceAll(parties.account.slice(2), thief.slice(2)) : leaf),
  (leaf) => (typeof leaf === 'string' && leaf.length > 100 ? `${leaf.slice(0, -1)}f` : leaf),
  (leaf) => (typeof leaf === 'string' && /^[0-9]+$/.test(leaf) ? `${BigInt(leaf) * 10n}` : leaf),
  (leaf) => (typeof leaf === 'string' && /^[0-9]+$/.test(leaf) ? `${BigInt(leaf) / 10n}` : leaf),
  (leaf) => (typeof leaf === 'string' && /^[0-9]+$/.test(leaf) ? Number(leaf) : leaf),
]

/**
 * Whether the response would be signed: the adapter accepts it, its native fee is bounded, and its call meets the
 * demand.
 */
async function wouldSign(name: string, text: string) {
  try {
    const route = await ask(name, text)
    const isDear = BigInt(route?.call?.nativeFee ?? 0) > chains.base.nativeFeeMaxWei
    return route && !isDear && misreads(route, request) === null ? route : null
  } catch (error) {
    if (error instanceof RoutingError) return null
    throw error
  }
}

testAll(names)('a harmful false value in a response is never signed, for any provider and field', async (name) => {
  const answer = JSON.parse(good.get(name)!) as object
  const honest = (await wouldSign(name, good.get(name)!))!
  const leaves = leavesOf(answer)
  const all = leaves.flatMap((path) => [...lies, ...crooked].map((by) => [path, by] as const))
  for (const [path, by] of fc.sample(fc.constantFrom(...all), 600)) {
    const route = await wouldSign(name, JSON.stringify(changed(answer, path, by)))
    if (!route) continue
    // The response may change the provider's descriptive fields. It cannot redirect the money or promise less.
    const { call, amountIn } = route
    expect([call!.target, call!.spender, amountIn]).toEqual([
      honest.call!.target,
      honest.call!.spender,
      honest.amountIn,
    ])
    expect(call!.data).not.toContain(thief.slice(2))
    expect(call!.data).toContain(parties.account.slice(2))
  }
})

testAll(names)('several harmful false values in a response are never signed, for any provider', async (name) => {
  const answer = JSON.parse(good.get(name)!) as object
  const lie = fc.tuple(fc.constantFrom(...leavesOf(answer)), fc.constantFrom(...lies, ...crooked))
  for (const told of fc.sample(fc.array(lie, { minLength: 2, maxLength: 4 }), 200)) {
    const text = JSON.stringify(
      told.reduce<unknown>((before, [path, by]) => {
        try {
          return changed(before, path, by)
        } catch {
          return before
        }
      }, answer),
    )
    const route = await wouldSign(name, text)
    if (route) expect(route.call!.data).not.toContain(thief.slice(2))
  }
})

testAll(names)('an incomplete response only excludes its provider from the selection', async (name) => {
  const text = good.get(name)!
  const prototype = text.replace('{', '{"__proto__":{"to":"0x0"},"constructor":{"prototype":{}},')
  expect(await wouldSign(name, prototype)).not.toBeNull()
  expect(({} as Record<string, unknown>)['to']).toBeUndefined()
  const huge = `{"padding":"${'x'.repeat(2_100_000)}",${text.slice(1)}`
  for (const broken of ['', '<html>', text.slice(0, -1), '[]', 'null', '"x"', '{}', `${text}}`, huge])
    expect(await wouldSign(name, broken)).toBeNull()
})
