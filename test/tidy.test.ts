import { expect, test } from 'bun:test'
import { dirname } from 'node:path'
import { Glob } from 'bun'
import { chainIds, chains } from '../src/domain/chain/chain'
import { providers } from '../src/domain/execution/provider'
import { roomOf, rooms } from './rooms'
import { spread } from './support/spread'
import { testAll } from './support/test-all'
import {
  assumedValues,
  bareGuards,
  bareWaits,
  cyclesOf,
  filesThatRun,
  formerNames,
  importsWithin,
  ownAnswers,
  ownLines,
  ownSkips,
  ownWaits,
  privateNames,
  refsWrittenWhileRendering,
  retypedViews,
  rowsAsTests,
  shortLimits,
  timedValues,
  unnamedPorts,
  unusedExports,
  widePorts,
  writingLoops,
} from './tidy-rules'

/** Texts of the chain table. Keys are not included: the compiler checks those everywhere. */
const wordsOfChains = new Set<string>(
  Object.values(chains).flatMap(({ name, explorerUrl, alchemyNetwork, alchemyHost }) => [
    name,
    explorerUrl,
    alchemyNetwork,
    alchemyHost,
  ]),
)
const linesMax = 400
const filesMax = 30
/** The aim is 60. A few functions are longer because a cut would only make the reader jump. */
const ownLinesMax = 70
/** With inner functions. Two are one state each, whose parts change it together. */
const allLinesMax = 100
const longOnPurpose = ['src/detection/chains/watch-chain.ts', 'src/webhooks/endpoint-run.ts']
const columnsMax = 120

/** A sentence in quotes is not broken. */
const isText = (line: string): boolean => /^[^/*]*['"`].{50,}/.test(line)

const banned: Record<string, string> = {
  handler: 'name what it does',
  manager: 'name what it keeps',
  helper: 'name what it does',
  utils: 'put it beside what uses it',
  common: 'name what is common',
}

const read = (pattern: string) => {
  const paths = [...new Glob(pattern).scanSync('.')].filter((path) => !path.includes('node_modules'))
  return Promise.all(paths.map(async (path) => ({ path, text: await Bun.file(path).text() })))
}
const files = await read('{src,machines}/**/*.{ts,tsx}')

test('tidy: every room of src has a row, and at most two files are outside the rooms', () => {
  expect(files.filter(({ path }) => !roomOf(path))).toEqual([])
  expect(files.filter(({ path }) => path.split('/').length === 2 && path.startsWith('src/')).length).toBeLessThan(3)
})

test('tidy: the page of the layout describes every room', async () => {
  const layout = await Bun.file('src/README.md').text()
  const cells = layout.split('\n').flatMap((line) => /^\| ([^|]+) \|/.exec(line)?.[1] ?? [])
  const described = cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, path]) => path!))
  const outer = Object.keys(rooms).filter((path) => /^(src\/)?[\w.-]+\/?$/.test(path))
  expect(described.filter((path) => /^(src|machines)\//.test(path)).toSorted()).toEqual(outer.toSorted())
})

test('tidy: no files form a cycle', () => expect(cyclesOf(importsWithin(files))).toEqual([]))

test('tidy: no folder has too many files', () => {
  const counts = Map.groupBy(files, ({ path }) => dirname(path))
  expect([...counts].filter(([, inside]) => inside.length > filesMax).map(([folder]) => folder)).toEqual([])
})

test('tidy: a route is made readable by the gate alone, and routing knows no provider but by its gate', () => {
  const makes = files.filter(({ text }) => /\bas (unknown as )?Readable(Offer|Route)\b/.test(text))
  expect(makes.map(({ path }) => path)).toEqual(['src/providers/gate.ts'])
  const routing = files.filter(({ path }) => path.startsWith('src/routing/'))
  expect(routing.filter(({ text }) => text.includes('/providers/')).map(({ path }) => path)).toEqual([])
})

test('tidy: a step imports no other step', () => {
  const isStep = (path: string) => path.startsWith('src/routing/steps/') && !path.endsWith('/index.ts')
  const steps = [...importsWithin(files)].filter(([path]) => isStep(path))
  expect(steps.length).toBeGreaterThan(0)
  expect(steps.filter(([, imports]) => imports.some((path) => path.startsWith('src/routing/steps/')))).toEqual([])
})

/** The files that read a clock: of a process, of the device that shows the pages, and of the devnet's stand-ins. */
const clocks = ['src/adapters/clock.ts', 'src/dashboard/data/device-clock.ts', 'src/devnet/devnet-clock.ts']
/**
 * Files that use their machine's clock: the signer has no database, and the doctor compares clocks. The command line
 * runs on a person's machine, and decides about no one's money.
 */
const byWallClock = ['doctor/nodes', 'doctor/providers', 'doctor/servers', 'doctor/signer', 'process/signer-process']
const commandLine = /^src\/cli\//

test('tidy: three files read the clock of a machine, and only listed files use the one of a process', () => {
  const pathsWith = (pattern: RegExp) => files.filter(({ text }) => pattern.test(text)).map(({ path }) => path)
  expect(pathsWith(/\bDate\.now\b|new Date\(\)/).toSorted()).toEqual(clocks)
  const users = pathsWith(/import [^\n]*\bwallClock\b/).filter((path) => !commandLine.test(path))
  expect(users.toSorted()).toEqual(byWallClock.map((name) => `src/app/${name}.ts`))
})

test('tidy: a task is repeated by `rounds` or `repeat`, and only pages have timers of their own', () => {
  const repeating = files.filter(({ text }) => /\bsetInterval\(/.test(text)).map(({ path }) => path)
  expect(repeating.toSorted()).toEqual(['src/dashboard/ui/time.tsx', 'src/http/pay/pay-html.ts'])
})

/** `relayer-nonces` signs between its read and its write, and `run-jobs` goes on from its own write. */
const loopsWithWrites = ['domain/concurrency', 'routing/delivery/relayer-nonces', 'routing/operations/run-jobs']

test('tidy: compare and set is done by `rewrite` alone', () => {
  const writing = files.filter((file) => writingLoops(file).length > 0).map(({ path }) => path)
  expect(writing.toSorted()).toEqual(loopsWithWrites.map((path) => `src/${path}.ts`))
})

/** One read of `price-feeds` fills two values, and `connection-pool` keeps the connection of the value before. */
const timedApart = ['adapters/prices/price-feeds', 'adapters/webhooks/connection-pool', 'domain/aged']

test('tidy: only `aged` reuses a recently read value', () => {
  const timing = files.filter((file) => timedValues(file).length > 0).map(({ path }) => path)
  expect(timing.toSorted()).toEqual(timedApart.map((path) => `src/${path}.ts`))
})

/** The lease of an endpoint is written together with the endpoint's health, and renewed without a read. */
const leases = ['domain/lease', 'webhooks/endpoint-lease']

test('tidy: something is held for a time by `lease` alone, and permits by a semaphore', () => {
  const holding = /^(?!.*\bmost\b).*\bholder\b.*\buntil: [^,}]*\+/m
  const writers = files.filter(({ text }) => holding.test(text)).map(({ path }) => path)
  expect(writers.toSorted()).toEqual(leases.map((path) => `src/${path}.ts`))
})

/** What only these files do, so a second mechanism for the same problem is noticed (`src/README.md`, Mechanisms). */
const doneOnlyIn: readonly (readonly [string, RegExp, string])[] = [
  ['moves the machine', /\bexecutionMachine\.transition\(/, 'machines/execution'],
  [
    'stores a new or run execution',
    /\bexecutions\.save\(/,
    'src/{cli/verbs/intents,detection/intake/intake,routing/engine/advance,routing/engine/wake-ups,routing/operations/redrive,routing/steps/match-intent}',
  ],
  [
    'finds records by a due time',
    /\bdueAt: \{ \$/,
    'src/adapters/mongo/{collections/execution-indexes,collections/executions,collections/jobs,collections/unsupported,collections/webhook-deliveries,queries/retention}',
  ],
  ['talks to a stream of NATS', /\.jetstream\(/, 'src/adapters/nats/{publisher,pull-source}'],
  ['appends to the event log', /\beventLog\.append\(/, 'src/events/appender'],
  [
    'counts in the store',
    /\$inc: \{ (?!version)|\$inc =/,
    'src/adapters/mongo/{collections/limit-counters,collections/request-days,mongo-store}',
  ],
  ['reads an idempotency key', /get\('idempotency-key'\)/, 'src/http/request/idempotent'],
  [
    'stores a delivery',
    /\bwebhookDeliveries\.save\(/,
    'src/{http/webhooks/deliveries,webhooks/endpoint-run,webhooks/log-reader}',
  ],
  [
    'opens the audit log',
    /\bcollection(<[^(]*>)?\([^)]*'auditLog'/,
    'src/adapters/mongo/{collections/audit-log,queries/migrations}',
  ],
  // Also signatures that others define: of webhooks, of their receivers, of requests to the signer, and of sign-in.
  [
    'makes an HMAC',
    /\bcreateHmac\(|CryptoHasher\([^)]*,/,
    'src/{adapters/alchemy/signature,adapters/auth/better-auth,adapters/hmac-seals,adapters/signer/signer-access,cli/verbs/listen,devnet/alchemy/webhook-poster,domain/webhook/signature}',
  ],
  ['has a breaker beside the gate', /\bcircuitBreaker\(/, 'src/nodes/chain-breakers'],
]

testAll(doneOnlyIn)('tidy: what a mechanism does is done in its files alone', (_what, act, paths) => {
  const acting = files.filter(({ text }) => act.test(text)).map(({ path }) => path)
  expect(acting.toSorted()).toEqual(spread(`${paths}.ts`))
})

test('tidy: ports contain only interfaces', () => {
  const values = files
    .filter(({ path }) => path.startsWith('src/ports/'))
    .flatMap(({ path, text }) => {
      const found = [...text.matchAll(/^(?:export )?(?:async )?(?:const|let|function|class|enum) .*/gm)]
      return found.map(([line]) => [path, line])
    })
  expect(values).toEqual([])
})

/** The store's ports, one of them replaced by its cache. */
const wholeStore = 'src/app/process/service-parts.ts'
const portsMax = 12

test('tidy: ports are passed by name, and few of them to one place', () => {
  const unnamed = files.flatMap(unnamedPorts)
  expect(unnamed.map((line) => line.split(':')[0]!)).toEqual([wholeStore])
  expect(widePorts(files, portsMax).filter((line) => !line.startsWith('src/app/'))).toEqual([])
})

test('tidy: every export is imported', async () => {
  const readers = await read('{src,machines,test,bench,contracts}/**/*.{ts,tsx}')
  expect(unusedExports(files, readers)).toEqual([])
})

test('tidy: the pages import only types from the server, and take response types from there', () => {
  const pages = files.filter(({ path }) => path.startsWith('src/dashboard/'))
  const server = files.filter(({ path }) => path.startsWith('src/http/'))
  expect(retypedViews(pages, server)).toEqual([])
  expect(ownAnswers(pages)).toEqual([])
  const values = pages.filter(({ text }) => /^import (?!type )[^\n]*\/http\//m.test(text))
  expect(values.map(({ path }) => path)).toEqual([])
})

test('tidy: no page writes to a ref while it renders, and one file puts a form in a dialog', () => {
  const pages = files.filter(({ path }) => path.startsWith('src/dashboard/'))
  expect(pages.flatMap(refsWrittenWhileRendering)).toEqual([])
  const dialogs = pages.filter(({ text }) => /<Dialog\b/.test(text) && /<form\b/.test(text))
  expect(dialogs.map(({ path }) => path)).toEqual(['src/dashboard/ui/form-dialog.tsx'])
})

test('tidy: a component in its own file survives a failed fetch of it', () => {
  const pages = files.filter(({ path, text }) => path.startsWith('src/dashboard/') && /\blazy\(/.test(text))
  expect(pages.map(({ path }) => path)).toEqual(['src/dashboard/data/lazily.ts'])
})

test('tidy: no page replaces an unread value with its own', () => {
  const pages = files.filter(({ path }) => path.startsWith('src/dashboard/'))
  expect(pages.flatMap(assumedValues)).toEqual([])
})

test('tidy: a function has few lines, of its own and with its inner functions', () => {
  const functions = files.flatMap(ownLines)
  expect(functions.filter(({ lines }) => lines > ownLinesMax)).toEqual([])
  const long = functions.filter(({ all }) => all > allLinesMax).map(({ at }) => at.split(':')[0])
  expect(long.toSorted()).toEqual(longOnPurpose)
})

test('tidy: names use the words of the field, except for stored and public fields', async () => {
  expect(files.flatMap(privateNames)).toEqual([])
  const users = (await read('{test,bench}/**/*.{ts,tsx}')).filter(({ path }) => !path.startsWith('test/tidy'))
  expect([...files, ...users].flatMap(formerNames)).toEqual([])
})

test('tidy: the rules detect what they must refuse', () => {
  const one = { path: 'a/one.ts', text: "import { two } from './two'\nexport const one = () => {\n  two()\n}" }
  const two = {
    path: 'a/two.ts',
    text: "import { one } from '../a/one'\nexport const two = () => one()\nexport type Three = 3",
  }
  expect(cyclesOf(importsWithin([one, two]))).toEqual([['a/one.ts', 'a/two.ts', 'a/one.ts']])
  expect(unusedExports([one, two], [one, two])).toEqual(['a/two.ts: Three'])
  const typed = {
    path: 'a/typed.ts',
    text: "import type { Three } from './two'\nimport {\n  one,\n  type One,\n} from './one'",
  }
  expect(filesThatRun([one, two, typed], ['a/typed.ts'])).toHaveLength(3)
  const onlyTyped = { path: 'a/only.ts', text: "import { type Three, type Two } from './two'" }
  expect(filesThatRun([one, two, onlyTyped], ['a/only.ts'])).toEqual([onlyTyped])
  const speaks = {
    path: 'b/speaks.ts',
    text: "// Three\nimport { type Four as Three, all } from './four'\nimport * as five from './five'\nconst Two = import('./six')",
  }
  const four = { path: 'b/four.ts', text: 'export type Four = 4\nexport const all = 4\nexport const Three = 3' }
  const [five, six] = ['five', 'six'].map((name) => ({ path: `b/${name}.ts`, text: `export const ${name} = 0` }))
  expect(unusedExports([one, two, four, five!, six!], [one, two, speaks])).toEqual([
    'a/two.ts: Three',
    'b/four.ts: Three',
  ])
  const server = {
    path: 'c/view.ts',
    text: "export const CoinView = type({\n  id: Text('Id'),\n  'name?': Text,\n  raw: Text,\n})\n",
  }
  const page = {
    path: 'd/page.ts',
    text: "type Coin = { id: string; name?: string; raw: string }\nexport type Place = {\n  id: string\n  name: string\n  x: number\n}\nask<Coin[]>('/coins')\n",
  }
  const other = {
    path: 'd/other.ts',
    text: "import type { Place } from './page'\nask<Place>('/place')\nask<{ x: number }>('/x')\nask<CoinView>('/coin')\n",
  }
  expect(retypedViews([page, other], [server])).toEqual(['d/page.ts: Coin repeats CoinView'])
  expect(ownAnswers([page, other])).toEqual(['d/page.ts: Coin[]', 'd/other.ts: Place', 'd/other.ts: { x: number }'])
  const hook = {
    path: 'e/hook.ts',
    text: 'function useIt(act: Act) {\n  const seen = useRef(act)\n  seen.current = act\n  useEffect(() => {\n    seen.current = act\n  })\n}',
  }
  expect(refsWrittenWhileRendering(hook)).toEqual(['e/hook.ts:3'])
  const assuming = [
    'const rows = list.data ?? []',
    'const count = useCounts().data?.length',
    'const used = quota.used ?? 0',
    'const left = ifLoaded(list, (rows) => rows.length) || 0',
    'const isDone = ({ state }) => state.data?.isDone',
    'const rows = ifLoaded(list, (rows) => rows.length)',
  ]
  const unread = { path: 'src/dashboard/pages/x.tsx', text: assuming.join('\n') }
  expect(assumedValues(unread)).toEqual([1, 2, 3, 4].map((line) => `src/dashboard/pages/x.tsx:${line}`))
  const racing = [
    'for (const each of all) await records.save(each)',
    'for (let n = 0; n < 5; n++) {',
    '  const record = await records.load(id)',
    '  if (await records.save(record)) return',
    '}',
    'await records.save(record)',
    'while (!(await books.save(await books.load(id)))) n += 1',
  ]
  expect(writingLoops({ path: 'a/racing.ts', text: racing.join('\n') })).toEqual(['a/racing.ts:4', 'a/racing.ts:7'])
  const timing = [
    'let last: { at: number; read: Promise<Row[]> } | null = null',
    'type Kept = { rows: Promise<Row[]>; until: number }',
    '  if (known && known.at + freshMs > ports.now()) return known.seen',
    '  if (known && performance.now() - known.at < learnedForMs) return known.seconds',
    '  if (kept && kept.until > now()) return kept.notices',
    'type Job = { at: number; work: () => void }',
    'if (kept && kept.until > now()) queue.push(kept)',
  ]
  const timings = timedValues({ path: 'a/timing.ts', text: timing.join('\n') })
  expect(timings).toEqual([1, 2, 3, 4, 5].map((line) => `a/timing.ts:${line}`))
  const named = [
    'const known = await records.load(id)',
    'for (const [asked, n] of all) queue.push(n)',
    'const { told, seen } = budget // a stored field',
    'return { ...job, found: job.found + 1, asked }',
    'const { call, ...known } = mint',
    "const message = 'is unknown'",
    'const keep = (kept: Map<string, Row>) => {}',
    'type Change = (known: Row | null) => Row',
    'const isNotFound = unknownRow ?? isFound',
    'call(async (...asked) => work())',
  ]
  const names = privateNames({ path: 'a/named.ts', text: named.join('\n') })
  expect(names.toSorted()).toEqual(
    ['10: asked', '1: known', '2: asked', '5: known', '7: kept', '8: known'].map((each) => `a/named.ts:${each}`),
  )
  const former = [
    'const wish = askerOf(row)',
    "const text = 'a wish of the asker'",
    'type Heartbeat = { lookMsMax: 5; isLetIn: true }',
    'class Clock { tellOf = () => this.heartbeat }',
  ]
  expect(formerNames({ path: 'a/former.ts', text: former.join('\n') })).toEqual(
    ['1: wish', '1: askerOf', '3: lookMsMax', '3: isLetIn', '4: tellOf'].map((each) => `a/former.ts:${each}`),
  )
  const limited = [
    'const fetchMsMax = 4 * 60_000',
    "test('short', async () => {",
    '}, 480_000)',
    'test.each([])(',
    "  'constant',",
    '  async () => {',
    '  },',
    '  fetchMsMax,',
    ')',
    'afterAll(() => world?.stop(), 599_999)',
    "await until('a block', look, { everyMs: 5, waitMs: fetchMsMax })",
    "test('long', async () => {",
    '}, 600_000)',
    "test('longer than a night allows', async () => {",
    '}, 7_200_000)',
    'const sum = all.reduce((one, two) => {',
    '}, 0)',
  ]
  expect(shortLimits({ path: 'test/limits.test.ts', text: limited.join('\n') })).toEqual([
    'test/limits.test.ts:3: 480_000',
    'test/limits.test.ts:7: fetchMsMax',
    'test/limits.test.ts:10: 599_999',
    'test/limits.test.ts:13: 600_000',
    'test/limits.test.ts:11: fetchMsMax',
  ])
  const waiting = [
    "while ((await ask({ path: '/ready' })).status !== 200) await Bun.sleep(5)",
    'for (; again.status === 429; again = await open()) await Bun.sleep(10)',
    'while (!isThere()) {',
    '  await Bun.sleep(20)',
    '}',
    'for (;;) {',
    '  const given = await ask()',
    '  if (given) return given',
    '  await Bun.sleep(50)',
    '}',
    'while (true) if (look()) break',
    "for (let text = ''; ; ) text += await read()",
    'while (found.length < 2) {',
    '  note(found)',
    '  await new Promise((resolve) => setTimeout(resolve, 200))',
    '  found = await read()',
    '}',
    'for (let n = 0; n < triesMax; n++) {',
    '  if (await look()) return true',
    '  await Bun.sleep(1_000)',
    '}',
    'do {',
    '  await Bun.sleep(5)',
    '} while (!isThere())',
    'while (!isOver) {',
    '  await Bun.sleep(50)',
    '  isOver = await look()',
    '}',
    'while (!isOver) {',
    '  await Bun.sleep(50)',
    '}',
  ]
  const bare = bareWaits({ path: 'test/waits.test.ts', text: waiting.join('\n') })
  expect(bare).toEqual([1, 2, 3, 6, 11, 12, 13, 18, 22, 25, 29].map((line) => `test/waits.test.ts:${line}`))
  const working = [
    'for (let n = 0; n < 50; n++) await Bun.sleep(0)',
    'for (; !isOver; await Bun.sleep(20)) await look()',
    'while (!isOver) {',
    '  await Bun.sleep(50)',
    '  await post()',
    '}',
    'for (let n = 0; n < killsMax && !isOver(); n++) {',
    '  await Bun.sleep(killEveryMs)',
    '  await kill()',
    '}',
    'for (const each of all) await Bun.sleep(5)',
    'while (clock.now < 60_000) clock.now += 5',
  ]
  expect(bareWaits({ path: 'test/work.test.ts', text: working.join('\n') })).toEqual([])
  const owned = [
    'async function until(isSo) {',
    'const eventually = async (read) => {',
    '    async until(ask) {',
    '    until: async (ask) => {',
    '    until<Value>(ask: Ask<Value>): Promise<Value> {',
    '    inTime: (read, isSo) => eventually(read, isSo),',
    "  await until('a block', (note) => {",
    '  until: Date.now() + 5,',
  ]
  const waits = ownWaits({ path: 'test/waits.test.ts', text: owned.join('\n') })
  expect(waits).toEqual([1, 2, 3, 4, 5].map((line) => `test/waits.test.ts:${line}`))
  const rows = [
    'test.each([1, 2])(',
    'test.concurrent.each(rows)(',
    'test.each(stores)(',
    "describe.each(sample('stores', stores.toReversed(), 1))(",
    'describe.each([1, 2])(',
    'for (const [bug, plant] of bugs)',
    '  test(`notices ${bug}`, () => {})',
    'for (const signal of signals) {',
    '  nightly(`${signal} ends it`, () => {',
    '    for (const test of tests) test.run()',
    '  })',
    '}',
    "test('one', () => {})",
    'testAll(rows)(',
  ]
  const guarded = [
    "test('one', async () => {",
    '  if (!hasTool) return',
    '  await run(() => {',
    '    if (isOver) return',
    '  })',
    '})',
    'nightly(',
    "  'two',",
    '  async () => {',
    '    if (url === null) return // a mongod differs',
    '  },',
    ')',
    'beforeAll(async () => {',
    '  if (!isNightly) return',
    '})',
    "testAll(rows)('three', (row) => {",
    '  if (row.isExempt) return',
    '})',
    "test.skipIf(!hasTool)('four', () => {})",
    'const declare = hasTool ? nightly : test.skip',
    "const text = 'test.skip'",
  ]
  const skipping = { path: 'test/skips.test.ts', text: guarded.join('\n') }
  expect(bareGuards(skipping)).toEqual([2, 10].map((line) => `test/skips.test.ts:${line}`))
  expect(ownSkips(skipping)).toEqual([19, 20].map((line) => `test/skips.test.ts:${line}`))
  const asTests = rowsAsTests({ path: 'test/rows.test.ts', text: rows.join('\n') })
  expect(asTests).toEqual([1, 2, 5, 7, 9].map((line) => `test/rows.test.ts:${line}`))
  const passing = ['act({ ...ports, now })', 'act({ ...world.stores })', 'act({ ...ports.docs })', 'act(ports.now)']
  expect(unnamedPorts({ path: 'a/passing.ts', text: passing.join('\n') })).toEqual(
    [1, 2].map((n) => `a/passing.ts:${n}`),
  )
  const wide = {
    path: 'a/wide.ts',
    text: "import type { Three } from './three'\n\ntype Ports = Omit<Three, 'c'> &\n  Pick<Other, 'd' | 'e'> & {\n    /** Its, name: x */\n    f: (a: string; b: string) => void\n    g?: { h: 1 }\n  }\n",
  }
  const three = { path: 'a/three.ts', text: 'export type Three = { a: 1; b: () => 2; c: 3 }\n' }
  expect(widePorts([wide, three], 5)).toEqual(['a/wide.ts: Ports has 6'])
  expect(ownLines(one)).toEqual([{ at: 'a/one.ts:2', indent: 0, lines: 1, all: 1 }])
})

testAll(files.map((file) => [file.path, file.text]))(
  'tidy: a file imports only what its room may, within the limits of lines, columns and words',
  (path, text) => {
    const [own, { imports }] = roomOf(path)
    for (const [, relative] of text.matchAll(/(?:from|import) '(\.[^']+)'/g)) {
      const target = new URL(relative!, `file:///${path}`).pathname.slice(1)
      expect(
        [own, ...imports].some((allowed) => target.startsWith(allowed)),
        `imports ${target}`,
      ).toBe(true)
    }

    const lines = text.split('\n')
    expect(lines.length).toBeLessThanOrEqual(linesMax)
    for (const line of lines) if (!isText(line)) expect(line.length, line).toBeLessThanOrEqual(columnsMax)
    for (const [word, instead] of Object.entries(banned))
      expect(path.split(/[/.-]/).includes(word), `${word}: ${instead}`).toBe(false)
  },
)

testAll(
  files
    .filter(({ path }) => !/^src\/domain\/chain\/(chain|network)\.ts$/.test(path))
    .map(({ path, text }) => [path, text]),
)('tidy: chains have one home', (_path, text) => {
  for (const id of chainIds.filter((id) => id > 1_000)) expect(text).not.toMatch(new RegExp(`\\b${id}\\b`))
  const literals = [...text.matchAll(/'([^'\n]+)'/g)].map(([, literal]) => literal!)
  expect(literals.filter((literal) => wordsOfChains.has(literal))).toEqual([])
})

testAll(files.filter(({ path }) => path !== 'src/domain/execution/provider.ts').map(({ path, text }) => [path, text]))(
  'tidy: names of providers have one home',
  (_path, text) => {
    for (const { name } of Object.values(providers)) expect(text).not.toContain(`'${name}'`)
  },
)

testAll(
  files
    .filter(({ path }) => /^(src\/(?!devnet|cli|app\/config|main|domain\/chain\/chain)|machines)/.test(path))
    .map((f) => [f.path, f.text]),
)('tidy: only the outer rooms read the environment and name the devnet', (_path, text) => {
  expect(text).not.toMatch(/process\.env|Bun\.env/)
  expect(text).not.toMatch(/\bSY-[A-Z]|devnet/i)
})

testAll(files.filter(({ path }) => /^(src\/(domain|routing)|machines)\//.test(path)).map((f) => [f.path, f.text]))(
  'tidy: rules take time and randomness as arguments',
  (_path, text) => {
    expect(text).not.toMatch(/Date\.now|new Date\(\)|Math\.random|performance\.now|randomUUID/)
    expect(text).not.toMatch(/setTimeout|setInterval|AbortSignal\.timeout/)
  },
)

testAll(
  files.filter(({ path }) => path.startsWith('src/') && !path.startsWith('src/devnet/')).map((f) => [f.path, f.text]),
)('tidy: only the devnet names its stand-in for the bridge', (_path, text) => expect(text).not.toMatch(/dev-?bridge/i))

/** The request taken as a whole: by `...body`, `{ name, ...rest } = body` or `body as Partial<Record>`. */
const takenWhole = /\.\.\.\(?(body|params)\b|\.\.\.\w+,? \} = (body|params)\b|\b(body|params) as (?!Uint8Array|\{)/

testAll(
  files.filter(({ path }) => path.startsWith('src/http/') && !path.includes('/openapi')).map((f) => [f.path, f.text]),
)('tidy: the fields of a request are taken by name, never as a whole', (_path, text) =>
  expect(text).not.toMatch(takenWhole),
)

// Four bytes typed by hand can be another function's: `isIsthmus()` was once called for a fee.
testAll(files.map(({ path, text }) => [path, text]))(
  'tidy: selectors and topics are computed from their signatures',
  (path, text) => {
    expect(text).not.toMatch(/(['"`])0x[0-9a-fA-F]{8}(\1|\$\{)/)
    if (/^src\/(adapters|signer|detection)/.test(path)) expect(text).not.toMatch(/(['"`])0x[0-9a-fA-F]{64}(\1|\$\{)/)
  },
)

/** Documents that are not records: each is a counter, a turn, a note of use or sighting, or an append-only entry. */
const writersOfTheirOwn = new Set(
  [
    ...[
      'api-keys',
      'audit-log',
      'limit-counters',
      'idempotency',
      'inbound-webhooks',
      'request-days',
      'request-log',
      'observations',
      'events',
    ].map((name) => `mongo/collections/${name}`),
    'mongo/engine/inserted-once',
    'mongo/collections/people/audit-names',
    'mongo/collections/lanes',
    'mongo/mongo-store',
    'mongo/engine/collection',
    'mongo/engine/records',
    'mongo/engine/unique-across-shards',
    'mongo/engine/network-mark',
    'mongo/queries/erasing',
    'mongo/queries/migrations',
    'mongo/queries/order-archive',
    'auth/auth-secret',
    'auth/better-auth',
    'auth/linked-people',
    'auth/second-steps',
  ].map((path) => `src/adapters/${path}.ts`),
)
const writes = /\b(bulkWrite|(update|replace|insert)(One|Many)|findOneAnd\w+|findByIdAnd\w+)\(/

testAll(
  files
    .filter(({ path }) => /^src\/(?!devnet)/.test(path) && !writersOfTheirOwn.has(path))
    .map((f) => [f.path, f.text]),
)('tidy: no document is written without the checks of its record', (_path, text) => expect(text).not.toMatch(writes))

/** A code damaged by a rename inside it. */
const tornCode = /'[A-Z]{2,}_\w*[a-z]\w*'/g

testAll(files.filter(({ path }) => path.startsWith('src/')).map((f) => [f.path, f.text]))(
  'tidy: a code is entirely in capitals',
  (_path, text) => expect([...text.matchAll(tornCode)].map(([code]) => code)).toEqual([]),
)

/** It tests how a wait fails. */
const failsOnPurpose = 'test/support/until.test.ts'
const waitsOfTheirOwn = [
  /** It is the wait. */
  'test/support/until.ts',
  /** A request waits at the balancer for a server that is ready, and ends with its client or the balancer. */
  'test/support/balancer.ts',
  /** An integrator's program, without our modules. `clients.test.ts` bounds it, and shows its output. */
  'test/clients/typescript/use.ts',
  /** It has examples for these rules. */
  'test/tidy.test.ts',
]
/** Each row needs its own servers, or minutes. One test of all rows would exceed the silence that ends a run. */
const rowsOfTheirOwn = [
  /** A former release with its own servers, carried through an upgrade. */
  'test/e2e/upgrade.test.ts',
  /** Every call of the store at each place and with each fault, on another server. */
  'test/adapters/mongo/mongo-step-down.test.ts',
  /** Minutes for each of them. */
  'test/simulation/small-worlds.test.ts',
  /** Two runs of a test file in a changed copy of the project. */
  'test/wrong-programs.test.ts',
  /** A language whose tools may be missing. Its name then says so. */
  'test/clients/clients.test.ts',
  /** It has examples for these rules. */
  'test/tidy.test.ts',
]

const tests = await read('test/**/*.ts')
testAll(tests.map(({ path, text }) => [path, text]))(
  'tidy: no test sets a time limit that the default makes needless, and each wait is the one whose failure shows the last value',
  (path, text) => {
    if (path !== failsOnPurpose) expect(shortLimits({ path, text })).toEqual([])
    if (waitsOfTheirOwn.includes(path)) return
    expect([...bareWaits({ path, text }), ...ownWaits({ path, text })]).toEqual([])
    expect(text).not.toMatch(/^\s*(?:for|while) \([^)\n]*\b(?:Date|performance)\.now\(\)/m)
  },
)

test('tidy: a test is skipped by the one helper that says so in its name, and none returns without testing', () => {
  expect(tests.flatMap(bareGuards)).toEqual([])
  expect(tests.filter(({ path }) => path !== 'test/support/tools.ts').flatMap(ownSkips)).toEqual([])
})

test('tidy: a test with a browser shows the page at which a wait failed', () => {
  const launching = tests.filter(({ text }) => /\bimport \{[^}]*\blaunch\b[^}]*\} from '[^']*\/browser'/.test(text))
  expect(launching.length).toBeGreaterThan(3)
  expect(launching.filter(({ text }) => !/\breportOpen\(/.test(text)).map(({ path }) => path)).toEqual([])
})

/** The contract of a port holds for each of its adapters apart. */
const ofPorts = /^test\/ports\//

testAll(
  tests
    .filter(({ path }) => !rowsOfTheirOwn.includes(path) && !ofPorts.test(path))
    .map(({ path, text }) => [path, text]),
)('tidy: one test is one rule, so rows of one check are one test that lists its failures', (path, text) =>
  expect(rowsAsTests({ path, text })).toEqual([]),
)
