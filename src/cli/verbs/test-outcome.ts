import { readFile } from 'node:fs/promises'

interface FileOutcome {
  readonly passed: number
  readonly failed: number
  /** True if the first failed test of the file timed out: work it left behind can fail the others. */
  readonly isLate: boolean
}

interface TestOutcome {
  readonly files: ReadonlyMap<string, FileOutcome>
  /** The names of tests that did not run. */
  readonly skipped: readonly string[]
}

/** Reads the results from the JUnit file that `bun test` writes. Empty if there is no such file. */
export async function readOutcome(file: string): Promise<TestOutcome> {
  const xml = await readFile(file, 'utf8').catch(() => '')
  const cases = [...xml.matchAll(/<testcase\b([^>]*?)(?:\/>|>(.*?)<\/testcase>)/gs)].map(
    ([, head = '', body = '']) => ({
      path: attribute(head, 'file'),
      name: attribute(head, 'name'),
      isSkipped: /<skipped\b/.test(body),
      failure: /<(?:failure|error)\b[^>]*>/.exec(body)?.[0],
    }),
  )
  const ran = cases.filter(({ isSkipped }) => !isSkipped)
  const files = new Map<string, FileOutcome>()
  for (const [path, own] of Map.groupBy(ran, ({ path }) => path)) {
    const failures = own.flatMap(({ failure }) => failure ?? [])
    files.set(path, {
      passed: own.length - failures.length,
      failed: failures.length,
      isLate: failures.length > 0 && attribute(failures[0]!, 'type') === 'TimeoutError',
    })
  }
  return { files, skipped: cases.filter(({ isSkipped }) => isSkipped).map(({ path, name }) => `${path}: ${name}`) }
}

/** Counts passed and failed tests. For a file in `again`, its rerun counts. */
export function countsOf({ files }: TestOutcome, again?: TestOutcome): { passed: number; failed: number } {
  const all = [...new Map([...files, ...(again?.files ?? [])]).values()]
  return {
    passed: all.reduce((sum, { passed }) => sum + passed, 0),
    failed: all.reduce((sum, { failed }) => sum + failed, 0),
  }
}

const lateMost = 3

/**
 * Returns the files that may have failed only because the machine was busy: one of their tests timed out. Empty if
 * another file failed with a wrong result, or if too many timed out to blame the machine.
 */
export function lateFiles({ files }: TestOutcome): string[] {
  const failed = [...files].filter(([, { failed }]) => failed > 0)
  return failed.length <= lateMost && failed.every(([, { isLate }]) => isLate) ? failed.map(([path]) => path) : []
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
    /** Number of errors outside any test. */
    errors: 0,
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
      this.errors = Number(/^ *(\d+) errors?$/.exec(plain)?.[1] ?? this.errors)
      if (/^Ran \d+ tests? across/.test(plain)) last.resolve()
    },
  }
}
