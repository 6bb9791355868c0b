import { join } from 'node:path'
import type { Mutant } from './mutants.ts'

export type Ran = { outcome: 'passed' | 'failed' | 'timed out'; ms: number; output: string }

/** Without a mutant: a test that takes longer is not one for mutants. */
const plainMsMax = 120_000
const preload = join(import.meta.dir, 'preload.ts')

/** Runs test files in one process until the first failure, with a mutant or with coverage. */
export async function runTests(
  root: string,
  tests: readonly string[],
  { mutant, coverage, msMax = plainMsMax }: { mutant?: Mutant; coverage?: string; msMax?: number },
): Promise<Ran> {
  const startedAt = performance.now()
  const flags = [
    ...(mutant ? [`--preload=${preload}`] : []),
    ...(coverage ? ['--coverage', '--coverage-reporter=lcov', `--coverage-dir=${coverage}`] : []),
  ]
  const child = Bun.spawn([process.execPath, 'test', '--bail=1', ...flags, ...tests.map((test) => `./${test}`)], {
    cwd: root,
    env: {
      ...process.env,
      TEST_SERVERS: 'none',
      ...(mutant && { MUTANT: JSON.stringify({ ...mutant, path: join(root, mutant.path) }) }),
    },
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'pipe',
    timeout: Math.ceil(msMax),
    killSignal: 'SIGKILL',
  })
  const output = await new Response(child.stderr).text()
  const code = await child.exited
  const ms = performance.now() - startedAt
  if (child.signalCode === 'SIGKILL' && ms >= msMax) return { outcome: 'timed out', ms, output }
  return { outcome: code === 0 ? 'passed' : 'failed', ms, output }
}
