import fc from 'fast-check'
import { noted } from '../../machines/follow'
import { executionOf, hashOf, sightingOf } from '../support/deposits'
import { heavyBodies, heavyQueries } from './heavy'
import { type Turns, turnsWatched } from './turns'
import { peopledWorld, target, usdc } from './world'

export type Fuzzed = Turns & { requests: number; statuses: Record<number, number> }

type Request = {
  method: string
  path: string
  key: string | null
  query: [string, string][]
  body: unknown
  raw: string | null
  headers: Record<string, string>
}

const account = '0x25fa55D9f052CB3b815bB1E09504f9F448f2FA9C'
const hostile = [
  '',
  ' ',
  '.',
  '..',
  '../..',
  '%00',
  '%2F',
  '%E0%A4%A',
  '\u0000',
  '\ufffd',
  '\ud800',
  '😀',
  "' or 1=1",
  '{"$gt":""}',
  '$where',
  '__proto__',
  'constructor',
  'toString',
  'a/b',
  '\r\nx: y',
  '0',
  '-1',
  '1e9',
  'NaN',
  'null',
  '0x0',
  'x'.repeat(300),
  'undefined',
  '9'.repeat(90),
  '<script>alert(1)</script>',
  '${7*7}',
  '%',
  '%%',
  'a,b',
  ',',
  'ä',
  'a\u0308',
]
const addresses = [
  usdc.base,
  usdc.arbitrum,
  target.targetAddress,
  `0x${'0'.repeat(40)}`,
  account,
  account.toLowerCase(),
  '0x1',
]
const ids = [
  executionOf(1).id,
  executionOf(2).id,
  executionOf(99).id,
  sightingOf(7).id,
  '8453:sweep:x:y:1',
  `${executionOf(1).id}:r1`,
]

const text = fc.oneof(
  fc.constantFrom(...hostile),
  fc.string({ maxLength: 40 }),
  fc.string({ unit: 'binary', maxLength: 20 }),
)
const user = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('user-1', 'user-2', 'user-3', 'a b', 'ä') },
  { weight: 1, arbitrary: text },
)
const address = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom<string>(...addresses) },
  { weight: 1, arbitrary: text },
)
const id = fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...ids) }, { weight: 1, arbitrary: text })
const chain = fc.constantFrom<unknown>(8453, 1, 137, 42161, 43114, 5, '8453', null, -1, 1.5)
const amount = fc.oneof(fc.constantFrom('1', '25000000', '0', '-1', '1.5', (2n ** 256n).toString()), text)
const anything = fc.oneof(fc.anything({ maxDepth: 3, withBigInt: false }), fc.jsonValue())

const fields: Record<string, fc.Arbitrary<unknown>> = {
  userId: user,
  targetChainId: chain,
  targetTokenAddress: address,
  targetAddress: address,
  refundAddress: address,
  ownerAddress: user,
  chainKey: fc.constantFrom('base', 'polygon', 'solana'),
  label: text,
  fromChainId: chain,
  fromTokenSymbol: fc.constantFrom('USDC', 'usdc', 'ETH', 'NOPE'),
  amountInAtomic: amount,
  overrideTargetChainId: chain,
  overrideTargetTokenAddress: address,
  overrideTargetAddress: address,
  reason: fc.constantFrom('because of the fuzz', '', 'x'),
  intent: fc.constantFrom('CURRENT', 'ORIGINAL'),
  verb: fc.constantFrom('retry', 'redrive'),
  filter: fc.constantFrom<unknown>({}, { status: 'FAILED' }, [], null),
  until: fc.constantFrom<unknown>(null, '2026-12-01T00:00:00.000Z', 'soon'),
  kind: fc.constantFrom('TOKEN', 'ADDRESS', 'x'),
  address,
  chainId: chain,
  listedAs: fc.constantFrom('SCAM', 'ALLOWED', 'x'),
  fromBlock: fc.integer(),
  toBlock: fc.integer(),
}
const names = Object.keys(fields)

/** One field of a body: sense most of the time, anything now and then. */
const change = fc
  .tuple(fc.constantFrom(...names), fc.nat(9))
  .chain(([name, n]) => fc.tuple(fc.constant(name), n === 0 ? anything : fields[name]!))

const wholes: [path: RegExp, bodies: object[]][] = [
  [
    /deposit-intents$/,
    [
      { userId: 'user-1', ...target },
      { userId: 'user-2', ...target, targetChainId: 8453 },
    ],
  ],
  [/accounts$/, [{ ownerAddress: 'user-3', chainKey: 'base', label: 'Alice' }]],
  [
    /simulate-deposit$/,
    [
      {
        userId: 'user-1',
        fromChainId: 8453,
        fromTokenSymbol: 'USDC',
        amountInAtomic: '25000000',
        overrideTargetChainId: 1,
        overrideTargetTokenAddress: target.targetTokenAddress,
        overrideTargetAddress: target.targetAddress,
      },
    ],
  ],
  [/scans$/, [{ chainId: 8453, fromBlock: 1, toBlock: 2, reason: 'because of the fuzz' }]],
  [/jobs$/, [{ verb: 'retry', filter: {}, reason: 'because of the fuzz' }]],
  [/./, [{ reason: 'because of the fuzz', intent: 'CURRENT', until: null }]],
]

/** The body that an endpoint is made for, with a change or two, or anything. */
const bodyFor = (path: string) => {
  const whole = fc.constantFrom<object>(...wholes.find(([form]) => form.test(path))![1])
  const changed = fc
    .tuple(whole, fc.array(change, { minLength: 1, maxLength: 2 }))
    .map(([body, changes]): unknown => ({ ...body, ...Object.fromEntries(changes) }))
  return fc.oneof(
    { weight: 5, arbitrary: whole as fc.Arbitrary<unknown> },
    { weight: 5, arbitrary: changed },
    { weight: 1, arbitrary: anything },
  )
}
const malformed = fc.oneof(
  text,
  fc.constantFrom('{', '{"a":', '[', '\u0000', '['.repeat(2_000), '{"a":'.repeat(500), '"', '1e', 'nul'),
)

const parameter: fc.Arbitrary<[string, string]> = fc.oneof<fc.Arbitrary<[string, string]>[]>(
  fc.tuple(
    fc.constantFrom('limit', 'offset'),
    fc.oneof(fc.constantFrom('1', '2', '100', '101', '0', '-1', '1.5'), text),
  ),
  fc.tuple(
    fc.constantFrom('status', 'stage', 'types', 'verb', 'causeCode', 'provider'),
    fc.oneof(fc.constantFrom('SUCCESS', 'RUNNING,FAILED', 'ROUTED', 'execution.*', 'NO_ROUTE', 'lifi'), text),
  ),
  fc.tuple(fc.constantFrom('userId', 'apiKeyId', 'target', 'actor'), user),
  fc.tuple(fc.constantFrom('txHash', 'routeId'), fc.oneof(fc.constantFrom<string>(hashOf(1), hashOf(99)), text)),
  fc.tuple(fc.constantFrom('depositAddress', 'fromTokenAddress'), address),
  fc.tuple(fc.constantFrom('depositId', 'executionId', 'after', 'cursor'), id),
  fc.tuple(fc.constantFrom('fromChainId', 'toChainId', 'chainId'), fc.constantFrom('8453', '1', '5', '')),
  fc.tuple(
    fc.constantFrom('createdFrom', 'createdTo'),
    fc.oneof(fc.constantFrom('2026-11-21T10:00:00Z', '2026-13-41T99:99:99Z'), text),
  ),
  fc.tuple(text, text),
)

/** What stands in a path: any text that a URL can carry, percent-encoded or as it is. */
const segment = fc.oneof(user, id, address, text).map((value) => {
  try {
    return encodeURIComponent(value)
  } catch {
    return '%EF%BF%BD'
  }
})

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

const headers = fc.oneof(
  { weight: 5, arbitrary: fc.constant({}) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Record<string, string>>(
      { 'content-type': 'text/plain' },
      { 'content-type': 'application/json; charset=utf-16' },
      { 'idempotency-key': 'one' },
      { 'idempotency-key': 'two' },
      { 'idempotency-key': 'with space' },
      { 'if-none-match': '*' },
      { 'if-none-match': 'W/"x", "y"' },
      { 'x-request-id': 'fuzz-request' },
      { accept: 'text/html' },
      { 'content-length': '1' },
      { cookie: 'a=b' },
    ),
  },
)

/**
 * Sends generated requests of one organization: sense, nonsense and malice. Throws at the first answer that is a 5xx, that
 * the document does not describe, or after which another organization sees one byte differently. Watched are the turns in
 * which the API works, from the first request on, and not those that make requests or compare answers.
 */
export async function fuzz(runs: number, seed?: number): Promise<Fuzzed> {
  const world = await peopledWorld()
  const { api, ask, client, operator, stranger, clock, store, bugs } = world
  const routes = (api.routes as { method: string; path: string }[]).filter(({ path }) => path.startsWith('/api/'))
  const watch = turnsWatched()
  const found = { requests: 0, statuses: {} as Record<number, number> }

  const { handle } = api
  api.handle = (request) => watch.during(() => handle(request))
  for (const [organizationId, key] of [
    ['org_a', client],
    ['org_b', stranger],
  ] as const) {
    await ask('/api/deposit-intents', { key, body: { userId: 'user-1', ...target } })
    const offset = organizationId === 'org_a' ? 0 : 1_000
    for (const n of [1, 2, 3]) {
      const fresh = executionOf(
        n + offset,
        { organizationId },
        { account, token: usdc.base, detectedAt: clock.now - 60_000 + n },
      )
      const at = clock.now - 30_000 + n
      await store.executions.save(
        noted(
          { ...fresh, status: 'RUNNING', state: 'RUNNING', createdAt: at },
          { at, event: 'sent', from: fresh.state, to: 'RUNNING', status: 'RUNNING', note: null },
        ),
      )
    }
    await store.sightings.save(
      sightingOf(7 + offset, { organizationId, account, token: usdc.base, detectedAt: clock.now - 10_000 }),
    )
  }

  const foreign = [
    'user-1/account',
    'user-1/deposit-intent',
    'user-1/executions',
    'user-1/deposits',
    'user-1/deposit-address',
  ]
  const looks = [
    ...foreign.map((path) => `/api/users/${path}`),
    '/api/executions',
    '/api/deposits',
    '/api/events',
    '/api/chains',
    '/api/tokens',
    '/api/lifecycle',
  ]
  /** At one and the same time: what is late looks different later. */
  const at = clock.now
  const seenByStranger = async () => {
    const { now } = clock
    clock.now = at
    const seen: string[] = []
    for (const path of looks) seen.push((await ask(path, { key: stranger })).text)
    clock.now = now
    return seen.join('\n')
  }
  const before = await seenByStranger()

  const made = routes.map(({ method, path }) => {
    const segments = path.split('/').map((part) => (part.startsWith(':') ? segment : fc.constant(part)))
    const filled = fc.tuple(...segments).map((parts) => `${method} ${parts.join('/')}`)
    return fc.tuple(filled, bodyFor(path))
  })
  const request: fc.Arbitrary<Request> = fc
    .record({
      method: fc.oneof(
        { weight: 20, arbitrary: fc.constant('') },
        { weight: 1, arbitrary: fc.constantFrom(...methods) },
      ),
      asked: fc.oneof(
        { weight: 20, arbitrary: fc.oneof(...made) },
        {
          weight: 1,
          arbitrary: fc.tuple(
            fc.webPath().map((path) => `GET /api${path}`),
            anything,
          ),
        },
      ),
      key: fc.oneof(
        { weight: 6, arbitrary: fc.constant(client) },
        { weight: 1, arbitrary: fc.constant(operator) },
        { weight: 1, arbitrary: fc.constantFrom(null, '', 'sy_live_x', `${client}x`) },
      ),
      query: fc.oneof(
        { weight: 20, arbitrary: fc.constant<[string, string][]>([]) },
        { weight: 20, arbitrary: fc.array(parameter, { maxLength: 3 }) },
        { weight: 1, arbitrary: heavyQueries },
      ),
      raw: fc.oneof(
        { weight: 30, arbitrary: fc.constant(null) },
        { weight: 3, arbitrary: malformed },
        { weight: 1, arbitrary: heavyBodies },
      ),
      headers,
    })
    .map(({ asked: [path, body], ...rest }) => ({ ...rest, path, body }))

  async function send({ method: other, path: route, key, query, body, raw, headers }: Request): Promise<void> {
    const [own, path] = route.split(' ', 2) as [string, string]
    const method = other || own
    // Mostly the role that the endpoint is for: a refusal by role says little.
    const sent = key === client && path.startsWith('/api/operator/') ? operator : key
    const search = new URLSearchParams(
      query.map(([name, value]) => [name.toWellFormed(), value.toWellFormed()]),
    ).toString()
    const content = method === 'GET' || method === 'OPTIONS' ? {} : raw === null ? { body: jsonable(body) } : { raw }
    const { status } = await ask(`${path}${search ? `?${search}` : ''}`, { method, key: sent, headers, ...content })
    found.requests++
    found.statuses[status] = (found.statuses[status] ?? 0) + 1
    if (status >= 500) throw new Error(`${method} ${path} answered ${status}: ${String(bugs.at(-1))}`)
    if (found.requests % 20 === 0) clock.now += 700
    if (found.requests % 5_000 === 0 && before !== (await seenByStranger()))
      throw new Error('Another organization sees something else')
  }

  await fc.assert(fc.asyncProperty(request, send), { numRuns: runs, ...(seed !== undefined && { seed }) })
  if (before !== (await seenByStranger())) throw new Error('Another organization sees something else')
  return { ...found, ...watch.found }
}

/** What JSON cannot say is left out. */
const jsonable = (body: unknown): unknown => {
  try {
    return JSON.parse(JSON.stringify(body) ?? 'null')
  } catch {
    return null
  }
}
