import { existsSync, globSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { Failure } from '../../src/cli/terminal/failure.ts'
import { cacheFolder } from '../../src/devnet/servers/cache-folder.ts'
import { startMongo } from '../../src/devnet/servers/mongo.ts'
import { startNats } from '../../src/devnet/servers/nats.ts'
import type { Server } from '../../src/devnet/servers/server.ts'
import { type Child, spawnChild } from '../../src/devnet/servers/spawn-child.ts'
import { repeat } from '../../src/domain/repeat.ts'
import { affectedSince } from './test-changed.ts'
import { type Check, checkAll } from './test-checks.ts'
import { costReport, processorSeconds, timingsOf, tooCostly } from './test-costs.ts'
import { emptyOf, leftOutReport, silentReport, unendedOf, unreachedReport } from './test-left-out.ts'
import { countAll, lineCounter, readOutcome } from './test-outcome.ts'

const root = join(import.meta.dir, '..', '..')
/**
 * Silence after which a run is stopped: longer than any test may take. A test that computes without a pause meets no
 * timeout.
 */
const silentMsMax = { usual: 660_000, nightly: 3_660_000 }
const lastLinesMs = 1_000
const failuresShown = 10
/** Milliseconds on the clock. `bun test` starts the longest file first, and one without an entry with the longest. */
const timings = 'test/timings.json'
const report = (line: string) => console.log(`- ${line}`)

/** `true` selects changes since the last commit; a text names the commit or branch to compare with. */
type TestOptions = {
  changed?: true | string
  /** Only the type checker and the linter. */
  checks?: true
  /** The rules of money, routing, signer, detection and machines, which need no server. */
  rules?: true
  /** Every test in its larger form, with none left out. */
  nightly?: true
  parallel: number
  updateTimings?: true
}

const ruleFolders = ['domain', 'gas', 'routing', 'signer', 'detection', 'machines'].map((name) => `test/${name}`)

/** Runs the type checker, the linter and `bun test` on real servers, or only the named tests. Returns the exit code. */
export async function test(given: string[], options: TestOptions): Promise<number> {
  const paths = [...given.map(fromRoot), ...(options.rules ? ruleFolders : [])]
  assureTests(paths)
  if (options.checks && paths.length > 0) throw new Failure('--checks runs no tests: name none.')
  const folder = await mkdtemp(join(tmpdir(), 'switchyard-test-'))
  await chmod(folder, 0o755)
  const stopping: { stop(): Promise<void> }[] = []
  const end = async () => {
    await Promise.allSettled(stopping.map((each) => each.stop()))
    await rm(folder, { recursive: true, force: true, maxRetries: 3 }).catch(() => {})
  }
  const interrupted = Promise.withResolvers<number>()
  const seen = lineCounter()
  let isStopped = false
  const interrupt = () => {
    if (!isStopped) console.log(`\nStopped. So far ${seen.passed} passed, ${seen.failed} failed.`)
    isStopped = true
    interrupted.resolve(130)
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, interrupt)
  const start = <T extends Server | Child>(started: T): T => {
    stopping.push(started)
    return started
  }
  try {
    const say = (line: string) => {
      seen.read(line)
      if (!isStopped) console.log(line)
    }
    return await Promise.race([
      options.checks
        ? checkAlone(start)
        : runAll(paths, options, folder, start, { say, isStopped: () => isStopped, end }),
      interrupted.promise,
    ])
  } finally {
    await end()
  }
}

/** Refuses a path that names no test file. Bun would treat it as part of a name, and run other tests or none. */
function assureTests(paths: string[]): void {
  const files = testFiles()
  const isTest = (path: string) => files.some((file) => file.includes(path)) || isOutside(path)
  const unknown = paths.filter((path) => path.trim() === '' || !isTest(path))
  if (unknown.length > 0) throw new Failure(`No such test file: ${unknown.map((path) => path || "''").join(', ')}`)
}

/** A test file that is not one of the project's. */
const isOutside = (path: string) => /\.test\.tsx?$/.test(path) && existsSync(path)
const fromRoot = (path: string) => (path === '' || isOutside(path) ? path : relative(root, resolve(path)))

const testFiles = () => globSync('test/**/*.test.ts', { cwd: root })

type Start = <T extends Server | Child>(started: T) => T

/** Runs the type checker and the linter alone. */
async function checkAlone(start: Start): Promise<number> {
  const { passed, failed } = countAll([], await checkAll(root, passesWith(start)))
  console.log(`${passed} passed, ${failed} failed`)
  return failed === 0 ? 0 : 1
}

/** Returns what runs a check and reports whether it passed. It prints the whole output of a failed one. */
const passesWith =
  (start: Start) =>
  async ([name, command]: Check): Promise<boolean> => {
    const startedAt = performance.now()
    const lines: string[] = []
    const onLine = (line: string) => lines.push(line)
    const code = await start(spawnChild([process.execPath, ...command], { cwd: root, onLine })).exited
    if (code !== 0) console.log(lines.join('\n'))
    report(`${name} ${code === 0 ? 'passed' : 'FAILED'}: ${seconds(startedAt)}`)
    return code === 0
  }

type Reporting = {
  say: (line: string) => void
  isStopped: () => boolean
  /** Stops every server. Their processor time is known only then. */
  end: () => Promise<void>
}

async function runAll(
  paths: string[],
  options: TestOptions,
  folder: string,
  start: Start,
  { say, isStopped, end }: Reporting,
) {
  const startedAt = performance.now()
  const { affected, starters } = options.changed
    ? affectedSince(options.changed, root, testFiles())
    : { affected: 'EVERY' as const, starters: [] }
  if (options.changed && affected === 'EVERY') report('A file that affects every test has changed, so all of them run.')
  const isSelected = affected !== 'EVERY'
  const isWhole = paths.length === 0 && !isSelected
  // These run beside the first tests, which at that time wait for servers and chains.
  const checking = isWhole ? checkAll(root, passesWith(start)) : Promise.resolve([])
  checking.catch(() => {})
  const notes = {
    costs: join(folder, 'costs'),
    leftOut: join(folder, 'left-out'),
    started: join(folder, 'started'),
  }
  const env = {
    ...process.env,
    ...(options.rules ? { TEST_SERVERS: 'none' } : await serverUrls(folder, start)),
    TEST_COSTS: notes.costs,
    TEST_LEFT_OUT: notes.leftOut,
    TEST_STARTED: notes.started,
    ...(options.nightly && { TEST_DEPTH: 'full' }),
    SOLC_CACHE: join(await cacheFolder(), 'solc'),
    ...(isWhole && { TEST_PICTURES: 'OF_FAULTS' }),
    ...(process.stdout.isTTY && { FORCE_COLOR: '1' }),
  }
  const silentMs = options.nightly ? silentMsMax.nightly : silentMsMax.usual
  const run = (name: string, ...given: string[]) =>
    runBun(given, env, { file: join(folder, `${name}.xml`), silentMs }, start, say)
  const first = await run('outcome', ...flags(options, isSelected), ...paths)
  if (isStopped()) return 130
  if (first.isSilent) {
    const ended = await readFile(notes.costs, 'utf8').catch(() => '')
    for (const line of silentReport(testFiles(), paths, ended, silentMs)) say(line)
    console.log(`${first.passed} passed, ${first.failed + 1} failed`)
    return 1
  }
  const named = testFiles().filter((path) => paths.length === 0 || paths.some((each) => path.includes(each)))
  const unread = isSelected ? affected.filter((path) => !first.outcome.files.has(path)) : []
  const runs = [first, ...(unread.length > 0 ? [await run('readers', ...flags(options, false), ...unread)] : [])]
  if (isStopped()) return 130
  // `bun test` alone knows which files import what has changed, and each notes its start.
  const started = (await readFile(notes.started, 'utf8').catch(() => '')).split('\n').filter((path) => path !== '')
  const wanted = isSelected ? [...new Set([...unread, ...started])] : named
  const unended = unendedOf(wanted, await readFile(notes.costs, 'utf8').catch(() => ''))
  const declared = new Set(runs.flatMap(({ outcome }) => outcome.declared))
  const leftOut = await readFile(notes.leftOut, 'utf8').catch(() => '')
  const empty = emptyOf(wanted, declared, leftOut).filter((path) => !unended.includes(path))
  const { passed, unexplained, ...counted } = countAll(runs, await checking)
  for (const name of runs.flatMap(({ outcome }) => outcome.skipped)) console.log(`SKIPPED: ${name}`)
  const files = new Set(runs.flatMap(({ outcome }) => [...outcome.files.keys()]))
  const costs = await readFile(notes.costs, 'utf8').catch(() => '')
  await end()
  if (isSelected) for (const line of unreachedReport(testFiles(), files, starters)) report(line)
  for (const line of leftOutReport(leftOut)) report(line)
  await keepCosts(costs)
  if (options.updateTimings) await keepTimings()
  const spent = processorSeconds()
  const costly = isWhole && !options.nightly ? tooCostly(costs, spent ?? 0) : []
  const failed = counted.failed + unended.length + empty.length + costly.length
  if (spent !== null) for (const line of costReport(costs, spent, (performance.now() - startedAt) / 1000)) report(line)
  if (!isWhole) console.log('Only the tests named: no type check, no lint.')
  // Last, because the output of a whole run is long and often only its end is kept.
  const failures = runs.flatMap((each) => each.failures)
  for (const lines of failures.slice(0, failuresShown)) console.log(['', ...lines].join('\n'))
  for (const path of unended) console.log(`DID NOT END, counted as failed: ${path}`)
  for (const path of empty) console.log(`NO TEST, counted as failed: ${path}`)
  for (const line of costly) console.log(`TOO COSTLY, counted as failed, split it: ${line}`)
  if (unexplained > 0) console.log('bun test failed without naming a test: counted as one failed.')
  console.log(`${passed} passed, ${failed} failed`)
  return failed === 0 ? 0 : 1
}

/** `bun test` never removes the times of files that no longer exist. */
async function keepTimings(): Promise<void> {
  const written = join(root, timings)
  await writeFile(written, timingsOf(await readFile(written, 'utf8'), testFiles()))
}

/** Stores the cost of each file, for comparing two runs. */
async function keepCosts(costs: string): Promise<void> {
  await mkdir(join(root, 'test-results'), { recursive: true })
  await writeFile(join(root, 'test-results', 'costs.txt'), costs)
}

/** Runs `bun test`. Returns its exit code, its output about failures, and its JUnit results. */
async function runBun(
  given: string[],
  env: NodeJS.ProcessEnv,
  { file, silentMs }: { file: string; silentMs: number },
  start: Start,
  say: Reporting['say'],
) {
  const seen = lineCounter()
  let saidAt = performance.now()
  const onLine = (line: string) => {
    saidAt = performance.now()
    seen.read(line)
    say(line)
  }
  const noting = ['--preload=./test/support/note-cost.ts', '--reporter=junit', `--reporter-outfile=${file}`]
  const command = [process.execPath, 'test', ...given, ...noting]
  const child = start(spawnChild(command, { cwd: root, env, onLine }))
  let isSilent = false
  const watch = repeat({
    everyMs: silentMs / 10,
    async work() {
      isSilent ||= performance.now() - saidAt > silentMs
      if (isSilent) await child.stop('SIGKILL')
    },
    onTrouble: (error) => say(String(error)),
  })
  watch.start()
  const code = await child.exited.finally(watch.stop)
  await Promise.race([seen.isRead, Bun.sleep(lastLinesMs)])
  const { passed, failed, failures } = seen
  return { code, failures, passed, failed, isSilent, outcome: await readOutcome(file) }
}

/**
 * Returns the flags for `bun test`. It runs at least two processes, because a file that waits leaves the processor to
 * another, and because a single process notes the end of its last file only (`note-cost.ts`).
 */
function flags({ changed, parallel, updateTimings }: TestOptions, isSelected: boolean): string[] {
  return [
    `--parallel=${Math.max(2, parallel)}`,
    '--no-isolate',
    `--timings=${timings}`,
    ...(updateTimings ? ['--update-timings'] : []),
    ...(isSelected ? [changed === true ? '--changed' : `--changed=${changed}`, '--pass-with-no-tests'] : []),
  ]
}

/** Starts one NATS and one MongoDB for all tests, unless the environment names servers. */
async function serverUrls(folder: string, start: Start) {
  const url = async (variable: string, run: () => Promise<Server>) => {
    const given = process.env[variable]
    if (given) return given
    const startedAt = performance.now()
    const server = start(await run())
    report(`${server.kind} started: ${seconds(startedAt)}`)
    return server.url
  }
  const [nats, mongo] = await Promise.allSettled([
    url('TEST_NATS_URL', () => startNats({ dataDir: join(folder, 'nats'), report })),
    url('TEST_MONGODB_URL', () => startMongo({ dataDir: join(folder, 'mongo'), report, isDisposable: true })),
  ])
  if (nats.status === 'rejected') throw nats.reason
  if (mongo.status === 'rejected') throw mongo.reason
  return { TEST_NATS_URL: nats.value, TEST_MONGODB_URL: mongo.value }
}

function seconds(startedAt: number): string {
  return `${((performance.now() - startedAt) / 1000).toFixed(1)} s`
}
