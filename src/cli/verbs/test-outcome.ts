import { readFile } from 'node:fs/promises'

interface FileOutcome {
  readonly passed: number
  readonly failed: number
  /** True if the first test of the file that failed ran out of time: what it did not wait for may fail the others. */
  readonly isLate: boolean
}

interface TestOutcome {
  readonly files: ReadonlyMap<string, FileOutcome>
  /** The names of the tests that did not run. */
  readonly skipped: readonly string[]
}

/** Reads the results from the JUnit file that `bun test` writes. There are none if there is no such file. */
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

/** How many tests passed and failed. A file of `again` counts as it ended there. */
export function countsOf({ files }: TestOutcome, again?: TestOutcome): { passed: number; failed: number } {
  const all = [...new Map([...files, ...(again?.files ?? [])]).values()]
  return {
    passed: all.reduce((sum, { passed }) => sum + passed, 0),
    failed: all.reduce((sum, { failed }) => sum + failed, 0),
  }
}

const lateMost = 3

/**
 * The files that may have failed only because the machine was busy: a test of theirs waited for something for too long.
 * None if another file failed with a wrong result, or if so many were late that the machine is not the reason.
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
 * Counts the results in the output of `bun test` while it runs, because a run that is stopped writes no file, and keeps
 * what was printed of failures. One process prints the reason before the name of the test that failed, and several
 * print it behind the name.
 */
export function lineCounter() {
  const last = Promise.withResolvers<void>()
  let before: string[] = []
  /** At its end `bun test` names once more what failed, and so does one that a test ran, with what it printed. */
  const named = new Set<string>()
  let isBehind = false
  return {
    passed: 0,
    failed: 0,
    failures: [] as string[][],
    /** How many errors belong to no test. */
    errors: 0,
    /** Resolves when the last line was read: the process may end before its whole output has been read. */
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
