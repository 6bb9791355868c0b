import { globSync, readFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { importsWithin, withoutTypes } from '../tidy-rules.ts'
import { type Ran, runTests } from './run-test.ts'

/** These start servers, chains or programs, or read files that no import names. */
const outside = /^(test\/support\/servers\.ts|src\/devnet\/(servers|chains)\/)/
const startsPrograms = /^test\/(cli|clients|solidity|deploy|deploying|e2e|dashboard|bench|mutation|[^/]*\.test\.ts)/
/** Longer ones are left to the test run. */
const testMsMax = 9_000
/** Of the tests that import a file, the nearest are measured, in steps until one runs the changed line. */
const measuredMax = 32
const step = 8
/** Maximum number of tests that run for a changed line. */
const decidingMax = 10

/** A test file that decides the mutants of a file. */
export type Deciding = {
  path: string
  /** How long it takes without a mutant. */
  ms: number
  /** How often it ran each line of the mutated file. A line that no instruction belongs to is absent. */
  hits: ReadonlyMap<number, number>
}

export type Pool = {
  /** The measured tests of a file that pass, nearest first. */
  deciding: readonly Deciding[]
  /** Measures the next tests. Returns false if there are no more, or the time is over. */
  grow(): Promise<boolean>
}

export type TestChoice = {
  /** The tests that run a file in this process. */
  of(path: string, isOver: () => boolean): Pool
  /** Tests that failed without a mutant, each with its output. They decide nothing. */
  failing: ReadonlyMap<string, string>
  /** The source files that import a file. */
  importersOf(path: string): string[]
}

/** Reads which tests import which files. Coverage is measured once for each content, and stored in `cache`. */
export function testChoice(root: string, cache: string): TestChoice {
  const paths = globSync('{src,machines,test}/**/*.{ts,tsx}', { cwd: root }).filter(
    (each) => !/node_modules/.test(each),
  )
  const files = paths.map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))
  const texts = new Map(files.map(({ path, text }) => [path, text]))
  const imports = importsWithin(withoutTypes(files))
  const timings: Record<string, number> = JSON.parse(readFileSync(join(root, 'test/timings.json'), 'utf8')).files
  const tests = paths
    .filter((path) => path.endsWith('.test.ts') && !startsPrograms.test(path) && (timings[path] ?? 0) < testMsMax)
    .map((path) => ({ path, distances: distancesFrom(path, imports) }))
    .filter(({ distances }) => ![...distances.keys()].some((each) => outside.test(each)))

  async function measure(test: string, closure: Iterable<string>): Promise<{ ran: Ran; lcov: string }> {
    const hash = Bun.hash(
      [...closure]
        .toSorted()
        .map((path) => `${path}\n${texts.get(path)}`)
        .join('\n'),
    )
    const stored = join(cache, `${test.replaceAll('/', '-')}-${hash.toString(36)}.json`)
    if (await Bun.file(stored).exists()) return Bun.file(stored).json()
    const folder = join(cache, `coverage-${crypto.randomUUID()}`)
    await mkdir(folder, { recursive: true })
    const ran = await runTests(root, [test], { coverage: folder })
    const lcov = await Bun.file(join(folder, 'lcov.info'))
      .text()
      .catch(() => '')
    await Bun.$`rm -r ${folder}`.quiet()
    if (ran.outcome === 'passed') await Bun.write(stored, JSON.stringify({ ran, lcov }))
    return { ran, lcov }
  }
  const failing = new Map<string, string>()
  return {
    failing,
    of(path, isOver) {
      const near = tests
        .filter(({ distances }) => distances.has(path))
        .toSorted((one, other) => one.distances.get(path)! - other.distances.get(path)! || cost(one) - cost(other))
        .slice(0, measuredMax)
      const deciding: Deciding[] = []
      return {
        deciding,
        async grow() {
          const next = near.splice(0, step)
          for (const { path: test, distances } of next) {
            if (isOver()) return false
            if (failing.has(test)) continue
            const { ran, lcov } = await measure(test, distances.keys())
            if (ran.outcome === 'passed') deciding.push({ path: test, ms: ran.ms, hits: hitsIn(lcov, path) })
            else failing.set(test, `${ran.outcome} without a mutant:\n${ran.output}`)
          }
          return next.length > 0
        },
      }
    },
    importersOf: (path) =>
      [...imports].flatMap(([each, its]) => (its.includes(path) && !each.startsWith('test/') ? each : [])),
  }

  /** A test without a stored time is new, and was probably written for what it imports. */
  function cost({ path }: { path: string }): number {
    return timings[path] ?? 0
  }
}

/** How many imports each file is away from an entry. */
function distancesFrom(entry: string, imports: ReadonlyMap<string, readonly string[]>): Map<string, number> {
  const distances = new Map([[entry, 0]])
  for (const [path, distance] of distances)
    for (const next of imports.get(path) ?? []) if (!distances.has(next)) distances.set(next, distance + 1)
  return distances
}

function hitsIn(lcov: string, path: string): Map<number, number> {
  const section = lcov.split('end_of_record').find((each) => each.includes(`SF:${path}\n`)) ?? ''
  return new Map([...section.matchAll(/^DA:(\d+),(\d+)/gm)].map(([, line, count]) => [Number(line), Number(count)]))
}

const most = (lines: readonly number[], { hits }: Deciding) => Math.max(0, ...lines.map((line) => hits.get(line) ?? 0))

/** Whether a test surely runs these lines. A count of 1 is often only the definition, which runs on loading. */
export const isRun = (lines: readonly number[], all: readonly Deciding[]): boolean =>
  all.some((each) => most(lines, each) > 1)

/** The tests that can notice a change of these lines: first the tests known to run them, then the nearest. */
export function testsOf(
  lines: readonly number[],
  all: readonly Deciding[],
  kills: ReadonlyMap<string, number>,
): Deciding[] {
  // Coverage counts instructions. A line without any, such as a row of a table, belongs to those above it.
  const isCounted = all.some(({ hits }) => lines.some((line) => hits.has(line)))
  const rank = (each: Deciding) =>
    all.indexOf(each) - 10 * (kills.get(each.path) ?? 0) - (most(lines, each) > 1 ? 1_000 : 0)
  return (isCounted ? all.filter((each) => most(lines, each) > 0) : [...all])
    .toSorted((one, other) => rank(one) - rank(other))
    .slice(0, decidingMax)
}
