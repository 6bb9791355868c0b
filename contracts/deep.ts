import { join } from 'node:path'
import { forgeBinary } from './forge-binary.ts'

/**
 * Runs what takes too long for every test run: deep fuzzing of the contracts, random calls through guard, signer and
 * Diamond, and the mutants. `--nightly` takes minutes where the whole takes hours, and `--only=forge,calls,mutants`
 * leaves parts out. The exit code is the number of parts that failed; `deep-report.md` says what was run.
 */
const isNightly = process.argv.includes('--nightly')
const only = process.argv
  .find((each) => each.startsWith('--only='))
  ?.slice('--only='.length)
  .split(',')
const fuzzRuns = isNightly ? '10000' : '100000'
const [invariantRuns, invariantDepth] = isNightly ? ['500', '64'] : ['5000', '32']
const calls = process.env['DIFFERENTIAL_CASES'] ?? (isNightly ? '10000' : '100000')
const root = join(import.meta.dir, '..')

const parts: { key: string; name: string; command: string[]; cwd: string; env?: Record<string, string> }[] = [
  {
    key: 'forge',
    name: `forge: ${fuzzRuns} runs of each property, invariants ${invariantRuns} x ${invariantDepth}`,
    command: [forgeBinary(), 'test', '--match-test', '^(testFuzz_|invariant_)'],
    cwd: import.meta.dir,
    env: {
      FOUNDRY_FUZZ_RUNS: fuzzRuns,
      FOUNDRY_INVARIANT_RUNS: invariantRuns!,
      FOUNDRY_INVARIANT_DEPTH: invariantDepth!,
    },
  },
  {
    key: 'calls',
    name: `${calls} calls through guard, signer and Diamond`,
    command: [process.execPath, 'test', 'test/signer/differential.test.ts'],
    cwd: root,
    env: { DIFFERENTIAL_CASES: calls },
  },
  {
    key: 'mutants',
    name: 'mutants',
    command: [process.execPath, join(import.meta.dir, 'mutate.ts')],
    cwd: import.meta.dir,
  },
]

let failed = 0
const rows: string[] = []
for (const { name, command, cwd, env } of parts.filter(({ key }) => only?.includes(key) ?? true)) {
  const startedAt = performance.now()
  const child = Bun.spawn(command, { cwd, env: { ...process.env, ...env }, stdout: 'inherit', stderr: 'inherit' })
  const isGood = (await child.exited) === 0
  if (!isGood) failed += 1
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0)
  console.log(`${isGood ? 'passed' : 'FAILED'}: ${name}, ${seconds} s`)
  rows.push(`| ${name} | ${isGood ? 'passed' : 'FAILED'} | ${seconds} |`)
}
const commit = Bun.spawnSync(['git', 'rev-parse', '--short', 'HEAD'], { cwd: root }).stdout.toString().trim()
const report = [
  '# Deep run of the contracts',
  '',
  'Written by `npm run contracts:deep`; `-- --nightly` is the shorter form.',
  '',
  `${new Date().toISOString().slice(0, 16).replace('T', ' ')} UTC, on top of commit ${commit}:`,
  '',
  '| Part | Result | Seconds |',
  '|---|---|---|',
  ...rows,
]
await Bun.write(join(import.meta.dir, 'deep-report.md'), `${report.join('\n')}\n`)
process.exit(failed)
