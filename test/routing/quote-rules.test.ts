import { expect, test } from 'bun:test'
import { type ErrorCode, RoutingError } from '../../src/domain/error'
import { defaultPolicy, type Route } from '../../src/domain/execution/route'
import type { Verdict } from '../../src/domain/money/worth'
import { ProviderRateLimited, ProviderUnavailable, RouteRefused } from '../../src/domain/unavailable'
import type { Blame, RouteRequest } from '../../src/ports/gate'
import {
  bestQuote,
  isStale,
  type QuotePorts,
  requestOf,
  routeAfterGas,
  routeFor,
} from '../../src/routing/pricing/quotes'
import { believing } from '../support/appraisers'
import { addressOf, executionOf } from '../support/deposits'
import { openGate } from '../support/gates'
import { seals } from '../support/seals'
import { testAll } from '../support/test-all'

const offer = (provider: string, other: Partial<Route> = {}): Route => ({
  ...{ provider, kind: 'BRIDGE', amountIn: '1000', amountOutExpected: '900', amountOutMin: '900', expectedSeconds: 10 },
  ...{ hops: 1, slippageBps: 50, call: null, reference: null, quotedAt: 0 },
  ...other,
})
type Quote = (request: RouteRequest) => Promise<Route | null>
const provider = (name: string, quote: Quote, blames?: Blame) =>
  openGate({ name, quote, outcome: async () => ({ kind: 'PENDING' }), priceUsd: async () => null } as never, blames)
const offers = (name: string, other: Partial<Route> = {}) => provider(name, async () => offer(name, other))
const throws = (name: string, error: unknown, blames?: Blame) => provider(name, () => Promise.reject(error), blames)
const fails = (name: string, code: ErrorCode, blames?: Blame) => throws(name, new RoutingError(code), blames)
const hasNone = (name: string) => provider(name, async () => null)

const at = 1_000_000
const request = { policy: defaultPolicy, amountIn: 1_000n } as RouteRequest
const portsOf = (aggregators: QuotePorts['aggregators'], other: Partial<QuotePorts> = {}): QuotePorts => ({
  ...{ aggregators, prices: { usd: async () => 1n }, appraiser: believing, quoteTimeoutMs: 1_000, now: () => at },
  ...other,
})
const errorOf = (quoted: Promise<unknown>) =>
  quoted.then(
    () => null,
    (error) => error,
  )

testAll<[string, Partial<Route>]>([
  ['duration', { expectedSeconds: 1_800 }],
  ['hops', { hops: 3 }],
  ['guaranteed output', { amountOutExpected: '10000', amountOutMin: '9700' }],
])('an offer at a limit of the policy may be taken', async (_what, other) => {
  expect((await bestQuote(request, portsOf([offers('a', other)]))).route.provider).toBe('a')
})

testAll<[reason: string, other: Partial<Route>]>([
  ['It allows more slippage than the policy.', { slippageBps: 51 }],
  ['It takes longer than the policy allows.', { expectedSeconds: 1_801 }],
  ['It has more hops than the policy allows.', { hops: 4 }],
  ['It guarantees less than the policy requires.', { amountOutExpected: '10000', amountOutMin: '9699' }],
])('an offer beyond a limit is stored with its figures and its reason', async (reason, other) => {
  const { candidates } = await bestQuote(request, portsOf([offers('a', other), offers('b')]))
  const { provider: name, amountOutExpected, amountOutMin, expectedSeconds, slippageBps, hops } = offer('a', other)
  const figures = { provider: name, amountOutExpected, amountOutMin, expectedSeconds, slippageBps, hops, quotedAt: at }
  expect(candidates[0]).toEqual({ ...figures, outcome: 'OUTSIDE_POLICY', reason })
})

test('a provider without an offer is stored without figures, with its reason and the time', async () => {
  const rate = new ProviderRateLimited('c', 5_000, at)
  const { candidates } = await bestQuote(
    request,
    portsOf([
      ...[offers('a'), hasNone('b'), throws('c', rate), fails('d', 'PROVIDER_TIMEOUT'), fails('e', 'PROVIDER_REFUSED')],
      throws('f', new TypeError('a bug')),
    ]),
  )
  const none = { amountOutExpected: null, amountOutMin: null, expectedSeconds: null, slippageBps: null, hops: null }
  expect(candidates.slice(1)).toEqual(
    (
      [
        ['b', 'NO_ROUTE', 'It has no route.'],
        ['c', 'NO_ANSWER', 'Its rate limit is used up for now.'],
        ['d', 'NO_ANSWER', 'A routing provider did not answer in time.'],
        ['e', 'REFUSED', 'Every routing provider refused the request.'],
        ['f', 'NO_ANSWER', 'It failed unexpectedly.'],
      ] as const
    ).map(([name, outcome, reason]) => ({ ...none, provider: name, outcome, reason, quotedAt: at })),
  )
})

test('each provider is asked for its own amount, and one that gas leaves nothing is not asked', async () => {
  const asked: [string, bigint][] = []
  const noting = (name: string) =>
    provider(name, async ({ amountIn }) => {
      asked.push([name, amountIn])
      return offer(name)
    })
  const amounts = new Map([
    ['a', 700n],
    ['b', 0n],
    ['c', -1n],
    ['d', 1n],
  ])
  await bestQuote(request, portsOf(['a', 'b', 'c', 'd', 'e'].map(noting)), amounts)
  expect(asked).toEqual([
    ['a', 700n],
    ['d', 1n],
    ['e', 1_000n],
  ])
})

/** An appraiser that judges each provider’s output, and its native fee, by name. */
const judging = (verdicts: Record<string, Verdict>): QuotePorts['appraiser'] => ({
  ...believing,
  judge: async ({ quotedBy, toToken, fromToken }) =>
    verdicts[toToken === fromToken ? `${quotedBy} fee` : quotedBy!] ?? 'ENOUGH',
})
const worthy = { ...request, fromChainId: 8453, fromToken: addressOf(1), toChainId: 10, toToken: addressOf(2) } as const
/** `a` offers 900, and `b` offers 600 or as much as `a`. */
const judged = (verdicts: Record<string, Verdict>, other: Partial<RouteRequest> = {}, ofB = '600') => {
  const low = { amountOutExpected: ofB, amountOutMin: ofB }
  const ports = portsOf([offers('a'), offers('b', low)], { appraiser: judging(verdicts) })
  return bestQuote({ ...worthy, ...other } as never, ports)
}

test('an offer that is worth too little is not taken, and one whose worth is unknown only later', async () => {
  const { route, candidates } = await judged({ a: 'POOR' })
  expect([route.provider, candidates[0]!.outcome, candidates[0]!.reason]).toEqual([
    ...['b', 'OUTSIDE_POLICY', 'Its guaranteed output is worth less than the policy’s share of the input.'],
  ])
  const doubted = await judged({ a: 'UNPRICED' })
  expect([doubted.route.provider, doubted.candidates[0]!.outcome, doubted.candidates[0]!.reason]).toEqual([
    ...['b', 'UNJUDGED', 'No two independent sources report its value.'],
  ])
  // Another provider's offer replaces a missing price if the two agree.
  expect((await judged({ a: 'UNPRICED' }, {}, '899')).route.provider).toBe('a')
  const unclear = await errorOf(judged({ a: 'UNCLEAR', b: 'POOR' }))
  expect([unclear.name, unclear.waitingFor, unclear.facts.candidates.length]).toEqual(['WorthUnknown', 'WORTH', 2])
  expect(unclear.facts.candidates[0].reason).toStartWith('Independent sources report values that are too far apart')
  const unapproved = await errorOf(judged({ a: 'UNPRICED', b: 'POOR' }, { approvedOutMin: 901n }))
  expect(unapproved.facts.candidates[0].reason).toEndWith('. It guarantees less than an operator approved.')
  expect((await errorOf(judged({ a: 'POOR', b: 'POOR' }))).code).toBe('ROUTE_OUTSIDE_POLICY')
})

testAll<[Blame, boolean, number | null, string]>([
  ['REQUEST', true, null, 'PROVIDER_TIMEOUT'],
  ['PROVIDER', true, null, 'ProviderUnavailable'],
  ['UNKNOWN', false, null, 'PROVIDER_TIMEOUT'],
  ['UNKNOWN', true, null, 'ProviderUnavailable'],
  ['UNKNOWN', true, at - 15 * 60_000 + 1, 'ProviderUnavailable'],
  ['UNKNOWN', true, at - 15 * 60_000, 'PROVIDER_TIMEOUT'],
])(
  'a deposit waits without a retry while its provider may be at fault',
  async (blame, isDeposit, waitingSince, name) => {
    const requester = { id: 'exe', organizationId: 'org_1', purpose: 'DEPOSIT', waitingSince } as const
    const asked = { ...request, ...(isDeposit && { requester }) } as RouteRequest
    const error = await errorOf(bestQuote(asked, portsOf([fails('a', 'PROVIDER_TIMEOUT', blame)])))
    expect(error.code ?? error.name).toBe(name)
    if (name === 'ProviderUnavailable')
      expect([error.who, error.retryInMs, error.cause.code]).toEqual([...['a', 5_000, 'PROVIDER_TIMEOUT']])
  },
)

test('a preview blames no provider, and what our own rules refuse is nobody’s fault', async () => {
  const preview = portsOf([fails('a', 'PROVIDER_TIMEOUT', 'PROVIDER')], { purpose: 'PREVIEW' })
  expect((await errorOf(bestQuote(request, preview))).code).toBe('PROVIDER_TIMEOUT')
  const refused = portsOf([throws('a', new RouteRefused('It cannot.'), 'PROVIDER')])
  expect((await errorOf(bestQuote(request, refused))).code).toBe('NO_ROUTE')
})

test('the purpose of a quote is the one of its ports, and a request without a requester stays without one', async () => {
  const purposes: unknown[] = []
  const noting = provider('a', async ({ requester }) => {
    purposes.push(requester?.purpose)
    return offer('a')
  })
  const requester = { id: 'exe', organizationId: 'org_1', purpose: 'DEPOSIT', waitingSince: null } as const
  await bestQuote({ ...request, requester }, portsOf([noting], { purpose: 'PREVIEW' }))
  await bestQuote({ ...request, requester }, portsOf([noting]))
  await bestQuote(request, portsOf([noting], { purpose: 'PREVIEW' }))
  expect(purposes).toEqual(['PREVIEW', 'DEPOSIT', undefined])
})

test('of several rests, a rate limit comes first, and then the shortest', async () => {
  const rests = (name: string, ms: number) => throws(name, new ProviderUnavailable(name, ms))
  const limited = throws('c', new ProviderRateLimited('c', 9_000, at))
  const errorWith = (...all: QuotePorts['aggregators']) => errorOf(bestQuote(request, portsOf(all)))
  expect((await errorWith(rests('a', 2_000), rests('b', 1_000))).who).toBe('b')
  expect((await errorWith(rests('a', 2_000), limited, fails('d', 'PROVIDER_TIMEOUT'))).who).toBe('c')
})

test('a provider that does not answer in time has no answer', async () => {
  const silent = provider('a', () => new Promise(() => {}))
  const asked = { ...silent, quote: (_: RouteRequest, signal: AbortSignal) => aborted(signal) } as never
  const error = await errorOf(bestQuote(request, portsOf([asked], { quoteTimeoutMs: 1 })))
  expect(error.name).toBe('TimeoutError')
})
const aborted = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))

const intent = { targetChainId: 42161, targetTokenAddress: addressOf(7), targetAddress: addressOf(8) }
const execution = executionOf(1, { facts: { intent } as never })

test('a request names what the intent wants, and since when the deposit waits for a provider', () => {
  expect(requestOf(execution, 5n, defaultPolicy)).toEqual({
    ...{ fromChainId: 8453, fromToken: execution.deposit.token, amountIn: 5n, account: execution.deposit.account },
    ...{
      toChainId: 42161,
      toToken: addressOf(7),
      recipient: addressOf(8),
      policy: defaultPolicy,
      approvedOutMin: null,
    },
    requester: { id: execution.id, organizationId: 'org_1', purpose: 'DEPOSIT', waitingSince: null },
    isGivenBack: false,
  })
  const waiting = (reason: string) => ({
    ...execution,
    facts: { ...execution.facts, waiting: { for: reason, since: 9 } },
  })
  expect(requestOf(waiting('PROVIDER') as never, 5n, defaultPolicy).requester!.waitingSince).toBe(9)
  expect(requestOf(waiting('GAS') as never, 5n, defaultPolicy).requester!.waitingSince).toBeNull()
})

test('a quote is stale after a minute', () => {
  const quoted = { ...execution, facts: { route: offer('a', { quotedAt: 5 }) } }
  expect([isStale(quoted, 60_005), isStale(quoted, 60_006)]).toEqual([false, true])
})

/** The ports of quotes, and the reason of each request to a provider. */
function routing(aggregators: QuotePorts['aggregators'], canRecover: Record<string, boolean> = {}) {
  const reasons: string[] = []
  const node = (name: string) => ({ canRecover: async () => canRecover[name] ?? false })
  const chains = { 8453: { ...node('one'), ...('two' in canRecover && { second: node('two') }) } } as never
  const ports = {
    quoting: portsOf(aggregators),
    chains,
    seals,
    now: () => at,
    onQuoted: (why: string) => reasons.push(why),
  }
  return { ports: ports as never as Parameters<typeof routeFor>[2], reasons }
}
const wanted = requestOf(execution, 1_000n, defaultPolicy)
const direct: typeof wanted = { ...wanted, toChainId: 8453, toToken: execution.deposit.token }

test('money that is already where it should be is paid out directly, and a refund by the RecoveryExecutor if it can', async () => {
  const kindOf = async (request: typeof direct, canRecover: Record<string, boolean>) => {
    const { ports, reasons } = routing([offers('a')], canRecover)
    const { route, candidates } = await routeFor('exe', request, ports, { reason: 'FIRST' })
    expect([candidates, reasons, route.quotedAt, route.amountIn]).toEqual([[], [], at, '1000'])
    return route.kind
  }
  const back = { ...direct, isGivenBack: true }
  expect([await kindOf(direct, { one: true }), await kindOf(back, { one: true }), await kindOf(back, {})]).toEqual([
    ...(['DIRECT', 'REFUND', 'DIRECT'] as const),
  ])
  expect([await kindOf(back, { one: true, two: false }), await kindOf(back, { two: true })]).toEqual([
    'DIRECT',
    'REFUND',
  ])
})

test('money for another chain or in another token is quoted, and each offer is sealed', async () => {
  const there: typeof wanted = { ...direct, toChainId: 42161 }
  for (const elsewhere of [wanted, there, { ...direct, toToken: addressOf(7) }]) {
    const { ports, reasons } = routing([offers('a'), hasNone('b')])
    const { route, candidates } = await routeFor('exe', elsewhere, ports, { reason: 'STALE' })
    expect([route.provider, reasons, candidates.filter(({ seal }) => seal).length]).toEqual(['a', ['STALE'], 2])
  }
})

test('if the amount that gas leaves has no route, the whole amount is tried, once', async () => {
  const asked: bigint[] = []
  const fromWhole = provider('a', async ({ amountIn }) => {
    asked.push(amountIn)
    return amountIn >= 1_000n ? offer('a') : null
  })
  const { ports, reasons } = routing([fromWhole])
  const why = { reason: 'FIRST', wholeRaw: 1_000n } as const
  const amounts = new Map([['a', 900n]])
  await routeAfterGas('exe', wanted, ports, { ...why, amounts })
  expect([asked.splice(0), reasons.splice(0)]).toEqual([[900n, 1_000n], ['WHOLE_AMOUNT']])
  await routeAfterGas('exe', { ...wanted, amountIn: 900n }, ports, { ...why, amounts: new Map() })
  expect(asked.splice(0)).toEqual([900n, 1_000n])
  const small = { ...why, amounts: new Map(), wholeRaw: 900n }
  expect((await errorOf(routeAfterGas('exe', { ...wanted, amountIn: 900n }, ports, small))).code).toBe('NO_ROUTE')
  expect(asked.splice(0)).toEqual([900n])
  const failing = routing([fails('a', 'PROVIDER_TIMEOUT')])
  const passing = await errorOf(routeAfterGas('exe', wanted, failing.ports, { ...why, amounts }))
  expect([passing.code, failing.reasons]).toEqual(['PROVIDER_TIMEOUT', []])
})
