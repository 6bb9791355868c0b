import { readFile } from 'node:fs/promises'

interface TestOutcome {
  readonly passed: number
  readonly failed: number
  /** The names of the tests that did not run. */
  readonly skipped: readonly string[]
}

/** Reads the counts from the JUnit file that `bun test` writes. They are 0 if there is no such file. */
export async function readOutcome(file: string): Promise<TestOutcome> {
  const xml = await readFile(file, 'utf8').catch(() => '')
  const totals = /<testsuites\b[^>]*>/.exec(xml)?.[0] ?? ''
  const skipped = [...xml.matchAll(/<testcase\b([^>]*[^/])>\s*<skipped/g)].map(
    ([, head = '']) => `${attribute(head, 'file')}: ${attribute(head, 'name')}`,
  )
  const failed = Number(attribute(totals, 'failures') || 0) + Number(attribute(totals, 'errors') || 0)
  const all = Number(attribute(totals, 'tests') || 0)
  const notRun = Math.max(Number(attribute(totals, 'skipped') || 0), skipped.length)
  return { passed: all - failed - notRun, failed, skipped }
}

function attribute(tag: string, name: string): string {
  return new RegExp(`\\b${name}="([^"]*)"`).exec(tag)?.[1] ?? ''
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: terminal escape sequences begin with a control character
const colors = /\x1b\[[0-9;]*m/g

/** Counts the results in the output of `bun test` while it runs, because a run that is stopped writes no file. */
export function lineCounter() {
  const last = Promise.withResolvers<void>()
  return {
    passed: 0,
    failed: 0,
    /** Resolves when the last line was read: the process may end before its whole output has been read. */
    isRead: last.promise,
    read(line: string) {
      const plain = line.replace(colors, '')
      if (/^(\(pass\)|✓) /.test(plain)) this.passed += 1
      if (/^(\(fail\)|✗) /.test(plain)) this.failed += 1
      if (/^Ran \d+ tests? across/.test(plain)) last.resolve()
    },
  }
}
