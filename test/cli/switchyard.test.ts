import { describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { version } from '../../package.json' with { type: 'json' }
import { processesOf } from '../devnet/servers/processes-of.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { testAll } from '../support/test-all'
import { until } from '../support/until'

const root = join(import.meta.dir, '..', '..')
const bootstrap = join(root, 'src', 'cli', 'switchyard.mjs')
const itself = ['node', bootstrap, 'test']
const npm = ['npm', 'test', '--']

/** Starts `switchyard test` with a test that never ends, and waits until that test runs. */
async function runEndless(folder: string, command: readonly string[]) {
  const file = join(folder, 'endless.test.ts')
  writeFileSync(
    file,
    `import { test } from 'bun:test'
     test('first', () => {})
     test('endless', async () => { console.log('endless runs'); await new Promise(() => {}) })`,
  )
  const env = { ...process.env, TMPDIR: folder, TEST_NATS_URL: '', TEST_MONGODB_URL: '' }
  const run = Bun.spawn([...command, file], {
    cwd: root,
    env,
    stdout: 'pipe',
    stderr: Bun.file(join(folder, 'stderr')),
  })
  const reader = run.stdout.getReader()
  const text = new TextDecoder()
  let said = ''
  while (!said.includes('endless runs')) {
    const { value, done } = await reader.read()
    if (done) throw new Error(`it ended and said: ${said}${await Bun.file(join(folder, 'stderr')).text()}`)
    said += text.decode(value)
  }
  expect(processesOf(folder).length).toBeGreaterThan(2)
  /** Everything printed from then on. */
  const rest = async () => {
    let more = ''
    for (let { value, done } = await reader.read(); !done; { value, done } = await reader.read())
      more += text.decode(value)
    return more
  }
  return Object.assign(run, { rest })
}

const untilGone = (folder: string) =>
  until('no process is left', (note) => {
    const left = processesOf(folder)
    note(left)
    return left.length === 0
  })

describe('switchyard', () => {
  testAll<[NodeJS.Signals, readonly string[]]>([
    ['SIGKILL', itself],
    ['SIGTERM', itself],
    ['SIGINT', itself],
    ['SIGHUP', itself],
    ['SIGKILL', npm],
    ['SIGTERM', npm],
  ])('no process that the command started outlives a signal to it or to npm', async (signal, command) => {
    const folder = temporaryFolder('cli')
    const run = await runEndless(folder, command)
    run.kill(signal)
    await run.exited
    await untilGone(folder)
    if (signal === 'SIGKILL' || command === npm) return
    expect(run.exitCode).toBe(130)
    expect(await run.rest()).toEndWith('Stopped. So far 1 passed, 0 failed.\n')
  })

  test('a path without a test is refused before anything starts', () => {
    const { exitCode, stdout, stderr } = Bun.spawnSync(['node', bootstrap, 'test', 'test/nonexistent.test.ts'])
    expect([exitCode, stdout.toString(), stderr.toString()]).toEqual([
      1,
      '',
      'No such test file: test/nonexistent.test.ts\n',
    ])
  })

  test('with one process, each test file is seen to end', () => {
    const asked = ['test', '--parallel', '1', 'test/domain/amount.test.ts', 'test/domain/typed-amount.test.ts']
    const { exitCode, stdout } = Bun.spawnSync(['node', bootstrap, ...asked], { cwd: root, env: process.env })
    expect(stdout.toString()).toEndWith(' passed, 0 failed\n')
    expect(exitCode).toBe(0)
  })

  test('--version prints the version of the package and starts nothing', () => {
    const { stdout, exitCode } = Bun.spawnSync(['node', bootstrap, '--version'], { cwd: root, env: process.env })
    expect([stdout.toString().trim(), exitCode]).toEqual([version, 0])
  })

  test('an unknown command is named, and the exit code is not 0', () => {
    const { exitCode, stderr } = Bun.spawnSync(['node', bootstrap, 'fly'])
    expect(exitCode).not.toBe(0)
    expect(stderr.toString()).toContain('fly')
  })
})
