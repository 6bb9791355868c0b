import { delimiter, dirname, join } from 'node:path'
import { Glob } from 'bun'
import { forgeBinary } from './forge-binary.ts'

/**
 * The amount of work: the full run for the report, a run that fits into a night, and a short run that only shows that
 * it works.
 */
export const forms = {
  full: { fuzzRuns: 100_000, invariants: { runs: 5_000, depth: 32 }, calls: 100_000, pieces: 5, mutants: [] },
  nightly: { fuzzRuns: 2_000, invariants: { runs: 100, depth: 64 }, calls: 5_000, pieces: 1, mutants: [] },
  short: { fuzzRuns: 100, invariants: { runs: 5, depth: 32 }, calls: 300, pieces: 1, mutants: ['--first=1'] },
} as const

export interface Part {
  readonly kind: 'forge' | 'proofs' | 'calls' | 'mutants'
  readonly name: string
  readonly command: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /** The files that can change the result, as patterns below the project's folder. */
  readonly reads: readonly string[]
  /** The program that this machine lacks, so the part cannot run. */
  readonly lacks?: string
}

export const root = join(import.meta.dir, '..')
const contracts = ['contracts/{src,devnet,artifacts}/**/*', 'contracts/foundry.toml']
const tests = ['contracts/test/**/*.sol']
const readers = [
  'src/signer/*.ts',
  'src/protocols/{lifi,cctp}/*.ts',
  'test/support/{diamond-calldata,differential/*}.ts',
]

/** Most valuable first: findings of random calls. The mutants, which only judge the tests, come last. */
export function partsOf(form: keyof typeof forms): Part[] {
  const { fuzzRuns, invariants, calls, pieces, mutants } = forms[form]
  const inPieces = (name: string, amount: number, make: (name: string, share: number, piece: number) => Part) =>
    Array.from({ length: pieces }, (_, piece) =>
      make(pieces === 1 ? name : `${name}, ${piece + 1} of ${pieces}`, amount / pieces, piece),
    )
  const properties = namesOfTests()
  return [
    ...proofParts(),
    ...properties.flatMap((test) =>
      test.name.startsWith('invariant_')
        ? inPieces(`${test.name}, ${invariants.runs} x ${invariants.depth}`, invariants.runs, (name, runs) =>
            forgePart(test, name, {
              FOUNDRY_INVARIANT_RUNS: `${runs}`,
              FOUNDRY_INVARIANT_DEPTH: `${invariants.depth}`,
            }),
          )
        : [],
    ),
    ...inPieces(`${grouped(calls)} calls through guard, signer and Diamond, and as many burns`, calls, callsPart),
    ...properties.flatMap((test) =>
      test.name.startsWith('testFuzz_')
        ? [forgePart(test, `${test.name}, ${grouped(fuzzRuns)} runs`, { FOUNDRY_FUZZ_RUNS: `${fuzzRuns}` })]
        : [],
    ),
    ...['mutants', 'module-mutants', 'invariant-mutants', 'review-mutants'].map((list) => mutantsPart(list, mutants)),
  ]
}

interface Property {
  readonly path: string
  readonly name: string
}

function namesOfTests(): Property[] {
  const files = [...new Glob('test/*.t.sol').scanSync(import.meta.dir)].sort()
  return files.flatMap((path) => {
    const text = new TextDecoder().decode(Bun.mmap(join(import.meta.dir, path)))
    return [...text.matchAll(/function ((?:testFuzz|invariant)_\w+)/g)].map(([, name]) => ({ path, name: name! }))
  })
}

function forgePart(test: Property, name: string, env: Record<string, string>): Part {
  const command = [forgeBinary(), 'test', '--match-test', `^${test.name}\\(`]
  const reads = [...contracts, 'contracts/test/support/**/*', `contracts/${test.path}`]
  return { kind: 'forge', name, command, cwd: import.meta.dir, env, reads }
}

/**
 * Halmos proves each `check_` for every value of its parameters, with Z3 and Yices instead of random values. `refute_`
 * must fail: it shows that orders are executed in the proofs. Left out without Halmos (`pip install halmos==0.3.3`),
 * unless REQUIRE_HALMOS is set.
 */
function proofParts(): Part[] {
  const halmos = process.env['HALMOS'] ?? Bun.which('halmos')
  const lacks = !halmos && !process.env['REQUIRE_HALMOS'] ? { lacks: 'Halmos' } : {}
  const path = [dirname(forgeBinary()), process.env['PATH']].join(delimiter)
  const run = [halmos ?? 'halmos', '--forge-build-out', 'out/symbolic', '--solver-timeout-assertion', '120s']
  const part = (name: string, command: readonly string[]): Part => ({
    kind: 'proofs',
    name,
    command,
    cwd: import.meta.dir,
    env: { PATH: path, FOUNDRY_PROFILE: 'symbolic' },
    reads: [...contracts, 'contracts/symbolic/**/*', 'contracts/test/support/**/*'],
    ...lacks,
  })
  return [
    ...['Guards', 'Routes'].map((of) =>
      part(`proofs of ${of}.sym.sol`, [...run, '--match-contract', `${of}Test`, '--function', 'check_']),
    ),
    part('orders are executed in the proofs', [
      process.execPath,
      join(import.meta.dir, 'refuted.ts'),
      ...[...run, '--match-contract', 'RoutesTest', '--function', 'refute_'],
    ]),
  ]
}

function callsPart(name: string, cases: number, piece: number): Part {
  const file = 'test/solidity/differential.test.ts'
  return {
    kind: 'calls',
    name,
    command: [process.execPath, 'test', file],
    cwd: root,
    env: { DIFFERENTIAL_CASES: `${cases}`, DIFFERENTIAL_SEED: `${12 + piece}` },
    reads: [...contracts, ...readers, file],
  }
}

function mutantsPart(list: string, some: readonly string[]): Part {
  return {
    kind: 'mutants',
    name: `mutants of ${list}.ts${some.length > 0 ? ', the first' : ''}`,
    command: [process.execPath, join(import.meta.dir, 'mutate.ts'), `--list=${list}`, ...some],
    cwd: import.meta.dir,
    env: {},
    reads: [...contracts, ...tests, `contracts/${list}.ts`, 'contracts/{mutate,copy}.ts'],
  }
}

function grouped(amount: number): string {
  return amount.toLocaleString('en-US')
}
