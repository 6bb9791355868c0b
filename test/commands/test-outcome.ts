import { readFile } from 'node:fs/promises'

interface FileOutcome {
  readonly passed: number
  readonly failed: number
}

interface TestOutcome {
  readonly files: ReadonlyMap<string, FileOutcome>
  /** Whether `bun test` could not write its results. */
  readonly isMissing: boolean
  /** The files that declared a test, even if it did not run. */
  readonly declared: readonly string[]
  /** The names of tests that did not run. */
  readonly skipped: readonly string[]
}

/** Reads the results from the JUnit file that `bun test` writes. Empty if there is no such file. */
export async function readOutcome(file: string): Promise<TestOutcome> {
  const written = await readFile(file, 'utf8').catch(() => null)
  const xml = written ?? ''
  const cases = [...xml.matchAll(/<testcase\b([^>]*?)(?:\/>|>(.*?)<\/testcase>)/gs)].map(
    ([, head = '', body = '']) => ({
      path: attribute(head, 'file'),
      name: attribute(head, 'name'),
      isSkipped: /<skipped\b/.test(body),
      isFailed: /<(?:failure|error)\b/.test(body),
    }),
  )
  const ran = cases.filter(({ isSkipped }) => !isSkipped)
  const files = new Map<string, FileOutcome>()
  for (const [path, own] of Map.groupBy(ran, ({ path }) => path)) {
    const failed = own.filter(({ isFailed }) => isFailed).length
    files.set(path, { passed: own.length - failed, failed })
  }
  return {
    files,
    isMissing: written === null,
    declared: cases.map(({ path }) => path),
    skipped: cases.filter(({ isSkipped }) => isSkipped).map(({ path, name }) => `${path}: ${name}`),
  }
}

type Run = {
  outcome: TestOutcome
  code: number
  /** Number of tests that passed according to the output. */
  passed: number
}

/**
 * Counts passed and failed tests and checks. A run that fails without a failed test counts as one failed, because a
 * file that cannot be loaded has no test. So does a run whose results could not be written.
 */
export function countAll(runs: readonly Run[], checked: readonly boolean[] = []) {
  const files = runs.flatMap(({ outcome }) => [...outcome.files.values()])
  const failedIn = ({ files }: TestOutcome) => [...files.values()].some(({ failed }) => failed > 0)
  const isLost = ({ outcome, passed }: Run) => outcome.isMissing && passed > 0
  const unexplained = runs.filter((run) => isLost(run) || (run.code !== 0 && !failedIn(run.outcome))).length
  const good = checked.filter((isGood) => isGood).length
  return {
    passed: files.reduce((sum, { passed }) => sum + passed, good),
    failed: files.reduce((sum, { failed }) => sum + failed, checked.length - good + unexplained),
    unexplained,
  }
}

function attribute(tag: string, name: string): string {
  return new RegExp(`\\b${name}="([^"]*)"`).exec(tag)?.[1] ?? ''
}

const failureLinesMax = 60
// biome-ignore lint/suspicious/noControlCharactersInRegex: terminal escape sequences begin with a control character
const colors = /\x1b\[[0-9;]*m/g

/**
 * Counts the results in the output of a running `bun test`, because a stopped run writes no file, and collects the
 * output about failures. A single process prints the reason before the failed test's name; several processes print it
 * after.
 */
export function lineCounter() {
  const last = Promise.withResolvers<void>()
  let before: string[] = []
  /** Failed tests already counted. `bun test` repeats them at its end, and a nested `bun test` prints its own. */
  const named = new Set<string>()
  let isBehind = false
  return {
    passed: 0,
    failed: 0,
    failures: [] as string[][],
    /** Resolves when the last line was read: the process can end before its output is read completely. */
    isRead: last.promise,
    read(line: string) {
      const plain = line.replace(colors, '')
      const isSummary = /^\d+ tests? failed:$/.test(plain) || named.has(plain)
      const isPass = /^(\(pass\)|✓) /.test(plain)
      const isFail = !isSummary && /^(\(fail\)|✗) /.test(plain)
      const isOther = isPass || isSummary || /\.test\.tsx?:$/.test(plain)
      if (isPass) this.passed += 1
      if (isFail) {
        this.failed += 1
        named.add(plain)
        this.failures.push([...before, line])
      }
      isBehind &&= !isOther && !isFail
      if (isBehind) this.failures.at(-1)!.push(line)
      before = isOther || isFail ? [] : [...before, line].slice(-failureLinesMax)
      isBehind ||= isFail
      if (/^Ran \d+ tests? across/.test(plain)) last.resolve()
    },
  }
}
