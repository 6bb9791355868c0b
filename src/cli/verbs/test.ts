import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startMongo } from '../../devnet/servers/mongo.ts'
import { startNats } from '../../devnet/servers/nats.ts'
import type { Server } from '../../devnet/servers/server.ts'
import { type Child, spawnChild } from '../../devnet/servers/spawn-child.ts'
import { readOutcome } from './test-outcome.ts'

const root = join(import.meta.dir, '..', '..', '..')
/** For a test that names none: on a busy machine a real server may take its time. */
const testMaxMs = 60_000
const report = (line: string) => console.log(`- ${line}`)

/** Runs the type checker, the linter and `bun test` on real servers, or only the tests named; gives the exit code. */
export async function test(args: string[]): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'switchyard-test-'))
  await chmod(folder, 0o755)
  const stopping: { stop(): Promise<void> }[] = []
  const end = async () => {
    await Promise.allSettled(stopping.map((each) => each.stop()))
    await rm(folder, { recursive: true, force: true, maxRetries: 3 }).catch(() => {})
  }
  const interrupted = Promise.withResolvers<number>()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => interrupted.resolve(130))
  const start = <T extends Server | Child>(started: T): T => {
    stopping.push(started)
    return started
  }
  try {
    return await Promise.race([runAll(args, folder, start), interrupted.promise])
  } finally {
    await end()
  }
}

async function runAll(args: string[], folder: string, start: <T extends Server | Child>(started: T) => T) {
  let passed = 0
  let failed = 0
  const count = (isGood: boolean) => {
    if (isGood) passed += 1
    else failed += 1
  }
  const check = async (name: string, command: string[]) => {
    const startedAt = performance.now()
    const lines: string[] = []
    const code = await start(spawnChild(command, { cwd: root, onLine: (line) => lines.push(line) })).exited
    if (code !== 0) console.log(lines.join('\n'))
    report(`${name} ${code === 0 ? 'passed' : 'FAILED'}: ${seconds(startedAt)}`)
    count(code === 0)
  }
  const isWhole = args.length === 0
  const checks = isWhole
    ? [
        check('tsc --noEmit', [process.execPath, 'node_modules/typescript/bin/tsc', '--noEmit']),
        check('biome check', [
          process.execPath,
          'node_modules/@biomejs/biome/bin/biome',
          'check',
          '--diagnostic-level=error',
        ]),
      ]
    : []
  const [urls] = await Promise.all([serverUrls(folder, start), ...checks])

  const file = join(folder, 'outcome.xml')
  const child = start(
    spawnChild(
      [process.execPath, 'test', `--timeout=${testMaxMs}`, '--reporter=junit', `--reporter-outfile=${file}`, ...args],
      {
        cwd: root,
        env: { ...process.env, ...urls },
        isShown: true,
      },
    ),
  )
  const code = await child.exited
  const outcome = await readOutcome(file)
  passed += outcome.passed
  failed += outcome.failed
  if (code !== 0 && outcome.failed === 0) {
    console.log(`bun test ended with code ${code} without naming a test: counted as one failed.`)
    failed += 1
  }
  for (const name of outcome.skipped) console.log(`SKIPPED: ${name}`)
  if (!isWhole) console.log('Only the tests named: no type check, no lint.')
  console.log(`${passed} passed, ${failed} failed`)
  return failed === 0 ? 0 : 1
}

/** One NATS and one MongoDB for all tests, unless the environment names those to use. */
async function serverUrls(folder: string, start: <T extends Server | Child>(started: T) => T) {
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
    url('TEST_MONGODB_URL', () => startMongo({ dataDir: join(folder, 'mongo'), report })),
  ])
  if (nats.status === 'rejected') throw nats.reason
  if (mongo.status === 'rejected') throw mongo.reason
  return { TEST_NATS_URL: nats.value, TEST_MONGODB_URL: mongo.value }
}

function seconds(startedAt: number): string {
  return `${((performance.now() - startedAt) / 1000).toFixed(1)} s`
}
