import { join } from 'node:path'
import { forgeBinary } from './forge-binary.ts'

/**
 * Runs what takes too long for every test run: deep fuzzing of the contracts, 100,000 calls through guard, signer and
 * Diamond, and the mutants. The exit code is the number of parts that failed.
 */
const parts: { name: string; command: string[]; cwd: string; env?: Record<string, string> }[] = [
  {
    name: 'forge, 10,000 runs of each property, invariants 100 x 500',
    command: [forgeBinary(), 'test'],
    cwd: import.meta.dir,
    env: { FOUNDRY_FUZZ_RUNS: '10000', FOUNDRY_INVARIANT_RUNS: '100', FOUNDRY_INVARIANT_DEPTH: '500' },
  },
  {
    name: '100,000 calls through guard, signer and Diamond',
    command: [process.execPath, 'test', 'test/signer/differential.test.ts'],
    cwd: join(import.meta.dir, '..'),
    env: { DIFFERENTIAL_CASES: process.env['DIFFERENTIAL_CASES'] ?? '100000' },
  },
  {
    name: 'mutants',
    command: [process.execPath, join(import.meta.dir, 'mutate.ts')],
    cwd: import.meta.dir,
  },
]

let failed = 0
for (const { name, command, cwd, env } of parts) {
  const startedAt = performance.now()
  const child = Bun.spawn(command, { cwd, env: { ...process.env, ...env }, stdout: 'inherit', stderr: 'inherit' })
  const isGood = (await child.exited) === 0
  if (!isGood) failed += 1
  console.log(`${isGood ? 'passed' : 'FAILED'}: ${name}, ${((performance.now() - startedAt) / 1_000).toFixed(0)} s`)
}
process.exit(failed)
