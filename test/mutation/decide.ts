import type { Compiler } from './compiler.ts'
import type { Equivalent } from './equivalents.ts'
import type { Mutant } from './mutants.ts'
import { runTests } from './run-test.ts'
import { type Deciding, isRun, type TestChoice, testsOf } from './tests-of.ts'

/**
 * What became of a mutant. The compiler refused it, a test killed it (or did not end with it), it is argued, or it
 * survived. Only killed and survived mutants count.
 */
export type Verdict = { mutant: Mutant; result: 'refused' | 'killed' | 'argued' | 'SURVIVED'; by: string }

/** The least limit: a test starts within it on a busy machine. */
const msMin = 15_000
const slowdown = 6

/** Whether an entry of the table argues this mutant. */
export const argues = (mutant: Mutant, text: string, { path, line, from, to, nth = 1 }: Equivalent): boolean =>
  path === mutant.path &&
  from === mutant.from &&
  to === mutant.to &&
  nth === mutant.nth &&
  line === text.split('\n')[mutant.line - 1]!.trim()

type Deciders = {
  root: string
  compiler: Compiler
  choice: TestChoice
  equivalents: readonly Equivalent[]
  /** Whether no further mutant may start. */
  isOver: () => boolean
}

/** Decides mutants of one file, one after another. Yields each verdict as soon as it is known. */
export async function* decide(path: string, mutants: readonly Mutant[], deciders: Deciders): AsyncGenerator<Verdict> {
  const { root, compiler, choice, equivalents, isOver } = deciders
  const text = await Bun.file(`${root}/${path}`).text()
  const kills = new Map<string, number>()
  const pool = choice.of(path, isOver)
  for (const mutant of mutants) {
    if (isOver()) return
    if (await compiler.refuses(mutant)) {
      yield { mutant, result: 'refused', by: 'tsc' }
      continue
    }
    const lines = linesOf(mutant)
    while (!isRun(lines, pool.deciding) && (await pool.grow()));
    if (isOver()) return
    const by = await killerOf(root, mutant, testsOf(lines, pool.deciding, kills))
    if (by) {
      kills.set(by, (kills.get(by) ?? 0) + 1)
      yield { mutant, result: 'killed', by }
    } else if (await compiler.refuses(mutant, choice.importersOf(path))) yield { mutant, result: 'refused', by: 'tsc' }
    else {
      const isArgued = equivalents.some((each) => argues(mutant, text, each))
      yield { mutant, result: isArgued ? 'argued' : 'SURVIVED', by: '' }
    }
  }
}

const linesOf = ({ line, from }: Mutant) => from.split('\n').map((_, n) => line + n)

/** Runs the most likely test first, and the others together, because a process costs more than most tests. */
async function killerOf(root: string, mutant: Mutant, tests: readonly Deciding[]): Promise<string | null> {
  for (const group of [tests.slice(0, 1), tests.slice(1)].filter(({ length }) => length > 0)) {
    const paths = group.map(({ path }) => path)
    let msMax = msMin + slowdown * group.reduce((sum, { ms }) => sum + ms, 0)
    let ran = await runTests(root, paths, { mutant, msMax })
    // The machine may be late. The mutant is at fault only if the tests end in time without it.
    while (ran.outcome === 'timed out' && (await runTests(root, paths, { msMax })).outcome === 'timed out') {
      msMax *= 2
      ran = await runTests(root, paths, { mutant, msMax })
    }
    if (ran.outcome !== 'passed') return paths.findLast((path) => ran.output.includes(`${path}:`)) ?? paths[0]!
  }
  return null
}
